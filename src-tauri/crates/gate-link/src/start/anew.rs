//! A program that begins anew without what it isn't to have of its environment. Much of that is looked at before its
//! first line, by the dynamic linker, so taking it away there would be too late.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use gate_os::programs;

use super::environment;
use crate::error::LinkError;

/// Begins this program anew, as the same process with the same arguments, where its environment has what loads code,
/// opens its window to others or names another bus than the system's (`start/environment.rs`); nothing where it hasn't. To be called before anything else is
/// done, and no more than once needed: what has begun anew has none of it.
///
/// One that is `drivable`, which is for tests alone, keeps what opens its window, which bus is the system's, and where its
/// sound is.
///
/// # Errors
/// [`LinkError::File`] where it can't: then it isn't to go on.
pub fn begin_anew(drivable: bool) -> Result<(), LinkError> {
    let names = env::vars_os().map(|(name, _)| name);
    let foreign: Vec<OsString> = names.filter(|name| environment::is_foreign(name, drivable)).collect();
    if foreign.is_empty() {
        return Ok(());
    }
    let program = gate_os::programs::this().map_err(|source| LinkError::file("find", "this program", source))?;
    let mut anew = Command::new(&program);
    let mut arguments = env::args_os();
    let own = arguments.next();
    #[cfg(unix)]
    if let Some(own) = own {
        std::os::unix::process::CommandExt::arg0(&mut anew, own);
    }
    #[cfg(not(unix))]
    drop(own);
    anew.args(arguments);
    for name in foreign {
        anew.env_remove(name);
    }
    Err(LinkError::file("start again", program, programs::become_program(anew)))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const TRIED: &str = "GATE_LINK_TEST_ANEW";

    /// What begins anew and then tells what it has; nothing in an ordinary run.
    #[test]
    fn the_one_that_begins() -> Outcome {
        let Some(file) = env::var_os(TRIED) else { return Ok(()) };
        begin_anew(false)?;
        let names: Vec<_> = env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
        let told = format!("{}\n{}", std::process::id(), names.join("\n"));
        Ok(std::fs::write(file, told)?)
    }

    #[test]
    fn a_program_begins_anew_without_what_loads_code_or_opens_its_window() -> Outcome {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("told");
        let given = [
            "LD_PRELOAD",
            "GTK_MODULES",
            "TAURI_WEBVIEW_AUTOMATION",
            "WEBKIT_INSPECTOR_SERVER",
            "DBUS_SYSTEM_BUS_ADDRESS",
        ];
        let kept = ["GTK_IM_MODULE", "WEBKIT_DISABLE_DMABUF_RENDERER", "REVIEW_GATE__SECURITY__REQUIRE"];
        let mut begun = Command::new(env::current_exe()?);
        begun.args(["--exact", "start::anew::tests::the_one_that_begins"]).env(TRIED, &file);
        begun.envs(given.into_iter().chain(kept).map(|name| (name, "")));
        let mut begun = begun.stdout(std::process::Stdio::null()).spawn()?;
        let pid = begun.id().to_string();
        assert!(begun.wait()?.success(), "it goes on");
        let told = std::fs::read_to_string(file)?;
        let mut lines = told.lines();
        assert_eq!(lines.next(), Some(pid.as_str()), "as the same process, for whoever waits for it");
        let names: Vec<&str> = lines.collect();
        for name in given {
            assert!(!names.contains(&name), "{name} is gone");
        }
        for name in kept {
            assert!(names.contains(&name), "{name} stays");
        }
        Ok(())
    }
}
