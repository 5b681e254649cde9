//! The memory of a running gate: the system's allocator, with small blocks made larger or smaller without waiting for another
//! thread. Knows nothing of what is kept in it.
//!
//! A message is written into a block that grows as it is written. glibc makes a block larger under the lock of the arena
//! that it came from. Blocks wander from one thread to another with what is in them, so two threads that each write a
//! message wait for each other, asleep. Blocks up to a kilobyte each thread keeps some of for itself, and gives and takes
//! them without a lock: so a small one is made larger by taking another, copying, and giving it back.

use std::alloc::{GlobalAlloc, Layout, System};

/// What glibc's threads keep blocks of for themselves, in bytes at most.
const SMALL: usize = 1032;
/// The alignment that every block has by itself.
const USUAL_ALIGN: usize = 2 * size_of::<usize>();

/// The allocator of a program in which a gate runs.
#[derive(Debug, Clone, Copy)]
pub struct Memory;

/// Whether a block is made larger or smaller by another one in its place.
fn is_replaced(block: Layout) -> bool {
    cfg!(all(target_os = "linux", target_env = "gnu")) && block.size() <= SMALL && block.align() <= USUAL_ALIGN
}

// SAFETY: each block is the system's own, from the same layout that it is given back with. A replaced block is a new one
// with as much of the old one in it as both hold; the old one is given back once, and only where there is a new one.
#[expect(unsafe_code, reason = "an allocator can't be written without; see SAFETY")]
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are the same, and every block is the system's.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !is_replaced(layout) {
            // SAFETY: the caller's promises are the same, and every block is the system's.
            return unsafe { System.realloc(block, layout, size) };
        }
        // SAFETY: the caller promises that `size` isn't 0 and, rounded up to the alignment, fits an `isize`.
        let replaced = unsafe { System.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !replaced.is_null() {
            // SAFETY: both blocks hold as many bytes, and are two; the old one is given back as it was taken.
            unsafe {
                std::ptr::copy_nonoverlapping(block, replaced, layout.size().min(size));
                System.dealloc(block, layout);
            }
        }
        replaced
    }
}

/// All tests of this crate run in it.
#[cfg(test)]
#[global_allocator]
static MEMORY: Memory = Memory;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn only_small_blocks_are_replaced() -> Result<(), std::alloc::LayoutError> {
        assert!(is_replaced(Layout::from_size_align(SMALL, 1)?), "each thread keeps such blocks for itself");
        assert!(!is_replaced(Layout::from_size_align(SMALL + 1, 1)?), "and none that are larger");
        Ok(())
    }

    #[test]
    fn what_grows_and_shrinks_keeps_what_it_holds() {
        let mut bytes: Vec<u8> = Vec::new();
        // Past the size from which on the system makes blocks larger.
        for number in 0..5_000_u32 {
            bytes.push(number.to_le_bytes()[0]);
        }
        assert!(bytes.iter().zip(0_u32..).all(|(byte, number)| *byte == number.to_le_bytes()[0]), "each byte stayed");
        for length in [SMALL + 1, SMALL, SMALL - 1, 17, 1] {
            bytes.truncate(length);
            bytes.shrink_to_fit();
            let kept = bytes.iter().zip(0_u32..).all(|(byte, number)| *byte == number.to_le_bytes()[0]);
            assert!(kept && bytes.len() == length, "what is left of it stayed, {length} bytes");
            bytes.reserve_exact(1);
        }
    }

    #[test]
    fn an_alignment_of_its_own_stays_when_a_block_grows() {
        #[derive(Clone, Copy, PartialEq, Debug)]
        #[repr(align(64))]
        struct Wide(u64);
        let mut wide = Vec::new();
        for number in 0..100 {
            wide.push(Wide(number));
            assert_eq!(wide.as_ptr().addr() % 64, 0, "it is where it may be");
        }
        assert!(wide.iter().copied().eq((0..100).map(Wide)), "each stayed");
    }

    #[test]
    fn what_threads_hand_each_other_while_it_grows_stays_whole() {
        let (sender, receiver) = std::sync::mpsc::channel::<String>();
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let sender = sender.clone();
                std::thread::spawn(move || {
                    for round in 0..200 {
                        let _ = sender.send(format!("{writer} {round} "));
                    }
                })
            })
            .collect();
        drop(sender);
        let mut seen = 0;
        for mut text in receiver {
            let begun = text.clone();
            while text.len() < 3 * SMALL {
                text.push_str(&begun);
            }
            assert!(text.as_bytes().chunks(begun.len()).all(|chunk| chunk == begun.as_bytes()), "{begun}");
            seen += 1;
        }
        assert_eq!(seen, 800);
        assert!(writers.into_iter().all(|writer| writer.join().is_ok()));
    }
}
