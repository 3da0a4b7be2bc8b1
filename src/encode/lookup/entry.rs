//! The entries of a table, in contiguous memory: the data for a known text is in one cache line.

use crate::buffer::copy;

/// A text and its properties.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Entry {
    text: Text,
    pub(super) hash: u32,
    /// The next entry in the hash chain; 0 means none.
    pub(super) next: u32,
    /// Whether an IRI that ends with this text may be split inside it.
    pub(super) may_split: bool,
    /// Whether an IRI that begins or ends with this text, or is equal to it, needs no escapes between `<` and
    /// `>`.
    pub(super) plain: bool,
}

/// Maximum size of a short text, so that an entry has 64 bytes.
const SHORT: usize = 46;

/// The text, stored in the entry if it is short, as nearly all texts are, to avoid a separate allocation.
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
    /// Entry 0, which has no text.
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

    /// Replaces the text; frees memory if much more was allocated than needed.
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

    /// Bytes of memory allocated for the text.
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
