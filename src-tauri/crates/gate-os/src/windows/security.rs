//! Who may do what with a file or a pipe.

use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, RawHandle};
use std::path::Path;

use windows_sys::Win32::Foundation::LocalFree;
use windows_sys::Win32::Security::Authorization::{
    ConvertStringSecurityDescriptorToSecurityDescriptorW, GetNamedSecurityInfoW, GetSecurityInfo, SDDL_REVISION_1,
    SE_FILE_OBJECT, SE_KERNEL_OBJECT, SE_OBJECT_TYPE, SetNamedSecurityInfoW,
};
use windows_sys::Win32::Security::{
    ACCESS_ALLOWED_ACE, ACE_HEADER, ACL, DACL_SECURITY_INFORMATION, GetAce, GetSecurityDescriptorDacl,
    OWNER_SECURITY_INFORMATION, PROTECTED_DACL_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, PSID, SECURITY_ATTRIBUTES,
};

use super::user::{self, ADMINISTRATORS, SYSTEM};
use super::{done, wide, wide_path};

/// Whoever makes something in a folder, and whoever owns something: both are told apart from others by what they are
/// given elsewhere.
const WHOEVER_OWNS: [&str; 2] = ["S-1-3-0", "S-1-3-4"];
/// How an entry of an access list says that it gives rights (`ACCESS_ALLOWED_ACE_TYPE`).
const ALLOWS: u8 = 0;
/// And that it takes some (`ACCESS_DENIED_ACE_TYPE`).
const DENIES: u8 = 1;

/// A security descriptor, freed with its owner.
struct Descriptor(PSECURITY_DESCRIPTOR);

impl Drop for Descriptor {
    fn drop(&mut self) {
        #[expect(unsafe_code, reason = "gives the system's memory back; see SAFETY")]
        // SAFETY: the system allocated it for us, and nobody else frees it.
        unsafe {
            LocalFree(self.0);
        }
    }
}

/// Rights that are given to something.
pub(crate) struct Rights(Descriptor);

impl Rights {
    /// All of them, for this user, the system and its administrators; handed down to what is made in a folder.
    pub(crate) fn for_this_user_alone() -> io::Result<Self> {
        Self::said(&["OICI;FA;;;SY", "OICI;FA;;;BA"])
    }

    /// To use a pipe, for this user alone.
    pub(crate) fn for_this_users_pipe() -> io::Result<Self> {
        Self::said(&[])
    }

    /// A pipe that everybody may use, and that isn't this user's: the administrators'.
    #[cfg(test)]
    pub(crate) fn for_anothers_pipe() -> io::Result<Self> {
        Self::parsed("O:BAD:P(A;;GA;;;WD)".to_owned())
    }

    fn said(besides: &[&str]) -> io::Result<Self> {
        let ours = user::of_this_process().ok_or_else(|| io::Error::other("the system doesn't say whose this is"))?;
        let others: String = besides.iter().map(|entry| format!("(A;{entry})")).collect();
        let flags = if besides.is_empty() { ";GA" } else { "OICI;FA" };
        Self::parsed(format!("O:{ours}D:P(A;{flags};;;{ours}){others}"))
    }

    #[expect(unsafe_code, reason = "reads a text into a descriptor; see SAFETY")]
    fn parsed(text: String) -> io::Result<Self> {
        let text = wide(text)?;
        let mut found = std::ptr::null_mut();
        // SAFETY: the text ends with a zero; the descriptor is freed by its owner.
        unsafe {
            let length = std::ptr::null_mut();
            done(ConvertStringSecurityDescriptorToSecurityDescriptorW(
                text.as_ptr(),
                SDDL_REVISION_1,
                &raw mut found,
                length,
            ))?;
        }
        Ok(Self(Descriptor(found)))
    }

    /// As they are handed to a function that makes something. Valid as long as these rights.
    pub(crate) fn attributes(&self) -> SECURITY_ATTRIBUTES {
        SECURITY_ATTRIBUTES {
            nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
            lpSecurityDescriptor: self.0.0,
            bInheritHandle: 0,
        }
    }

