//! Memory of batches that nobody holds any more, for the next ones.
//!
//! A consumer that looks at one batch after the other gives each back before long. Filling the same pages
//! again saves the time of asking the system for fresh ones, which is a quarter of making a batch.

use arrow_buffer::{ArrowNativeType, Buffer};

/// The buffers given out last, of one column. Two: a consumer may hold a batch until it has the next.
pub(super) struct Spare<T> {
    given: [Option<Buffer>; 2],
    /// What the last one needed.
    room: usize,
    of: std::marker::PhantomData<T>,
}

impl<T> Default for Spare<T> {
    fn default() -> Self {
        Spare { given: [None, None], room: 0, of: std::marker::PhantomData }
    }
}

impl<T: ArrowNativeType + Default> Spare<T> {
    /// Makes a buffer that is to come back; `room` values are enough for another like it.
    pub(super) fn give(&mut self, values: Vec<T>, room: usize) -> Buffer {
        let buffer = Buffer::from_vec(values);
        self.given.swap(0, 1);
        self.given[0] = Some(buffer.clone());
        self.room = room;
        buffer
    }

    /// A vector for the next buffer, whatever is in it: one that came back, or a fresh one. Asked for when
    /// the first row comes, for by then the last batch is often gone.
    pub(super) fn take(&mut self) -> Vec<T> {
        for given in &mut self.given {
            match given.take().map(Buffer::into_vec) {
                Some(Ok(values)) if values.len() / 4 <= self.room => return values,
                Some(Err(held)) => *given = Some(held),
                _ => {}
            }
        }
        vec![T::default(); self.room]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_back_once_nobody_holds_it() {
        let mut spare = Spare::<u8>::default();
        let first = spare.give(vec![7; 1000], 1000);
        let address = first.as_ptr();
        let second = spare.give(vec![8; 900], 900);
        let third = spare.take();
        assert_ne!(third.as_ptr(), address, "held");
        drop(first);
        let fourth = spare.take();
        assert_eq!(fourth.as_ptr(), address);
        drop(spare.give(fourth, 10));
        let fifth = spare.take();
        assert_eq!(fifth.len(), 10, "far too large");
        assert_eq!(second.as_slice(), [8; 900]);
    }
}
