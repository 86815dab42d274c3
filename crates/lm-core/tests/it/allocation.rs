//! An allocator that counts, so that tests can hold a decoder to its bound.
//!
//! It counts for each thread on its own: tests that run side by side do not disturb each other, and work that is
//! handed to other threads is not seen.

// An allocator cannot be written without `unsafe`: the trait is an unsafe one. It is used by tests only, and every
// call is handed on to the system's allocator unchanged.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

/// Counts bytes; does nothing while a thread ends and its counters are gone.
fn count(bytes: isize) {
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// SAFETY: every method hands its arguments on to `System`, which upholds the contract of the trait, and only counts
// beside that; the counters are plain cells that allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promise about `layout` is the one that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as for `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: `pointer` came from `System`, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Old and new block may both be there for a moment.
        count(size as isize);
        // SAFETY: `pointer` came from `System`, with this layout, and the caller checked `size`.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        count(-(layout.size() as isize));
        moved
    }
}

/// The largest number of bytes that `work` held at one time on this thread, beyond what was held before.
pub(crate) fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = work();
    (result, usize::try_from(PEAK.get() - before).unwrap_or(0))
}

#[test]
fn the_peak_is_counted_and_not_the_sum() {
    let (_, bytes) = peak(|| {
        drop(vec![0_u8; 1 << 20]);
        drop(vec![0_u8; 1 << 21]);
    });
    assert!((1 << 21..(1 << 21) + 4096).contains(&bytes), "{bytes}");
}
