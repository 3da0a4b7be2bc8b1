//! One reader and one writer: every format in, every format out, streaming.
//!
//! The output has the options of the source, unless others are requested. The options come before the first
//! row, so the encoder is created when they arrive.

mod adds;
mod deskolem;
mod names;
mod skolem;
mod target;

pub use adds::Adds;
pub use deskolem::Deskolem;
pub use names::{NodeNames, Scoped, Skolemized};
pub use skolem::Skolem;
pub(crate) use skolem::skolem_iri;
pub use target::{PatchTarget, RdfTarget, Target};

use crate::create::{Encode, Writer};
use crate::error::Result;
use crate::reader::RowSource;

/// Rows between two looks at the output and at whoever waits.
const ROWS: usize = 8192;

/// The progress of a conversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Rows that were read.
    pub rows: u64,
    /// Bytes of the stream that were decoded, without compression.
    pub bytes_in: u64,
    /// Bytes that were written, without compression.
    pub bytes_out: u64,
    /// Declarations of prefixes that the output cannot hold.
    pub prefixes_left_out: u64,
}

/// Passes all rows to `target`, and the bytes of `target` to `writer`; `poll` gets the progress and can stop
/// the conversion.
pub fn convert<T: Encode>(
    source: &mut dyn RowSource<T>,
    target: &mut T,
    writer: &mut Writer,
    poll: &mut dyn FnMut(Tally) -> Result<()>,
) -> Result<Tally> {
    let mut tally = Tally::default();
    loop {
        let ended = match source.advance(target, &mut || poll(tally)) {
            Ok(ended) => ended,
            Err(error) => {
                // rows before the error are handed on, where there is no file that must be whole
                let _ = writer.take(target).and_then(|()| writer.flush());
                return Err(error);
            }
        };
        let decoder = source.decoder();
        tally = Tally { rows: decoder.progress().rows, bytes_in: decoder.consumed(), ..tally };
        if ended {
            target.finish()?;
        }
        tally.prefixes_left_out = target.prefixes_left_out();
        writer.take(target)?;
        tally.bytes_out = writer.written();
        if ended {
            return Ok(tally);
        }
        poll(tally)?;
    }
}
