//! Counts what a thread allocates while no other thread is counted: readers give each other memory of their batches.
#![expect(unsafe_code, reason = "an allocator can only be wrapped so")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

/// From this size on a block that grows moves by its pages, without a copy.
const LARGE: usize = 1 << 20;

thread_local! {
    /// Below zero where a thread frees what another allocated.
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

static ONE: Mutex<()> = Mutex::new(());

/// The most that this thread has allocated at a time while it works, beyond what it had before.
pub fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let before = NOW.get();
    PEAK.set(before);
    let done = work();
    (done, (PEAK.get() - before) as usize)
}

fn grow(bytes: usize) {
    let now = NOW.get() + bytes as isize;
    NOW.set(now);
    PEAK.set(PEAK.get().max(now));
}

fn shrink(bytes: usize) {
    NOW.set(NOW.get() - bytes as isize);
}

// SAFETY: all work is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.size() < LARGE {
            grow(size);
            shrink(layout.size());
        } else {
            grow(size.saturating_sub(layout.size()));
            shrink(layout.size().saturating_sub(size));
        }
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        shrink(layout.size());
        unsafe { System.dealloc(block, layout) };
    }
}
