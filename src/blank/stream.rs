//! Streams: a file can hold several, and a position is another node in each of them.
//!
//! `cat a.jelly b.jelly` is a file of two streams. The decoder puts the number of the stream before the positions of the
//! second and later ones (`s0000000000000001_anon-0`), so that whoever takes rows, of the file or of a part, never
//! takes two nodes for one. A position that has such a number already gets that of its own stream, too: two nodes of a
//! file never get one label.

use super::position::{ANONYMOUS, is_position};

/// What numbers of streams begin with; the scope of a source seldom does.
const NUMBERED: &str = "s00000000";

/// Whether a label is a position without the scope of a source, which another file may have for another node.
#[inline]
pub(crate) fn is_bare_position(label: &str) -> bool {
    (label.starts_with(ANONYMOUS) || label.starts_with(NUMBERED)) && is_position(label)
}

/// A stream of a file, by its number; the first is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamNumber(pub(crate) u64);

impl StreamNumber {
    /// Whether a label needs the number before it.
    #[inline]
    pub(crate) fn is_for(self, label: &str) -> bool {
        (label.starts_with(NUMBERED) || self.0 > 0 && label.starts_with(ANONYMOUS)) && is_position(label)
    }

    /// The label behind the number.
    #[cold]
    pub(crate) fn before(self, label: &str) -> String {
        format!("s{:016x}_{label}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