    /// Gives just these to a file or a folder, and takes none from the folder above.
    #[expect(unsafe_code, reason = "changes a file's access list; see SAFETY")]
    pub(crate) fn give_to_file(&self, path: &Path) -> io::Result<()> {
        let (mut is_there, mut is_default, mut list) = (0, 0, std::ptr::null_mut());
        let path = wide_path(path)?;
        // SAFETY: the descriptor is valid while this lives, and so is the list in it; the path ends with a zero.
        let answer = unsafe {
            done(GetSecurityDescriptorDacl(self.0.0, &raw mut is_there, &raw mut list, &raw mut is_default))?;
            SetNamedSecurityInfoW(
                path.as_ptr(),
                SE_FILE_OBJECT,
                DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                list,
                std::ptr::null(),
            )
        };
        said(answer)
    }
}

/// Whose something is, and who else may use it.
pub(crate) struct Found {
    pub(crate) owner: String,
    /// Besides this user, the system and its administrators, by their identifiers.
    pub(crate) others: Vec<String>,
}

/// Of what a path leads to.
#[expect(unsafe_code, reason = "reads a file's owner and access list; see SAFETY")]
pub(crate) fn of_file(path: &Path) -> io::Result<Found> {
    let (mut owner, mut list, mut descriptor) = (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
    let path = wide_path(path)?;
    // SAFETY: the path ends with a zero; what is written lies in the descriptor, which its owner frees at the end.
    let answer = unsafe {
        GetNamedSecurityInfoW(
            path.as_ptr(),
            SE_FILE_OBJECT,
            OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
            &raw mut owner,
            std::ptr::null_mut(),
            &raw mut list,
            std::ptr::null_mut(),
            &raw mut descriptor,
        )
    };
    said(answer)?;
    let _descriptor = Descriptor(descriptor);
    Ok(Found { owner: user::name_of(owner)?, others: others(list)? })
}

/// Whose an open file is.
pub(crate) fn owner_of(file: &File) -> io::Result<String> {
    owner(file.as_raw_handle(), SE_FILE_OBJECT)
}

/// Whose a pipe is: who made it, not who serves it.
pub(crate) fn owner_of_pipe(pipe: &impl AsRawHandle) -> io::Result<String> {
    owner(pipe.as_raw_handle(), SE_KERNEL_OBJECT)
}

#[expect(unsafe_code, reason = "reads an open object's owner; see SAFETY")]
fn owner(object: RawHandle, kind: SE_OBJECT_TYPE) -> io::Result<String> {
    let (mut owner, mut descriptor) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the object is open; what is written lies in the descriptor, which its owner frees at the end.
    let answer = unsafe {
        GetSecurityInfo(
            object,
            kind,
            OWNER_SECURITY_INFORMATION,
            &raw mut owner,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            &raw mut descriptor,
        )
    };
    said(answer)?;
    let _descriptor = Descriptor(descriptor);
    user::name_of(owner)
}

/// Whom an access list gives rights, besides those who have them anyway. Where there is no list, everybody.
#[expect(unsafe_code, reason = "walks an access list of the system's; see SAFETY")]
fn others(list: *const ACL) -> io::Result<Vec<String>> {
    if list.is_null() {
        return Ok(vec!["everybody".to_owned()]);
    }
    let ours = user::of_this_process();
    let mut found = Vec::new();
    // SAFETY: the list comes from the system and says itself how many entries it has.
    let count = unsafe { (*list).AceCount };
    for number in 0..u32::from(count) {
        let mut entry = std::ptr::null_mut();
        // SAFETY: the number is below the list's; every entry begins with a header.
        let kind = unsafe {
            done(GetAce(list, number, &raw mut entry))?;
            (*entry.cast::<ACE_HEADER>()).AceType
        };
        match kind {
            DENIES => continue,
            ALLOWS => {}
            // Rights under conditions, which aren't weighed.
            other => {
                found.push(format!("somebody, under a condition of kind {other}"));
                continue;
            }
        }
        // SAFETY: an entry of this kind ends with an identifier.
        let sid: PSID = unsafe { (&raw mut (*entry.cast::<ACCESS_ALLOWED_ACE>()).SidStart).cast() };
        let name = user::name_of(sid)?;
        let is_known = [SYSTEM, ADMINISTRATORS].into_iter().chain(WHOEVER_OWNS).any(|known| known == name);
        if !is_known && Some(&name) != ours.as_ref() {
            found.push(name);
        }
    }
    Ok(found)
}

/// What came of a function that answers the error itself.
fn said(answer: u32) -> io::Result<()> {
    if answer == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(answer.cast_signed())) }
}
