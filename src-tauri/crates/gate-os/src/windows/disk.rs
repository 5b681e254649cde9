//! Folders with rights, room on a disk, and which file a path leads to.

use std::fs::OpenOptions;
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::AsRawHandle as _;
use std::path::Path;

use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, CreateDirectoryW, FILE_FLAG_BACKUP_SEMANTICS, GetDiskFreeSpaceExW,
    GetFileInformationByHandle,
};

use super::security::Rights;
use super::{done, wide_path};

#[expect(unsafe_code, reason = "the standard library makes no folder with rights; see SAFETY")]
pub(crate) fn create_folder(path: &Path, rights: &Rights) -> io::Result<()> {
    let (path, attributes) = (wide_path(path)?, rights.attributes());
    // SAFETY: the path ends with a zero, and the rights outlive the call.
    unsafe { done(CreateDirectoryW(path.as_ptr(), &raw const attributes)) }
}

#[expect(unsafe_code, reason = "the standard library doesn't tell free room; see SAFETY")]
pub(crate) fn free_bytes(folder: &Path) -> io::Result<u64> {
    let folder = wide_path(folder)?;
    let mut free = 0;
    // SAFETY: the path ends with a zero, and a number is written to a place for one.
    unsafe {
        let nothing = std::ptr::null_mut;
        done(GetDiskFreeSpaceExW(folder.as_ptr(), &raw mut free, nothing(), nothing()))?;
    }
    Ok(free)
}

/// The number of its volume, and its own there.
#[expect(unsafe_code, reason = "the standard library tells it to nobody yet; see SAFETY")]
pub(crate) fn id_of(path: &Path) -> io::Result<(u64, u64)> {
    // A folder is opened in this way only.
    let file = OpenOptions::new().access_mode(0).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)?;
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the file is open, and what is written fits into its place.
    unsafe { done(GetFileInformationByHandle(file.as_raw_handle(), &raw mut found))? };
    let number = (u64::from(found.nFileIndexHigh) << 32) | u64::from(found.nFileIndexLow);
    Ok((u64::from(found.dwVolumeSerialNumber), number))
}
