//! Streams: a file can have several, and a positional label is another node in each of them.
//!
//! `cat a.jelly b.jelly` is a file of two streams. The decoder puts the number of the stream before the positions of the
//! second and later ones (`s0000000000000001_anon-0`), so that readers of the file or of a part never confuse
//! two nodes. A position that has such a number already gets that of its own stream, too: two nodes of a
//! file never get one label.

use super::position::{ANONYMOUS, is_position};

/// What numbers of streams begin with; the scope of a source seldom does.
const NUMBERED: &str = "s00000000";

/// Set in the numbers of streams behind the lost start of a log. Positions get such a number in two pieces, the first of
/// which is the number of no other stream, because it is too large to be counted to.
const AFTER_LOSS: u64 = 1 << 61;
/// A message has fewer streams.
const STREAMS_OF_MESSAGE: u32 = 22;
const PIECE: u32 = 31;

/// Whether a label is a position without the scope of a source, which another file may have for another node.
#[inline]
pub(crate) fn is_bare_position(label: &str) -> bool {
    (label.starts_with(ANONYMOUS) || label.starts_with(NUMBERED)) && is_position(label)
}

/// A stream of a file, by its number; the first is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamNumber(pub(crate) u64);

impl StreamNumber {
    /// The first stream that begins at this message of a log or later, where what came before is lost: no stream that was
    /// read before the loss had its number, nor has one behind a later loss.
    pub(crate) fn after_loss(message: u64) -> Option<Self> {
        (message < AFTER_LOSS >> STREAMS_OF_MESSAGE)
            .then_some(StreamNumber(AFTER_LOSS | message << STREAMS_OF_MESSAGE))
    }

    /// Whether a label needs the number before it.
    #[inline]
    pub(crate) fn is_for(self, label: &str) -> bool {
        (label.starts_with(NUMBERED) || self.0 > 0 && label.starts_with(ANONYMOUS)) && is_position(label)
    }

    /// The label behind the number.
    #[cold]
    pub(crate) fn before(self, label: &str) -> String {
        if self.0 & AFTER_LOSS == 0 {
            return format!("s{:016x}_{label}", self.0);
        }
        format!("s{:016x}_s{:016x}_{label}", self.0 >> PIECE, self.0 & ((1 << PIECE) - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that comes later puts the scope of its source before them, as before `anon-0`.
    #[test]
    fn streams_after_a_loss_have_labels_of_their_own() {
        let last = (AFTER_LOSS >> STREAMS_OF_MESSAGE) - 1;
        assert_eq!(StreamNumber::after_loss(last + 1), None);
        let mut found = Vec::new();
        for message in [0, 1, 511, 512, 1 << 20, last] {
            let first = StreamNumber::after_loss(message).expect("a number");
            assert!(first.0 >> 62 == 0, "a snapshot can hold it");
            for number in [first, StreamNumber(first.0 + (1 << STREAMS_OF_MESSAGE) - 1)] {
                let label = number.before("anon-0");
                assert!(is_bare_position(&label), "{label}");
                found.push(label);
            }
        }
        let high = StreamNumber::after_loss(512).expect("a number").0 >> PIECE;
        found.extend([0, 1, 1 << 29].map(|number| StreamNumber(number).before("s0000000000000000_anon-0")));
        assert!(high >= 1 << 30 && high >> 32 == 0);
        let count = found.len();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), count);
    }

    /// Two nodes of a file never get one label, with any labels in its streams.
    #[test]
    fn labels_of_streams_differ() {
        let written = ["anon-0", "anon-1", "x", "s0123456789abcdef_anon-0"].map(str::to_owned);
        let read = |labels: &[String], number| {
            let number = StreamNumber(number);
            let of = |label: &String| if number.is_for(label) { number.before(label) } else { label.clone() };
            labels.iter().map(of).collect::<Vec<_>>()
        };
        let kept = |label: &String| !is_bare_position(label);
        let mut file = read(&written, 0);
        assert_eq!(file, written, "the first stream keeps its labels");
        // files are put end to end, converted, and put end to end again
        for round in 0..3 {
            let streams: Vec<Vec<String>> = (0..3).map(|number| read(&file, number)).collect();
            let (mut all, nodes) = (streams.concat(), 3 * file.len());
            let names = file.iter().filter(|label| kept(label)).count();
            assert!(all.iter().all(|label| is_position(label) || written.contains(label)), "{all:?}");
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), nodes - 2 * names, "round {round}: names are those of the file");
            file = all;
        }
    }
}
