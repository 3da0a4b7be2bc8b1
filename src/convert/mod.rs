//! One reader and one writer: every format in, every format out, streaming.
//!
//! The options of the source are those of what is written, unless others were asked for. They come before the
//! first row, so the encoder is made when they have come.

mod adds;
mod patch;
mod rdf;

pub use adds::Adds;
pub use patch::PatchTarget;
pub use rdf::RdfTarget;

use crate::create::Encode;
use crate::error::Result;
use crate::reader::Feed;
use crate::sink::Sink;

/// What a conversion tells while it goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Rows that were read.
    pub rows: u64,
    /// Bytes of the stream that were decoded, without compression.
    pub bytes_in: u64,
    /// Bytes that were written, without compression.
    pub bytes_out: u64,
}

/// Feeds all rows to `target`, and what it makes of them to `write`; `poll` is told how far it got.
///
/// `write` gets whole frames or rows, and may stop the conversion as `poll` may.
pub fn convert<F, T>(
    feed: &mut F,
    target: &mut T,
    write: &mut dyn FnMut(&[u8]) -> Result<()>,
    poll: &mut dyn FnMut(Tally) -> Result<()>,
) -> Result<Tally>
where
    F: Feed<T> + crate::open::FeedState,
    T: Sink + Encode,
{
    let mut tally = Tally::default();
    loop {
        let ended = feed.advance(target, &mut || poll(tally))?;
        let progress = feed.decoder().progress();
        tally = Tally { rows: progress.rows, bytes_in: feed.decoder().consumed(), ..tally };
        if ended {
            target.finish()?;
        }
        let output = target.output();
        tally.bytes_out += output.len() as u64;
        write(output)?;
        output.clear();
        if ended {
            return Ok(tally);
        }
        poll(tally)?;
    }
}
