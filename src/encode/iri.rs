//! IRIs: where they are split, and ids, which can be relative to the previous IRI.

use super::bytes::{may_split, place_of, same};
use super::lookup::Lookups;
use super::row::Rows;
use crate::error::Result;
use crate::scan::starts_plainly;

/// Prefix and name id on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WireIri {
    pub(crate) prefix: u32,
    pub(crate) name: u32,
}

/// The state from which the ids of the next IRI are derived.
#[derive(Debug)]
pub(crate) struct IriState {
    /// The ids of the last IRI.
    last: Ids,
    /// The ids of the last IRI before the row.
    before: Ids,
    /// The last prefix at each place; 0 if there was none yet.
    near: [u32; PLACES],
    /// The ids of recent IRIs, by a weak hash of their text. A match is compared with the tables.
    known: Vec<Ids>,
}

/// The ids of an IRI; name 0 means none.
#[derive(Clone, Copy, Debug, Default)]
struct Ids {
    prefix: u32,
    name: u32,
}

/// Number of known IRIs: this many for each name, and the minimum and maximum.
const KNOWN: [usize; 3] = [4, 1 << 8, 1 << 13];

/// Subject, predicate, object, graph, header or namespace.
const PLACES: usize = 5;

impl IriState {
    /// Creates the state at the start of a stream.
    pub(crate) fn new() -> Self {
        IriState { last: Ids::default(), before: Ids::default(), near: [0; PLACES], known: Vec::new() }
    }

    /// Makes the ids of the next IRI explicit.
    pub(crate) fn restart(&mut self) {
        *self = IriState { last: Ids { prefix: 0, name: u32::MAX }, ..IriState::new() };
    }

    /// Begins a row.
    #[inline(always)]
    pub(crate) fn begin_row(&mut self) {
        self.before = self.last;
    }

    /// Removes the row; entries that were set stay.
    pub(crate) fn cut(&mut self) {
        self.last = self.before;
    }

    /// The ids of an IRI; entries that must be set are added to `rows`.
    #[inline(always)]
    pub(crate) fn ids(
        &mut self,
        iri: &[u8],
        place: usize,
        lookups: &mut Lookups,
        rows: &mut Rows,
    ) -> Result<WireIri> {
        let at = place_of(iri);
        Ok(match self.known(iri, at, lookups, false) {
            Some(ids) => ids,
            None => self.look_up(iri, at, place, lookups, rows)?,
        })
    }

    /// Like [`Self::ids`], for an unchecked IRI, if it needs no escapes between `<` and `>`. A known IRI was
    /// checked when its pieces became entries.
    #[inline(always)]
    pub(crate) fn ids_of_text(
        &mut self,
        iri: &[u8],
        place: usize,
        lookups: &mut Lookups,
        rows: &mut Rows,
    ) -> Option<WireIri> {
        let at = place_of(iri);
        match self.known(iri, at, lookups, true) {
            Some(ids) => Some(ids),
            None if starts_plainly(iri) => self.look_up(iri, at, place, lookups, rows).ok(),
            None => None,
        }
    }

    /// The ids of a recently used IRI; `plain`: only if it needs no escapes between `<` and `>`.
    #[inline(always)]
    fn known(&mut self, iri: &[u8], at: usize, lookups: &mut Lookups, plain: bool) -> Option<WireIri> {
        let known = *self.known.get(at & self.known.len().wrapping_sub(1))?;
        lookups.have(known.prefix, known.name, iri, plain).then(|| self.wire(known))
    }

    /// Converts ids to their form on the wire.
    #[inline(always)]
    fn wire(&mut self, ids: Ids) -> WireIri {
        let Ids { prefix, name } = ids;
        let last = std::mem::replace(&mut self.last, ids);
        WireIri {
            prefix: if prefix == last.prefix { 0 } else { prefix },
            name: if name == last.name.wrapping_add(1) { 0 } else { name },
        }
    }

    /// Looks up the ids of an IRI that may be new.
    #[inline(never)]
    fn look_up(
        &mut self,
        iri: &[u8],
        at: usize,
        place: usize,
        lookups: &mut Lookups,
        rows: &mut Rows,
    ) -> Result<WireIri> {
        let (mut prefix, mut name) = (0, iri);
        if !lookups.prefixes.is_off() {
            let near = self.near[place];
            if near != 0
                && let Some(rest) = strip(iri, lookups.prefixes.text(near))
            {
                lookups.prefixes.touch(near);
                (prefix, name) = (near, rest);
            } else {
                let (start, rest) = iri.split_at(split(iri));
                (prefix, name) = (lookups.prefixes.id(start, rows)?, rest);
                self.near[place] = prefix;
            }
        }
        let ids = Ids { prefix, name: lookups.names.id(name, rows)? };
        let [each, least, most] = KNOWN;
        let places = (each * ids.name as usize).next_power_of_two().clamp(least, most);
        if self.known.len() < places {
            self.known = vec![Ids::default(); places];
        }
        let last = self.known.len() - 1;
        self.known[at & last] = ids;
        Ok(self.wire(ids))
    }
}

