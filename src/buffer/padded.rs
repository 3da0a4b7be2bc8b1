//! Text with spare bytes behind it, so that it is copied in whole blocks.

use super::copy;

/// The spare bytes, and the size of a block.
pub(super) const PAD: usize = 32;
const SPARE: &str = "                                ";

/// Text with spare bytes behind it, which do not belong to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Padded<'a>(&'a [u8]);

impl<'a> Padded<'a> {
    /// What opens an IRI without a prefix.
    pub(crate) const ANGLE: Padded<'static> = Padded(b"<                                ");
    /// What ends a literal.
    pub(crate) const QUOTE: Padded<'static> = Padded(b"\"                                ");
    /// What comes before a datatype.
    pub(crate) const DATATYPE: Padded<'static> = Padded(b"\"^^<                                ");
    /// What comes before a language tag.
    pub(crate) const LANGUAGE: Padded<'static> = Padded(b"\"@                                ");

    /// A part of a text that goes on far enough behind it.
    #[inline(always)]
    pub(crate) fn within(text: &'a str, start: usize, end: usize) -> Option<Self> {
        text.get(start..end)?;
        text.as_bytes().get(start..end + PAD).map(Padded)
    }

    /// The text alone.
    #[inline(always)]
    #[expect(unsafe_code, reason = "checking the text again takes 40 % more instructions of Jelly to Jelly")]
    pub(crate) fn text(self) -> &'a str {
        // SAFETY: all that makes one, here, makes it of a `str` and spare bytes
        unsafe { str::from_utf8_unchecked(self.bytes()) }
    }

    /// The bytes of the text alone.
    #[inline(always)]
    pub(crate) fn bytes(self) -> &'a [u8] {
        &self.0[..self.len()]
    }

    /// Bytes of text.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.0.len() - PAD
    }

    /// Copies to the start of `to`, which has spare bytes too.
    #[inline(always)]
    pub(super) fn copy(self, to: &mut [u8]) {
        let from = self.0;
        to[..PAD].copy_from_slice(&from[..PAD]);
        let mut done = PAD;
        while done < self.len() {
            to[done..done + PAD].copy_from_slice(&from[done..done + PAD]);
            done += PAD;
        }
    }
}

/// Owned [`Padded`]; by default it is not set and must not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PaddedBuf(String);

impl PaddedBuf {
    /// The pieces, one after the other.
    pub(crate) fn new(pieces: &[&str]) -> Self {
        PaddedBuf([&pieces.concat(), SPARE].concat())
    }

    /// Replaces the text; gives memory back where it held far more.
    #[inline(always)]
    pub(crate) fn set(&mut self, before: &'static str, value: &str, after: &'static str) {
        let needed = before.len() + value.len() + after.len() + PAD;
        let held = self.0.capacity();
        if held < needed || held / 4 > needed + 64 {
            // so that the next value finds room
            self.0 = String::with_capacity(needed.next_multiple_of(PAD));
        } else {
            self.0.clear();
        }
        self.0.push_str(before);
        self.0.push_str(value);
        self.0.push_str(after);
        self.0.push_str(SPARE);
    }

    #[inline(always)]
    pub(crate) fn as_padded(&self) -> Padded<'_> {
        Padded(self.0.as_bytes())
    }

    /// Bytes of memory.
    pub(crate) fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

/// A slot of a table for a text, and for what is known `about` it. Nearly all texts are short, and lie in the slot.
///
/// Else each would be a piece of memory of its own. In a process that has used its memory before they would lie far
/// apart, and reading took 1.6 to 2 times as long.
#[derive(Debug, Default)]
#[repr(align(32))]
pub(crate) enum PaddedSlot<A> {
    #[default]
    Unset,
    Short {
        about: A,
        length: u8,
        bytes: [u8; SHORT + PAD],
    },
    Long {
        about: A,
        text: PaddedBuf,
    },
}

/// Bytes that a short text may have, so that a slot has 96.
const SHORT: usize = 60;

impl<A: Copy> PaddedSlot<A> {
    /// Replaces the text.
    #[inline(always)]
    pub(crate) fn set(&mut self, before: &'static str, value: &str, after: &'static str, about: A) {
        let (start, end) = (before.len(), before.len() + value.len());
        let length = end + after.len();
        if length > SHORT {
            return self.set_long(before, value, after, about);
        }
        let mut bytes = [b' '; SHORT + PAD];
        bytes[..start].copy_from_slice(before.as_bytes());
        copy(&mut bytes[start..], value.as_bytes());
        bytes[end..length].copy_from_slice(after.as_bytes());
        *self = PaddedSlot::Short { about, length: length as u8, bytes };
    }

    #[inline(never)]
    fn set_long(&mut self, before: &'static str, value: &str, after: &'static str, about: A) {
        let mut text = match std::mem::take(self) {
            PaddedSlot::Long { text, .. } => text,
            _ => PaddedBuf::default(),
        };
        text.set(before, value, after);
        *self = PaddedSlot::Long { about, text };
    }

    /// The text, if it is set.
    #[inline(always)]
    pub(crate) fn get(&self) -> Option<(Padded<'_>, A)> {
        match self {
            PaddedSlot::Short { about, length, bytes } => {
                Some((Padded(&bytes[..usize::from(*length) + PAD]), *about))
            }
            PaddedSlot::Long { about, text } => Some((text.as_padded(), *about)),
            PaddedSlot::Unset => None,
        }
    }

    /// Bytes of memory for the text.
    pub(crate) fn held(&self) -> usize {
        match self {
            PaddedSlot::Short { length, .. } => (usize::from(*length) + PAD).next_multiple_of(PAD),
            PaddedSlot::Long { text, .. } => text.capacity(),
            PaddedSlot::Unset => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spare_bytes_are_not_text() {
        let texts = [Padded::ANGLE, Padded::QUOTE, Padded::DATATYPE, Padded::LANGUAGE].map(Padded::text);
        assert_eq!(texts, ["<", "\"", "\"^^<", "\"@"]);
        assert_eq!(PaddedBuf::new(&[]).as_padded().len(), 0);
        let text = "aé€".repeat(20);
        for end in 0..text.len() {
            let part = Padded::within(&text, 1, end);
            let is_part = text.get(1..end).filter(|_| end + PAD <= text.len());
            assert_eq!(
                part.map(Padded::text),
                is_part,
                "spare bytes may begin and end in a character: {end}"
            );
        }
    }

    #[test]
    fn a_slot_holds_texts_of_any_length() {
        assert_eq!(size_of::<PaddedSlot<[bool; 2]>>(), 96);
        let texts: Vec<_> = (0..100).map(|length| "é".repeat(length / 2) + &"e".repeat(length % 2)).collect();
        let mut slot = PaddedSlot::default();
        assert!(slot.get().is_none() && slot.held() == 0);
        for (first, second) in texts.iter().zip(texts.iter().rev()) {
            for text in [first, second] {
                slot.set("<", text, ">", [true, text.len() % 2 == 0]);
                let (padded, about) = slot.get().expect("set");
                assert_eq!((padded.text(), about), (&*format!("<{text}>"), [true, text.len() % 2 == 0]));
                assert!(slot.held() >= text.len() + 2 + PAD && slot.held() <= 4 * (text.len() + 2 + 2 * PAD));
            }
        }
    }
}
