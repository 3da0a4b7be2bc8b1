//! Memory of batches that nobody holds any more, for the next ones, of this reader or another.
//!
//! Asking the system for fresh pages takes a quarter of making a batch, and half of reading a short file. So
//! the last holder of a column gives its memory back here.

use std::collections::BTreeMap;
use std::sync::Mutex;

use arrow_buffer::{ArrowNativeType, Buffer, ToByteSlice};

/// Idle vectors of one type.
pub(super) struct Idle<T> {
    /// By length, and of one length by when they came back.
    vectors: BTreeMap<(usize, u64), Vec<T>>,
    /// Their lengths, by when they came back.
    lengths: BTreeMap<u64, usize>,
    came: u64,
    bytes: usize,
}

/// Bytes of idle memory of one type that a process keeps at most.
const MOST: usize = 16 << 20;

impl<T: ArrowNativeType + Default> Idle<T> {
    const fn new() -> Self {
        Idle { vectors: BTreeMap::new(), lengths: BTreeMap::new(), came: 0, bytes: 0 }
    }

    /// The shortest of those that hold `room` values and not far more, of equal ones the last that came back.
    fn take(&mut self, room: usize) -> Option<Vec<T>> {
        // a column that knows nothing yet takes the longest
        let length = match room {
            0 => self.vectors.last_key_value()?.0.0,
            _ => self.vectors.range((room, 0)..(room.saturating_add(1).saturating_mul(4), 0)).next()?.0.0,
        };
        // what came back last is still in the caches
        let &(_, came) = self.vectors.range((length, 0)..=(length, u64::MAX)).next_back()?.0;
        self.remove(length, came)
    }

    fn remove(&mut self, length: usize, came: u64) -> Option<Vec<T>> {
        self.lengths.remove(&came);
        let values = self.vectors.remove(&(length, came))?;
        self.bytes -= bytes_of(&values);
        Some(values)
    }

    /// Keeps a vector, instead of those that came back before it.
    fn keep(&mut self, values: Vec<T>) {
        let bytes = bytes_of(&values);
        if bytes == 0 || bytes > MOST {
            return;
        }
        self.bytes += bytes;
        self.came += 1;
        self.lengths.insert(self.came, values.len());
        self.vectors.insert((values.len(), self.came), values);
        while self.bytes > MOST
            && let Some((&oldest, &length)) = self.lengths.first_key_value()
        {
            self.remove(length, oldest);
        }
    }
}

fn bytes_of<T>(values: &Vec<T>) -> usize {
    values.capacity() * size_of::<T>()
}

/// A type of values that columns are made of.
pub(super) trait Pooled: ArrowNativeType + Default + ToByteSlice + Sync {
    /// Where its idle vectors are.
    fn idle() -> &'static Mutex<Idle<Self>>;
}

macro_rules! pooled {
    ($($name:ident)*) => {
        $(impl Pooled for $name {
            fn idle() -> &'static Mutex<Idle<Self>> {
                static IDLE: Mutex<Idle<$name>> = Mutex::new(Idle::new());
                &IDLE
            }
        })*
    };
}

pooled!(u8 i32 i64);

/// A vector of at least `room` values, of any content: one that came back, or a fresh one.
pub(super) fn take<T: Pooled>(room: usize) -> Vec<T> {
    // never waits: another thread may hold the lock, and did perhaps when this process was forked
    let idle = T::idle().try_lock().ok().and_then(|mut idle| idle.take(room));
    idle.unwrap_or_else(|| vec![T::default(); room])
}

/// Makes a buffer of the vector, which comes back when the last holder lets go.
pub(super) fn lend<T: Pooled>(values: Vec<T>) -> Buffer {
    Buffer::from(bytes::Bytes::from_owner(Lent(values)))
}

struct Lent<T: Pooled>(Vec<T>);

impl<T: Pooled> AsRef<[u8]> for Lent<T> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_slice().to_byte_slice()
    }
}

impl<T: Pooled> Drop for Lent<T> {
    fn drop(&mut self) {
        if let Ok(mut idle) = T::idle().try_lock() {
            idle.keep(std::mem::take(&mut self.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_fits_comes_back() {
        let mut idle = Idle::<u8>::new();
        for length in [1000, 100, 5000] {
            idle.keep(vec![7; length]);
        }
        assert_eq!(idle.take(1001), None, "too small, or far too large");
        assert_eq!(idle.take(0).unwrap().len(), 5000, "the largest");
        assert_eq!(idle.take(500).unwrap().len(), 1000);
        assert_eq!((idle.take(50).unwrap().len(), idle.bytes), (100, 0));
    }

    #[test]
    fn of_many_the_smallest_comes_that_fits_and_of_equal_ones_the_last() {
        let mut idle = Idle::<i32>::new();
        for value in 0..10 {
            for length in [2000, 1499, 2500, 6004] {
                idle.keep(vec![value; length]);
            }
        }
        for length in [2000, 2500] {
            for value in (0..10).rev() {
                let found = idle.take(1500).unwrap();
                assert_eq!((found.len(), found[0]), (length, value));
            }
        }
        assert!(idle.take(1500).is_none());
    }

    #[test]
    fn idle_memory_is_bounded() {
        let mut idle = Idle::<i64>::new();
        for _ in 0..100 {
            idle.keep(vec![0; MOST / 80]);
        }
        assert!(idle.bytes <= MOST && idle.vectors.len() == 10, "{}", idle.vectors.len());
        idle.keep(vec![0; MOST]);
        assert_eq!(idle.vectors.len(), 10);
    }

    #[test]
    fn memory_comes_back_once_nobody_holds_it() {
        // no other test in this program asks for so much
        let room = 3 << 20;
        let values = vec![7u8; room];
        let address = values.as_ptr();
        let first = lend(values);
        let second = first.clone();
        drop(first);
        let other = take::<u8>(room);
        assert_ne!(other.as_ptr(), address, "held");
        assert_eq!(second.as_slice(), vec![7; room]);
        drop(second);
        let third = take::<u8>(room);
        assert_eq!(third.as_ptr(), address);
    }
}