/// The start of the name: after the first `#` at index 8 or later, otherwise after the last `/`; otherwise
/// the whole IRI is the name.
#[inline(never)]
fn split(iri: &[u8]) -> usize {
    const SCHEME: usize = 8;
    let hash = iri.get(SCHEME..).and_then(|rest| memchr::memchr(b'#', rest)).map(|at| at + SCHEME);
    hash.or_else(|| memchr::memrchr(b'/', iri)).map_or(0, |at| at + 1)
}

/// The name, if the IRI certainly splits after this prefix, after which another IRI was split.
#[inline(always)]
fn strip<'a>(iri: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    let (start, name) = iri.split_at_checked(prefix.len())?;
    // an IRI always splits at its first `#`, and at a `/` only if nothing after it splits
    let splits = same(start, prefix) && (prefix.last() == Some(&b'#') || !may_split(name));
    splits.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::TableSizes;

    #[test]
    fn split_as_jelly_jvm_does() {
        for (iri, prefix) in [
            ("http://example.org/a#b#c/d", "http://example.org/a#"),
            ("http://example.org/a/b", "http://example.org/a/"),
            ("http://", "http://"),
            ("https://#a", "https://#"),
            ("http://#a", "http://"),
            ("urn:a#b", ""),
            ("urn:abcd#b", "urn:abcd#"),
            ("urn:a#b/c", "urn:a#b/"),
            ("urn:uuid:1", ""),
            ("", ""),
            ("#", ""),
            ("/", "/"),
        ] {
            assert_eq!(split(iri.as_bytes()), prefix.len(), "{iri}");
        }
    }

    /// All short strings of the characters that matter, with every prefix that one of them has.
    #[test]
    fn a_known_prefix_gives_the_same_split() {
        let mut iris = vec![String::new()];
        for start in ["", "urn:a/", "urn:ab", "urn:abc"] {
            for n in 0..4usize.pow(5) {
                let tail: String = (0..5).map(|at| ["a", "#", "/", "+"][n >> (2 * at) & 3]).collect();
                iris.extend((0..=5).map(|length| format!("{start}{}", &tail[..length])));
            }
        }
        iris.sort();
        iris.dedup();
        let mut prefixes: Vec<&[u8]> =
            iris.iter().map(|iri| &iri.as_bytes()[..split(iri.as_bytes())]).collect();
        prefixes.sort_unstable();
        prefixes.dedup();
        let mut quick = 0;
        for iri in iris.iter().map(String::as_bytes) {
            for prefix in &prefixes {
                if let Some(name) = strip(iri, prefix) {
                    assert_eq!(iri.len() - name.len(), split(iri), "{}", String::from_utf8_lossy(iri));
                    quick += 1;
                }
            }
        }
        assert!(prefixes.len() > 500 && quick > 2000, "{} {quick}", prefixes.len());
    }

    /// A table with few entries, so that ids get other texts and other pieces of the same IRI.
    #[test]
    fn known_iris_have_the_ids_that_they_would_have_anew() {
        let tables = TableSizes { names: 6, prefixes: 3, datatypes: 1 };
        let new = || (IriState::new(), Lookups::new(tables, 1 << 20), Rows::new(9));
        let ((mut quick, mut ours, mut rows), (mut slow, mut theirs, mut expected)) = (new(), new());
        let pieces = ["urn:some:a#", "urn:some:a/", "urn:some:", "b/", "b/c", "c", "", "d#e"];
        let (mut seed, mut known) = (7usize, 0);
        for _ in 0..50_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let iri = [40, 45, 50].map(|bit| pieces[seed >> bit & 7]).concat();
            ours.begin_row();
            theirs.begin_row();
            slow.known.clear();
            let entries = rows.count();
            let found = quick.ids(iri.as_bytes(), seed >> 60 & 3, &mut ours, &mut rows).unwrap();
            let anew = slow.ids(iri.as_bytes(), seed >> 60 & 3, &mut theirs, &mut expected).unwrap();
            assert_eq!((found, rows.as_bytes()), (anew, expected.as_bytes()), "{iri}");
            known += usize::from(rows.count() == entries);
            if rows.count() > 100 {
                rows.clear();
                expected.clear();
            }
        }
        assert!((1000..49_000).contains(&known), "{known}");
    }
}
