//! What is opened outside of the windows, in the programs that this person's system has for it.

/// Has the system open an address or a file, and doesn't wait until it is closed again.
pub(crate) async fn outside(what: String) -> Result<(), String> {
    let opened = tauri::async_runtime::spawn_blocking(move || opened(&what)).await;
    opened.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
}

/// What it is opened with doesn't get what this process tells its own WebKit.
#[cfg(target_os = "linux")]
fn opened(what: &str) -> std::io::Result<()> {
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
                std::thread::spawn(move || child.wait());
                return Ok(());
            }
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| std::io::ErrorKind::NotFound.into()))
}

#[cfg(not(target_os = "linux"))]
fn opened(what: &str) -> std::io::Result<()> {
    open::that_detached(what)
}
