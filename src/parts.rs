//! The parts of a Jelly file, which begin at its sync points, for several threads.

use std::collections::VecDeque;

use crate::error::{Error, ErrorKind, Result};
use crate::format::AnyFormat;
use crate::io::Source;
use crate::open::{OpenOptions, PartOf};
use crate::split::{Split, SplitOptions, splits};
use crate::with::With;

/// Approximate number of bytes of Jelly in a part; a part has more where sync points are farther apart.
const PART: u64 = 1 << 20;

/// The parts of a file, in its order.
pub(crate) struct Parts {
    file: PartFile,
    left: VecDeque<PartOf>,
    largest: u64,
}

/// The file, and how one thread reads its parts.
pub(crate) struct PartFile {
    source: Source,
    /// The format of the file.
    pub(crate) format: AnyFormat,
    options: OpenOptions,
}

impl Parts {
    /// The parts of a source; `None`: it has fewer than two, or an error, which its usual reader reports.
    pub(crate) fn of(source: &Source, format: AnyFormat, options: &OpenOptions) -> Result<Option<Self>> {
        let again = || source.again().filter(|_| format.is_jelly());
        let (Some(source), Some(look)) = (again(), again()) else { return Ok(None) };
        let asked = SplitOptions::default().with(|asked| {
            asked.open = options.clone();
            asked.split_bytes = PART;
            asked.whole_patches = options.committed;
        });
        let Ok(found) = splits(look, &asked, &mut || Ok(())) else { return Ok(None) };
        if found.splits.len() < 2 || found.format != format {
            return Ok(None);
        }
        let left = found.splits.iter().map(|split| PartOf::decode(&split.state)).collect::<Result<_>>()?;
        let size = |split: &Split| split.end.map_or(0, |end| end - split.start);
        let largest = found.splits.iter().map(size).max().unwrap_or(0);
        let options = OpenOptions { threads: Some(1), ..options.clone() };
        Ok(Some(Parts { file: PartFile { source, format, options }, left, largest }))
    }

    /// The size of the largest part in bytes.
    pub(crate) fn largest(&self) -> u64 {
        self.largest
    }

    /// The file of the parts.
    pub(crate) fn file(&self) -> &PartFile {
        &self.file
    }

    /// Takes the next part.
    pub(crate) fn next(&mut self) -> Option<PartOf> {
        self.left.pop_front()
    }

    /// Takes everything from the first of these parts on, the next ones in order, as one part.
    pub(crate) fn rest(&mut self, unread: Vec<PartOf>) -> Option<PartOf> {
        let next = unread.into_iter().next().or_else(|| self.next());
        self.left.clear();
        next.map(|part| PartOf { end: None, text: None, ..part })
    }

    /// Takes all parts.
    pub(crate) fn clear(&mut self) {
        self.left.clear();
    }
}

impl PartFile {
    /// The same file, for another thread.
    pub(crate) fn again(&self) -> Option<Self> {
        let source = self.source.again()?;
        Some(PartFile { source, format: self.format, options: self.options.clone() })
    }

    /// A part of the file: its source, and how it is read.
    pub(crate) fn part(&self, part: PartOf) -> Result<(Source, OpenOptions)> {
        let source = self.source.again();
        let source = source.ok_or_else(|| Error::new(ErrorKind::Io, "the file no longer exists"))?;
        Ok((source, OpenOptions { split: Some(part), ..self.options.clone() }))
    }
}
