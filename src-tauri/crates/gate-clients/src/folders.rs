//! The folders that clients keep their configuration in. Passed in, so that nothing else here asks the
//! environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gate_core::{Code, Fault};

/// The system, as far as clients put their files elsewhere on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Linux and its relatives.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// The one that this program was built for.
    #[must_use]
    pub fn of_this_program() -> Self {
        if cfg!(target_os = "macos") {
            Self::MacOs
        } else if cfg!(windows) {
            Self::Windows
        } else {
            Self::Linux
        }
    }
}

/// Where clients keep their files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The system.
    pub platform: Platform,
    /// The user's own folder.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME`, else `~/.config`; some clients use it on every system.
    pub config: PathBuf,
    /// What apps use: `~/.config` (`XDG_CONFIG_HOME`) on Linux, `~/Library/Application Support` on macOS,
    /// `%APPDATA%` on Windows.
    pub apps: PathBuf,
    /// `$CLAUDE_CONFIG_DIR`, if it is set.
    pub claude: Option<PathBuf>,
    /// `$CODEX_HOME`, if it is set.
    pub codex: Option<PathBuf>,
    /// The folders of `PATH`, in which programs are looked for.
    pub path: Vec<PathBuf>,
    /// The project's folder, for what holds in one project only.
    pub project: Option<PathBuf>,
}

impl Folders {
    /// The folders of a user whose environment names none of them.
    #[must_use]
    pub fn below(home: impl Into<PathBuf>, platform: Platform) -> Self {
        let home = home.into();
        let config = home.join(".config");
        let apps = match platform {
            Platform::Linux => config.clone(),
            Platform::MacOs => home.join("Library").join("Application Support"),
            Platform::Windows => home.join("AppData").join("Roaming"),
        };
        Self { platform, home, config, apps, claude: None, codex: None, path: Vec::new(), project: None }
    }

    /// The folders of this process's user.
    ///
    /// # Errors
    /// `unreadable_file` if the user has no home folder.
    pub fn of_process() -> Result<Self, Fault> {
        let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or_else(|| {
            Fault::new(Code::UnreadableFile, "This user has no home folder.", "Set HOME to an absolute path.")
        })?;
        Ok(Self::from_env(home, Platform::of_this_program(), |name| std::env::var_os(name)))
    }

    fn from_env(home: PathBuf, platform: Platform, env: impl Fn(&str) -> Option<OsString>) -> Self {
        let folder = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let mut folders = Self::below(home, platform);
        if let Some(config) = folder("XDG_CONFIG_HOME") {
            if platform == Platform::Linux {
                folders.apps.clone_from(&config);
            }
            folders.config = config;
        }
        if let Some(apps) = folder("APPDATA").filter(|_| platform == Platform::Windows) {
            folders.apps = apps;
        }
        folders.claude = folder("CLAUDE_CONFIG_DIR");
        folders.codex = folder("CODEX_HOME");
        folders.path = env("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        folders
    }

    /// The same, in this project. A relative folder can't be kept: it is made absolute.
    #[must_use]
    pub fn with_project(mut self, project: &Path) -> Self {
        self.project = Some(std::path::absolute(project).unwrap_or_else(|_| project.to_owned()));
        self
    }

    /// A path with `~` for the user's own folder, for people to read.
    #[must_use]
    pub fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(rest) if !rest.as_os_str().is_empty() => plain(&Path::new("~").join(rest)).display().to_string(),
            _ => plain(path).display().to_string(),
        }
    }

    /// Whether one of the folders of `PATH` holds this program.
    pub(crate) fn has_program(&self, name: &str) -> bool {
        // npm puts scripts there.
        let windows: &[&str] = &[".exe", ".cmd", ".bat"];
        let ends = if self.platform == Platform::Windows { windows } else { &[""] };
        let files: Vec<String> = ends.iter().map(|end| format!("{name}{end}")).collect();
        self.path.iter().any(|folder| files.iter().any(|file| folder.join(file).is_file()))
    }
}

/// With the system's own mark between its parts.
pub(crate) fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_moves_folders() {
        let env = |name: &str| match name {
            "XDG_CONFIG_HOME" => Some(OsString::from("/elsewhere")),
            "CODEX_HOME" => Some(OsString::from("relative")),
            _ => None,
        };
        let linux = Folders::from_env("/home/you".into(), Platform::Linux, env);
        assert_eq!((linux.config, linux.apps), ("/elsewhere".into(), "/elsewhere".into()), "as XDG says");
        assert_eq!(linux.codex, None, "a relative folder means another place in every process");
        let mac = Folders::from_env("/Users/you".into(), Platform::MacOs, env);
        assert_eq!(mac.apps, Path::new("/Users/you/Library/Application Support"), "apps there don't know XDG");
    }

    #[test]
    fn programs_are_found_by_the_names_that_they_have_there() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        for name in ["codex.cmd", "zed.exe", "goose"] {
            std::fs::write(folder.path().join(name), "")?;
        }
        let found = |platform| {
            let folders = Folders { path: vec![folder.path().to_owned()], ..Folders::below("/home/you", platform) };
            ["codex", "zed", "goose", "cursor"].map(|name| folders.has_program(name))
        };
        assert_eq!(found(Platform::Windows), [true, true, false, false], "programs and what npm makes");
        assert_eq!(found(Platform::Linux), [false, false, true, false]);
        Ok(())
    }

    #[test]
    fn the_home_folder_is_shown_as_a_tilde() {
        let folders = Folders::below("/home/you", Platform::Linux);
        assert_eq!(folders.shown(Path::new("/home/you/.cursor/mcp.json")), "~/.cursor/mcp.json");
        let other = concat!("/home/you", "rs/x");
        assert_eq!(folders.shown(Path::new(other)), other, "another user's folder");
    }
}
