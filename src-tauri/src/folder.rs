//! The system's file manager, which shows a file in its folder.

#[cfg_attr(not(target_os = "linux"), path = "folder/elsewhere.rs")]
#[cfg_attr(target_os = "linux", path = "folder/linux.rs")]
mod system;

pub(crate) use system::shows;
