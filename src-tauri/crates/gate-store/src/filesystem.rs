//! Which kind of file system a folder is on: whether SQLite's shared memory works there, and how
//! much room is left.

use std::path::Path;

use serde::Serialize;

/// Where the bytes of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileSystem {
    /// On this machine: locks and shared memory can be relied on.
    Local,
    /// On another machine, or behind a program: a write-ahead log isn't safe
    /// (<https://sqlite.org/wal.html>).
    Network,
}

/// The types of Linux (`statfs(2)`, `<linux/magic.h>` and the file systems' own sources) whose bytes
/// are elsewhere, or pass through a program that may send them elsewhere.
const NETWORK: [(u32, &str); 23] = [
    (0x0000_6969, "NFS"),
    (0x0000_517B, "SMB"),
    (0xFF53_4D42, "CIFS"),
    (0xFE53_4D42, "SMB2"),
    (0x6573_5546, "FUSE"),
    (0x0102_1997, "9p"),
    (0x5346_414F, "OpenAFS"),
    (0x6B41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x00C3_6400, "Ceph"),
    (0x0000_564C, "NCP"),
    (0x0BD0_0BD0, "Lustre"),
    (0x786F_4256, "vboxsf"),
    (0xBACB_ACBC, "vmhgfs"),
    (0x7C7C_6673, "prl_fs"),
    (0x4750_4653, "GPFS"),
    (0x7461_636F, "OCFS2"),
    (0x0116_1970, "GFS2"),
    (0xAAD7_AAEA, "PanFS"),
    (0x1983_0326, "BeeGFS"),
    (0xBEEF_DEAD, "StorNext"),
    (0x6163_6673, "ACFS"),
    (0x2003_0528, "OrangeFS"),
];

/// What a file system's type, the `f_type` of Linux's `statfs`, says of where its bytes are. Types
/// that aren't known are local ones.
#[must_use]
pub fn kind_of(f_type: u32) -> FileSystem {
    if NETWORK.iter().any(|(number, _)| *number == f_type) { FileSystem::Network } else { FileSystem::Local }
}

/// The kind of file system that a folder is on; local where that can't be told.
#[must_use]
pub fn file_system(folder: &Path) -> FileSystem {
    #[cfg(target_os = "linux")]
    {
        // The type has as many bits as a machine's word, signed; every number is one of 32 bits.
        rustix::fs::statfs(folder).map_or(FileSystem::Local, |found| kind_of(found.f_type as u32))
    }
    #[cfg(target_os = "macos")]
    {
        // MNT_LOCAL of <sys/mount.h>.
        const LOCAL: u32 = 0x1000;
        let local = rustix::fs::statfs(folder).map_or(true, |found| found.f_flags & LOCAL != 0);
        if local { FileSystem::Local } else { FileSystem::Network }
    }
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    {
        let _ = folder;
        FileSystem::Local
    }
}

/// How many bytes the user may still write to a folder; absent where that can't be told.
#[must_use]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    gate_os::files::free_bytes(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_far_away_is_told_from_what_is_here() {
        for (f_type, name) in NETWORK {
            assert_eq!(kind_of(f_type), FileSystem::Network, "{name}");
        }
        for (f_type, name) in [
            (0x0000_EF53, "ext4"),
            (0x5846_5342, "XFS"),
            (0x9123_683E, "Btrfs"),
            (0x0102_1994, "tmpfs"),
            (0x2FC1_2FC1, "ZFS"),
            (0xF2F5_2010, "F2FS"),
            (0x794C_7630, "overlay"),
            (0x0000_4D44, "FAT"),
            (0x7366_746E, "NTFS3"),
            (0x0000_F15F, "eCryptfs"),
            (0x1234_5678, "a type that nobody knows"),
        ] {
            assert_eq!(kind_of(f_type), FileSystem::Local, "{name}");
        }
    }

    #[test]
    fn a_folder_is_on_some_file_system_and_a_missing_one_is_taken_for_local() {
        assert!(free_bytes(&std::env::temp_dir()).is_some_and(|free| free > 0), "the system says how much is free");
        assert_eq!(file_system(Path::new("/no/such/folder")), FileSystem::Local);
    }
}
