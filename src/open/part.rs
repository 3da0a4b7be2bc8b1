//! Parts of a file: from one restart point to another.

use super::{
    AnyPatchDecoder, AnyRdfDecoder, Found, OpenOptions, PatchFeed, PatchRows, RdfFeed, RdfRows, locate,
};
use crate::decode::Dialect;
use crate::error::{Error, ErrorKind, Result};
use crate::format::{PatchFormat, RdfFormat};
use crate::index::{Part, ToOptions, enter};
use crate::io::Opened;
use crate::reader::Reader;

impl OpenOptions {
    /// Whether only a part is asked for.
    pub(super) fn is_part(&self) -> bool {
        self.end.is_some() || self.start.is_some_and(|start| start > 0)
    }

    /// Enters a source whose format is known.
    fn part<D: Dialect<ToOptions>>(&self, opened: Opened, is_jelly: bool) -> Result<Part<D>> {
        let refuse = |message| Err(Error::new(ErrorKind::Argument, message));
        if !is_jelly {
            return refuse("start and end go with Jelly only");
        }
        if self.committed {
            return refuse("start and end go with rows=\"all\": a transaction may end in another part");
        }
        if self.resume.is_some() {
            return refuse("resume does not go with start and end");
        }
        match opened.again {
            Some(source) => enter(source, opened.compression, self).map_err(|error| locate(self, error)),
            None => refuse("start and end need a file, or bytes in memory"),
        }
    }
}

/// Statements of a part.
pub(super) fn rdf(
    opened: Opened,
    format: RdfFormat,
    options: &OpenOptions,
) -> Result<Found<RdfFeed, RdfFormat>> {
    let part = options.part(opened, format == RdfFormat::Jelly)?;
    let reader = Reader::of_part(|decoder| AnyRdfDecoder::Jelly(Box::new(decoder)), part);
    Ok(Found { feed: RdfFeed(RdfRows::Pushed(reader)), format, refused: None })
}

/// Rows of patches of a part.
pub(super) fn patch(
    opened: Opened,
    format: PatchFormat,
    options: &OpenOptions,
) -> Result<Found<PatchFeed, PatchFormat>> {
    let part = options.part(opened, format == PatchFormat::Jelly)?;
    let reader = Reader::of_part(|decoder| AnyPatchDecoder::Jelly(Box::new(decoder)), part);
    Ok(Found { feed: PatchFeed(PatchRows::All(reader)), format, refused: None })
}
