//! Where reading can start in a file: sync points and footers of our own files, sidecars of files of other
//! writers.
//!
//! [`restart_points`] lists the places; a reader with `start` and `end` reads what lies between two of them,
//! numbered as in the whole file. [`scan()`] makes the sidecar of a file that has no footer.

mod bytes;
mod chain;
mod range;
mod scan;
mod sidecar;
mod start;

use std::path::Path;
use std::sync::Arc;

pub(crate) use bytes::Bytes;
pub(crate) use range::{ToOptions, enter};
pub use scan::{ScanOptions, Scanned, scan};
pub use sidecar::sidecar_path;
pub use start::is_part;

pub use crate::restart::{Counters, FOOTER_KEY, Footer, MARK_KEY, Mark, Point, Unreadable};

use crate::decode::{DecodeOptions, PatchDecoder, RdfDecoder};
use crate::error::{Error, ErrorKind, Result};
use crate::io::{Checked, Compression, Identity, Source};
use crate::limits::Limits;
use crate::warning::Warning;
use chain::{Broken, Chain};
use sidecar::Sidecar;
use start::announces_footer;

/// What tells where a file can be entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Nothing: the file is read from its start.
    None,
    /// The footers of our writer.
    Footer,
    /// A sidecar.
    Sidecar,
}

/// Where a file can be entered.
#[derive(Debug)]
pub struct Index {
    /// The places, the start of the file first; none without an index.
    pub points: Vec<Point>,
    /// What tells them.
    pub how: How,
    /// Uncompressed bytes of the file, where that is known.
    pub length: Option<u64>,
    /// Indexes that were found and are not used.
    pub warnings: Vec<Warning>,
    way: Way,
}

/// How a reader comes in.
#[derive(Debug)]
enum Way {
    None,
    Footers(Chain),
    Sidecar(Box<Sidecar>),
}

/// Finds the sync points of a file: by its footer, else by its sidecar.
pub fn restart_points(path: &Path, compression: Option<Compression>) -> Result<Index> {
    let name: Arc<str> = path.to_string_lossy().into();
    match Bytes::open(Source::Path(path.to_owned()), compression, &Limits::default()) {
        Ok(mut bytes) => Index::read(&mut bytes, Some(path), Some(&name), None),
        Err(error) if error.kind() == ErrorKind::Argument => Ok(Index {
            points: Vec::new(),
            how: How::None,
            length: None,
            warnings: vec![Warning::new(error.message(), Some(name))],
            way: Way::None,
        }),
        Err(error) => Err(error),
    }
}

impl Index {
    /// `known`: what was found to be true of the file.
    pub(crate) fn read(
        bytes: &mut Bytes,
        path: Option<&Path>,
        name: Option<&Arc<str>>,
        known: Option<&Identity>,
    ) -> Result<Self> {
        let mut warnings = Vec::new();
        let mut warn = |message: String| warnings.push(Warning::new(message, name.cloned()));
        let length = Some(bytes.len());
        match Chain::find(bytes)? {
            Ok(chain) => {
                let (points, how) = (chain.points(), How::Footer);
                return Ok(Index { points, how, length, warnings, way: Way::Footers(chain) });
            }
            Err(Broken::Because(why)) => {
                warn(format!("this stream has sync points, but {why}; they are not used"));
            }
            Err(Broken::None) if announces_footer(&bytes.start(0, 256)?) => {
                warn(
                    "this stream has sync points, but it does not end with its footer: it was cut, or other bytes follow it"
                        .into(),
                );
            }
            Err(Broken::None) => {}
        }
        match path.map_or(Ok(None), |path| Sidecar::find(path, known))? {
            Some(Ok(sidecar)) => {
                let (points, how) = (sidecar.points(), How::Sidecar);
                return Ok(Index { points, how, length, warnings, way: Way::Sidecar(Box::new(sidecar)) });
            }
            Some(Err(why)) => warn(format!("{why}; it is not used")),
            None => {}
        }
        Ok(Index { points: Vec::new(), how: How::None, length, warnings, way: Way::None })
    }

    /// Whether a reader with these options can begin at a sync point. A sync point of a sidecar that it cannot use is a
    /// warning.
    pub(crate) fn can_enter(&mut self, offset: u64, is_patch: bool, config: &DecodeOptions) -> bool {
        let Way::Sidecar(sidecar) = &mut self.way else { return true };
        let entered = sidecar.snapshot(offset, &config.limits).and_then(|snapshot| {
            let (config, snapshot) = (config.clone(), snapshot.unwrap_or_default());
            if is_patch {
                PatchDecoder::resume(config, &snapshot).map(drop)
            } else {
                RdfDecoder::resume(config, &snapshot).map(drop)
            }
        });
        let Err(error) = entered else { return true };
        let why = error.message();
        let message = format!(
            "the sync point of byte {offset} in the sidecar is not used: {why}; `jelly index` makes the sidecar again"
        );
        self.warnings.push(Warning::new(message, config.source.clone()));
        false
    }

    /// What is known of the bytes of the file, where somebody read them all.
    pub(crate) fn checked(&self) -> Option<Checked> {
        match &self.way {
            Way::Sidecar(sidecar) => Some(sidecar.checked()),
            Way::None | Way::Footers(_) => None,
        }
    }

    /// The point at this byte; the end of the file is none.
    fn point(&self, offset: u64) -> Result<Point> {
        let found = self.points.binary_search_by_key(&offset, |point| point.offset);
        found.map(|index| self.points[index]).map_err(|_| {
            let message = match self.how {
                How::None => {
                    let why = self.warnings.first().map(|warning| format!(" ({})", warning.message));
                    format!(
                        "start and end need sync points, but this source has none{}",
                        why.unwrap_or_default()
                    )
                }
                _ => format!("byte {offset} is not a sync point"),
            };
            Error::new(ErrorKind::Argument, message)
        })
    }
}
