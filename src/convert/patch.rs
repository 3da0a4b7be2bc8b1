//! Patches to any format of patches.

use super::ROWS;
use crate::create::{AnyPatchEncoder, Encode};
use crate::error::Result;
use crate::options::PatchOptions;
use crate::sink::{PatchRow, PatchSink, Sink};

/// Makes the encoder once the options of the source are known, `None` where the source has none.
type Make = Box<dyn FnMut(Option<&PatchOptions>) -> Result<AnyPatchEncoder> + Send>;

/// An encoder that is made when the options of the source have come.
pub struct PatchTarget {
    make: Make,
    encoder: Option<AnyPatchEncoder>,
    nothing: Vec<u8>,
    /// Rows since the output was taken.
    rows: usize,
}

impl PatchTarget {
    /// `make` is called once.
    pub fn new(make: Make) -> Self {
        PatchTarget { make, encoder: None, nothing: Vec::new(), rows: 0 }
    }

    #[inline]
    fn encoder(&mut self) -> Result<&mut AnyPatchEncoder> {
        if self.encoder.is_none() {
            self.encoder = Some((self.make)(None)?);
        }
        self.encoder.as_mut().ok_or_else(|| crate::Error::new(crate::ErrorKind::Internal, "no encoder"))
    }
}

impl Encode for PatchTarget {
    fn output(&mut self) -> &mut Vec<u8> {
        self.rows = 0;
        self.encoder.as_mut().map_or(&mut self.nothing, Encode::output)
    }

    fn finish(&mut self) -> Result<()> {
        self.encoder()?.finish()
    }

    fn restart_offsets(&self, skip: usize) -> Vec<u64> {
        self.encoder.as_ref().map_or_else(Vec::new, |encoder| encoder.restart_offsets(skip))
    }
}

impl Sink for PatchTarget {
    #[inline]
    fn is_full(&self) -> bool {
        self.rows >= ROWS || self.encoder.as_ref().is_some_and(Sink::is_full)
    }
}

impl PatchSink for PatchTarget {
    fn options(&mut self, options: &PatchOptions) -> Result<()> {
        if self.encoder.is_none() {
            self.encoder = Some((self.make)(Some(options))?);
        }
        Ok(())
    }

    #[inline]
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        self.rows += 1;
        self.encoder()?.row(row)
    }
}
