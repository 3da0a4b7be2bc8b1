//! Memory of batches that nobody holds any more, for the next ones, of this reader or another.
//!
//! Asking the system for fresh pages takes a quarter of making a batch, and half of reading a short file. So
//! the last holder of a column gives its memory back here.

use std::collections::VecDeque;
use std::sync::Mutex;

use arrow_buffer::{ArrowNativeType, Buffer, ToByteSlice};

/// Idle vectors of one type, in the order in which they came back.
pub(super) struct Idle<T> {
    vectors: VecDeque<Vec<T>>,
    bytes: usize,
}

/// Bytes of idle memory of one type that a process keeps at most.
const MOST: usize = 16 << 20;
/// Idle vectors of one type that it keeps at most.
const MOST_VECTORS: usize = 1024;
/// So many that came back last may still be in the caches: two batches.
const RECENT: usize = 16;
/// Larger ones, in bytes, are in no cache.
const CACHED: usize = 2 << 20;

impl<T: ArrowNativeType + Default> Idle<T> {
    const fn new() -> Self {
        Idle { vectors: VecDeque::new(), bytes: 0 }
    }

    /// One that holds `room` values: the last that came back and has little more, or the shortest that has not far more.
    ///
    /// Writing to memory that is in no cache takes a quarter longer.
    fn take(&mut self, room: usize) -> Option<Vec<T>> {
        let (length, all) = (|&at: &usize| self.vectors[at].len(), 0..self.vectors.len());
        let recent = all.end.saturating_sub(RECENT)..all.end;
        let at = match room {
            // a column that knows nothing yet takes the longest
            0 => all.max_by_key(length)?,
            _ => {
                let fits_caches = room <= CACHED / size_of::<T>();
                let is_near =
                    |at: &usize| fits_caches && (room..=room.saturating_add(room / 4)).contains(&length(at));
                let holds = |at: &usize| (room..=room.saturating_mul(4)).contains(&length(at));
                recent.rev().find(is_near).or_else(|| all.rev().filter(holds).min_by_key(length))?
            }
        };
        let values = self.vectors.remove(at)?;
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
        self.vectors.push_back(values);
        while self.bytes > MOST || self.vectors.len() > MOST_VECTORS {
            self.bytes -= self.vectors.pop_front().as_ref().map_or(0, bytes_of);
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
    fn what_came_back_last_is_in_the_caches() {
        let mut idle = Idle::<i32>::new();
        idle.keep(vec![20; 1700]);
        for value in 0..20 {
            for length in [2000, 1499, 2500, 6001] {
                idle.keep(vec![value; length]);
            }
        }
        // of the last ones those that fit, of older ones the shortest
        let found: Vec<_> = (0..6).map(|_| idle.take(1600).map(|found| (found.len(), found[0]))).collect();
        let last = [19, 18, 17, 16, 15].map(|value| Some((2000, value)));
        assert_eq!((&found[..5], found[5]), (&last[..], Some((1700, 20))));
        assert_eq!(
            idle.take(0).map(|found| (found.len(), found[0])),
            Some((6001, 19)),
            "the longest of them"
        );
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
