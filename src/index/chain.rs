//! The footers of a file, from its end back to its start: one for each stream that `cat` put in it.

use super::bytes::Bytes;
use crate::decode::Entry;
use crate::error::Result;
use crate::restart::{Counters, Mark, Unreadable};
use crate::restart::{Footer, Point};

/// So many sync points of a file are read.
const MOST_POINTS: usize = 1 << 20;

/// The streams of a file.
#[derive(Debug, Default)]
pub(super) struct Chain {
    streams: Vec<Part>,
}

/// A stream in a file.
#[derive(Debug)]
struct Part {
    start: u64,
    base: Counters,
    /// As its footer has them.
    points: Vec<Point>,
}

/// Why there is no chain.
pub(super) enum Broken {
    /// There is no footer at the end.
    None,
    /// There is one, but not for all of the file.
    Because(&'static str),
}

impl Chain {
    /// Walks back through the footers; their streams must be the whole file.
    pub(super) fn find(bytes: &mut Bytes) -> Result<std::result::Result<Self, Broken>> {
        let broken = |why| Ok(Err(Broken::Because(why)));
        let (mut footers, mut count, mut end) = (Vec::new(), 0, bytes.len());
        while end > 0 {
            let footer = match Footer::find(bytes, end)? {
                Some(Ok(footer)) => footer,
                None if footers.is_empty() => return Ok(Err(Broken::None)),
                None => return broken("the part before its last stream has no footer"),
                Some(Err(Unreadable::Damaged)) => return broken("one of its footers is damaged"),
                Some(Err(Unreadable::Version(_))) => return broken("one of its footers has a newer version"),
            };
            count += footer.points.len();
            let Some(start) = end.checked_sub(footer.length).filter(|_| count <= MOST_POINTS) else {
                return broken("its footer belongs to other bytes");
            };
            footers.push((start, footer));
            end = start;
        }
        let mut chain = Chain::default();
        let mut base = Counters::default();
        for (start, footer) in footers.into_iter().rev() {
            let Some(end) = footer.end.after(base) else {
                return broken("its footers count more rows than possible");
            };
            chain.streams.push(Part { start, base, points: footer.points });
            base = end;
        }
        Ok(if chain.streams.is_empty() { Err(Broken::None) } else { Ok(chain) })
    }

    /// All sync points, counted from the start of the file.
    pub(super) fn points(&self) -> Vec<Point> {
        let of = |part: &Part| {
            let (start, base) = (part.start, part.base);
            let absolute = move |point: &Point| {
                let counters = point.counters.after(base)?;
                Some(Point { offset: start + point.offset, counters })
            };
            part.points.iter().filter_map(absolute).collect::<Vec<_>>()
        };
        self.streams.iter().flat_map(of).collect()
    }

    /// Whether a stream begins at this byte.
    pub(super) fn begins_stream(&self, offset: u64) -> bool {
        self.streams.binary_search_by_key(&offset, |part| part.start).is_ok()
    }

    /// Where the stream begins that this byte is in.
    pub(super) fn start_of(&self, offset: u64) -> Option<u64> {
        self.part(offset).map(|part| part.start)
    }

    /// What a reader needs that begins at this sync point, of a stream with these options.
    pub(super) fn entry(&self, offset: u64, options: Vec<u8>) -> Option<Entry> {
        let streams = self.number(offset)?;
        let part = self.streams.get(streams)?;
        let ordinal = part.points.binary_search_by_key(&(offset - part.start), |point| point.offset).ok()?;
        let mark = Mark { ordinal: ordinal as u64, counters: part.points[ordinal].counters, footer: true };
        let streams = streams as u64;
        Some(Entry { offset, mark, start: part.start, base: part.base, streams, options })
    }

    fn part(&self, offset: u64) -> Option<&Part> {
        self.streams.get(self.number(offset)?)
    }

    /// Which stream this byte is in.
    fn number(&self, offset: u64) -> Option<usize> {
        self.streams.partition_point(|part| part.start <= offset).checked_sub(1)
    }
}
