//! Detached processes, jobs and the console's notices.

use std::io;
use std::os::windows::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};

use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_logoff, ctrl_shutdown};
use windows_sys::Win32::System::Threading::{
    CREATE_BREAKAWAY_FROM_JOB, CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, DETACHED_PROCESS,
};

use crate::windows::{console, handles, job::Job, priority};

pub(super) fn spawn_detached(command: &mut Command) -> io::Result<Child> {
    handles::keep_standard_ones();
    let apart = DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP;
    // Some jobs let none of theirs go.
    match command.creation_flags(apart | CREATE_BREAKAWAY_FROM_JOB).spawn() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => command.creation_flags(apart).spawn(),
        started => started,
    }
}

pub(super) fn this() -> io::Result<PathBuf> {
    std::env::current_exe().map(|program| dunce::simplified(&program).to_owned())
}

pub(super) fn lead(command: &mut tokio::process::Command) {
    // Nor does a window flash up for a program that is asked something.
    command.creation_flags(CREATE_NO_WINDOW);
}

/// Absent where the program had ended before it could be taken in.
#[derive(Debug)]
pub(super) struct Group(Option<Job>);

impl Group {
    pub(super) fn of(child: &tokio::process::Child) -> Self {
        Self(child.raw_handle().and_then(|program| Job::of(program).ok()))
    }

    pub(super) fn end(&self, _child: &tokio::process::Child) {
        if let Some(job) = &self.0 {
            job.end();
        }
    }
}

pub(super) fn gives_way(child: &tokio::process::Child) {
    if let Some(program) = child.raw_handle() {
        priority::lower(program);
    }
}

/// A job would bound all of its programs together.
pub(super) fn bound_memory(_child: &tokio::process::Child, _bytes: u64) {}

pub(super) fn thread_gives_way() {
    priority::lower_this_thread();
}

pub(super) fn become_program(mut command: Command) -> io::Error {
    let ended = command.spawn().and_then(|mut program| {
        // That is the program's to hear, which has been started without this.
        console::hear_no_interrupt();
        program.wait()
    });
    match ended {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

pub(super) async fn told_to_end() -> io::Result<()> {
    let (mut interrupt, mut break_, mut close) = (ctrl_c()?, ctrl_break()?, ctrl_close()?);
    let (mut logoff, mut shutdown) = (ctrl_logoff()?, ctrl_shutdown()?);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = break_.recv() => {}
        _ = close.recv() => {}
        _ = logoff.recv() => {}
        _ = shutdown.recv() => {}
    }
    Ok(())
}

pub(super) fn ended_by(_status: ExitStatus) -> Option<i32> {
    None
}

#[derive(Debug)]
pub(super) struct Signals;

/// None is ever heard.
#[derive(Debug, Clone, Copy)]
pub(super) enum EndingSignal {}

impl Signals {
    pub(super) fn heard() -> Self {
        Self
    }

    pub(super) async fn next(&mut self) -> EndingSignal {
        std::future::pending().await
    }
}

impl EndingSignal {
    pub(super) fn hand_on(self, _to: &tokio::process::Child) {
        match self {}
    }
}
