//! Starting a program to see what it says: for a bound time, with a bound output, and ended by its number
//! together with all that it has started.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use gate_os::programs::{self, Group};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};

/// How much of what a program says is kept, in bytes.
pub(crate) const OUTPUT_BYTES: usize = 8 * 1024;
/// How long a killed program may take to be gone.
const END: Duration = Duration::from_secs(1);

/// A started program, in a process group of its own, which ends with it.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) child: Child,
    group: Group,
}

impl Running {
    /// Starts a command.
    ///
    /// # Errors
    /// The system's.
    pub(crate) fn start(mut command: Command) -> io::Result<Self> {
        command.kill_on_drop(true);
        programs::lead(&mut command);
        let child = command.spawn()?;
        Ok(Self { group: Group::of(&child), child })
    }

    /// Ends it and what it has started; how it ended, where that can be told.
    pub(crate) async fn end(mut self) -> Option<std::process::ExitStatus> {
        // One that has ended by itself is asked first: the group's number stays its own until then.
        self.kill();
        tokio::time::timeout(END, self.child.wait()).await.ok()?.ok()
    }

    fn kill(&self) {
        self.group.end(&self.child);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What a program said and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) output: String,
    pub(crate) errors: String,
}

/// Runs a program to its end. Absent when it doesn't end in time.
///
/// # Errors
/// When it can't be started.
pub(crate) async fn said(program: &Path, arguments: &[&str], limit: Duration) -> io::Result<Option<Said>> {
    let mut command = Command::new(program);
    command.args(arguments.iter().map(OsStr::new));
    command.stdin(Stdio::null());
    to_its_end(command, "", limit).await
}

/// Runs a command to its end, which is told this on its standard input. Absent when it doesn't end in time.
///
/// # Errors
/// When it can't be started.
pub(crate) async fn told(mut command: Command, input: &str, limit: Duration) -> io::Result<Option<Said>> {
    command.stdin(Stdio::piped());
    to_its_end(command, input, limit).await
}

async fn to_its_end(mut command: Command, input: &str, limit: Duration) -> io::Result<Option<Said>> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running::start(command)?;
    let child = &mut running.child;
    let (stdin, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let tell = async {
        // One that ends without having read it all says why by its code.
        if let Some(mut stdin) = stdin {
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let all = async {
        let ((), output, errors) = tokio::join!(tell, beginning(output), beginning(errors));
        (output, errors, child.wait().await)
    };
    let Ok((output, errors, ended)) = tokio::time::timeout(limit, all).await else { return Ok(None) };
    Ok(Some(Said { code: ended?.code(), output, errors }))
}

/// The first of what comes, up to [`OUTPUT_BYTES`]; the rest is read and forgotten.
pub(crate) async fn beginning(from: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut from) = from else { return String::new() };
    let (mut kept, mut chunk) = (Vec::new(), [0_u8; 1024]);
    while let Ok(got) = from.read(&mut chunk).await {
        if got == 0 {
            break;
        }
        let room = OUTPUT_BYTES - kept.len();
        kept.extend_from_slice(&chunk[..got.min(room)]);
    }
    String::from_utf8_lossy(&kept).into_owned()
}
