//! Creates options outside this crate.

/// Options that are created by changing the defaults, so that new options break no callers.
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
    /// Returns these options with changes.
    #[must_use]
    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}
