//! The bytes of an encoder on their way to the output.

use super::Encode;
use crate::error::Result;
use crate::io::Output;

/// Takes bytes out of an encoder and passes them to an output, divided at sync points.
pub struct Writer {
    output: Output,
    /// Bytes of the stream so far.
    written: u64,
    /// Places behind which the output was cut.
    cuts: usize,
}

impl Writer {
    /// Writes to `output`.
    pub fn new(output: Output) -> Self {
        Writer { output, written: 0, cuts: 0 }
    }

    /// Bytes of the stream that were taken, without compression.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Takes what the encoder made so far.
    pub fn take(&mut self, encoder: &mut dyn Encode) -> Result<()> {
        let offsets = encoder.restart_offsets(self.cuts);
        let bytes = encoder.output();
        let mut done = 0;
        for offset in offsets {
            let Some(place) =
                usize::try_from(offset - self.written).ok().filter(|&place| place < bytes.len())
            else {
                break; // still in the encoder
            };
            self.output.write(&bytes[done..place])?;
            self.output.cut()?;
            done = place;
            self.cuts += 1;
        }
        self.output.write(&bytes[done..])?;
        self.written += bytes.len() as u64;
        bytes.clear();
        Ok(())
    }

    /// Ends the stream; the output appears.
    pub fn finish(self) -> Result<()> {
        self.output.finish()
    }

    /// Passes on the bytes taken so far, as far as compression allows.
    pub fn flush(&mut self) -> Result<()> {
        self.output.flush()
    }
}
