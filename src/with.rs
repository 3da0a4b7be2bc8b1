//! How options are made outside of this crate.

/// Options that are made by changing the defaults, so that new options break nobody.
///
/// ```
/// use jelly_patch::Limits;
/// use jelly_patch::decode::{DecodeOptions, Framing};
/// use jelly_patch::With;
///
/// let options = DecodeOptions::default().with(|options| {
///     options.framing = Framing::Single;
///     options.limits = Limits::default().with(|limits| limits.row_bytes = 1 << 20);
/// });
/// assert_eq!(options.limits.row_bytes, 1 << 20);
/// ```
pub trait With: Sized {
    /// These options, changed.
    #[must_use]
    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}
