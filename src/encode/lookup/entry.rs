//! Entries of a table, side by side: what a known text needs lies in one line of the cache.

use crate::buffer::copy;

/// A text and what is known of it.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Entry {
    text: Text,
    pub(super) hash: u32,
    /// The next entry in the chain of its hash; 0 is none.
    pub(super) next: u32,
    /// An IRI that ends so may split in it.
    pub(super) may_split: bool,
    /// An IRI that begins, ends or is so may stand between `<` and `>` as it is.
    pub(super) plain: bool,
}

/// Bytes that a short text may have, so that an entry has 64.
const SHORT: usize = 46;

/// Nearly all texts are short. Each would else be a piece of memory of its own, anywhere.
#[derive(Debug)]
enum Text {
    Short { length: u8, bytes: [u8; SHORT] },
    Long(Vec<u8>),
}

impl Default for Text {
    fn default() -> Self {
        Text::Short { length: 0, bytes: [0; SHORT] }
    }
}

impl Entry {
    /// Entry 0, of no text.
    pub(super) fn none() -> Self {
        Entry { plain: true, ..Entry::default() }
    }

    #[inline(always)]
    pub(super) fn text(&self) -> &[u8] {
        match &self.text {
            Text::Short { length, bytes } => &bytes[..usize::from(*length)],
            Text::Long(text) => text,
        }
    }

    /// Replaces the text; gives memory back where it held far more.
    pub(super) fn set_text(&mut self, text: &[u8]) {
        if text.len() > SHORT {
            return self.set_long(text);
        }
        if let Text::Long(_) = self.text {
            self.text = Text::default();
        }
        if let Text::Short { length, bytes } = &mut self.text {
            *length = text.len() as u8;
            copy(bytes, text);
        }
    }

    #[cold]
    fn set_long(&mut self, text: &[u8]) {
        match &mut self.text {
            Text::Long(held) if held.capacity() / 4 <= text.len() + 64 => {
                held.clear();
                held.extend_from_slice(text);
            }
            other => *other = Text::Long(text.to_vec()),
        }
    }

    /// Bytes of memory for the text.
    pub(super) fn held(&self) -> usize {
        match &self.text {
            Text::Short { length, .. } => usize::from(*length),
            Text::Long(text) => text.capacity(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_holds_texts_of_any_length() {
        assert_eq!(size_of::<Entry>(), 64);
        let texts: Vec<_> = (0..500).map(|length| vec![b'a' + (length % 26) as u8; length]).collect();
        let mut entry = Entry::default();
        for (first, second) in texts.iter().zip(texts.iter().rev()) {
            for text in [first, second] {
                entry.set_text(text);
                assert_eq!(entry.text(), text);
                assert!(entry.held() >= text.len() && entry.held() / 4 <= text.len() + 64);
            }
        }
    }
}
