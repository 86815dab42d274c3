//! Large pages for large arrays: the first touch of a page costs more than the arithmetic that fills it.
#![allow(unsafe_code)] // One call of the system, which changes no contents; see the SAFETY line.

/// Arrays below this size are left alone.
#[cfg(target_os = "linux")]
const LARGE: usize = 4 << 20;

/// Asks the system to back an array with large pages, where it is large and they exist. Nothing depends on the answer.
#[cfg(target_os = "linux")]
pub(crate) fn prefer_large<T>(array: &mut [T]) {
    use std::ffi::{c_int, c_void};

    unsafe extern "C" {
        fn madvise(start: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    const MADV_HUGEPAGE: c_int = 14;
    const PAGE: usize = 4096;
    let (start, size) = (array.as_mut_ptr() as usize, size_of_val(array));
    if size < LARGE {
        return;
    }
    // The whole pages within the array.
    let (first, end) = (start.next_multiple_of(PAGE), (start + size) / PAGE * PAGE);
    // SAFETY: the range lies within an array that is borrowed here, and the advice leaves its contents as they are.
    let _ = unsafe { madvise(first as *mut c_void, end - first, MADV_HUGEPAGE) };
}

/// Elsewhere, the system decides by itself.
#[cfg(not(target_os = "linux"))]
pub(crate) fn prefer_large<T>(_: &mut [T]) {}
