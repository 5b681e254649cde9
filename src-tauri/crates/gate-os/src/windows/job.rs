//! Programs that end together.

use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle, RawHandle};

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_BREAKAWAY_OK, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};

use super::done;

/// How one ends that is ended, as a shell says of SIGKILL.
const ENDED: u32 = 137;

/// Programs with all that they start, ended with their owner.
#[derive(Debug)]
pub(crate) struct Job(OwnedHandle);

impl Job {
    /// Takes a program in that was just started.
    #[expect(unsafe_code, reason = "makes a job of the system's; see SAFETY")]
    pub(crate) fn of(program: RawHandle) -> io::Result<Self> {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        // A gate that one of them starts outlives them.
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_BREAKAWAY_OK;
        // SAFETY: a job without a name is made and closed by its owner; the limits are of the kind that is said, as long
        // as is said; the program is open, since whoever started it has it.
        unsafe {
            let job = CreateJobObjectW(std::ptr::null(), std::ptr::null());
            if job.is_null() {
                return Err(io::Error::last_os_error());
            }
            let job = Self(OwnedHandle::from_raw_handle(job));
            done(SetInformationJobObject(
                job.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size_of_val(&limits) as u32,
            ))?;
            done(AssignProcessToJobObject(job.0.as_raw_handle(), program))?;
            Ok(job)
        }
    }

    /// Ends all that is in it.
    #[expect(unsafe_code, reason = "ends a job of the system's; see SAFETY")]
    pub(crate) fn end(&self) {
        // SAFETY: the job is open. Where nothing is left in it, there is nothing to end.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), ENDED) };
    }
}
