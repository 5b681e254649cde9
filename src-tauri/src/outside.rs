//! What is opened outside of the windows, in the programs that this person's system has for it.

use tokio::sync::oneshot;

/// What opens something, once it was started; nothing where the system doesn't say how it ends.
pub(crate) struct Opener(Option<oneshot::Receiver<bool>>);

impl Opener {
    /// Resolves when it has failed, and never where it hasn't.
    pub(crate) async fn failed(self) {
        let has_failed = match self.0 {
            Some(ended) => ended.await == Ok(false),
            None => false,
        };
        if !has_failed {
            std::future::pending::<()>().await;
        }
    }
}

/// Has the system open an address or a file, and doesn't wait until it is closed again.
pub(crate) async fn outside(what: String) -> Result<(), String> {
    opening(what).await.map(drop)
}

/// The same, and gives what opens it.
pub(crate) async fn opening(what: String) -> Result<Opener, String> {
    let opened = tauri::async_runtime::spawn_blocking(move || opened(&what)).await;
    opened.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
}

/// What it is opened with doesn't get what this process tells its own WebKit.
#[cfg(target_os = "linux")]
fn opened(what: &str) -> std::io::Result<Opener> {
    use std::os::unix::process::CommandExt as _;
    use std::process::Stdio;

    let mut failed = None;
    for mut command in open::commands(what) {
        for (switch, _) in crate::SWITCHES {
            command.env_remove(switch);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        match command.spawn() {
            Ok(mut child) => {
                let (tell, ended) = oneshot::channel();
                std::thread::spawn(move || {
                    let status = child.wait();
                    // Most who have something opened don't ask how that ended.
                    let _ = tell.send(status.is_ok_and(|status| status.success()));
                });
                return Ok(Opener(Some(ended)));
            }
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| std::io::ErrorKind::NotFound.into()))
}

#[cfg(not(target_os = "linux"))]
fn opened(what: &str) -> std::io::Result<Opener> {
    open::that_detached(what).map(|()| Opener(None))
}
