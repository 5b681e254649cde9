//! Giving the memory of large lines back to the system.

/// Allocations of at least this many bytes are mapped by themselves, and unmapped when freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED_FROM: i32 = 256 * 1024;

/// Keeps glibc from learning to hold on to large buffers: after the first line of some megabytes
/// it would serve the next ones from the heap, and a relay that lives for days would stay as
/// large as its largest line (measured: 13 MB instead of 1 MB after six lines of 8 MiB).
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "glibc's only way to set this from within the process; see SAFETY")]
pub(crate) fn return_large_buffers() {
    // SAFETY: mallopt(3) takes two numbers, is thread-safe, and only changes where later
    // allocations are made.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_FROM) };
}

/// Other allocators give large buffers back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn return_large_buffers() {}
