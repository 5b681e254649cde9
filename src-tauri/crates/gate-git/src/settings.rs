//! Which of a repository's settings count here: those that say what a file becomes in git, by a list; none that names a
//! program. Runs git once, to read them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::oid::Format;
use crate::os;
use crate::own_dir::Setting;
use crate::places::{Kind, Places};
use crate::process::{Call, Git, Until};

/// Most bytes of all settings.
const SETTINGS_BYTES: usize = 4 * 1024 * 1024;
/// Switches of `core` that say what a file becomes in git.
const SWITCHES: &[&str] = &["filemode", "symlinks", "ignorecase", "precomposeunicode"];

/// What counts of the settings of a repository, its person and its machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) format: Format,
    /// `core.worktree`, as it is written.
    pub(crate) worktree: Option<PathBuf>,
    pub(crate) bare: bool,
    /// `core.hooksPath`, with the person's home in the place of `~`.
    pub(crate) hooks: Option<PathBuf>,
    /// Whether its references are files.
    pub(crate) reference_files: bool,
    /// Whether it may lack objects that it could fetch.
    pub(crate) partial: bool,
    /// What our own directories are given.
    pub(crate) kept: Vec<Setting>,
    /// The filters that would run a program when a file is staged.
    pub(crate) filters: BTreeSet<String>,
}

/// Reads them. Git only parses here: nothing that a setting names is run.
///
/// # Errors
/// [`Error::Unsupported`] where they can't be read or are of a kind that isn't known.
pub(crate) async fn read(git: &Git, places: &Places, until: Until) -> Result<Settings, Error> {
    let person = git.person();
    let mut call = Call::new(&["config", "--list", "-z", "--show-scope", "--includes"], &places.git_dir)
        .with("GIT_DIR", places.git_dir.as_os_str())
        .without("GIT_CONFIG_NOSYSTEM")
        .most_of("What its settings say", SETTINGS_BYTES);
    if let Some(home) = &person.home {
        call = call.with("HOME", home).without("GIT_CONFIG_GLOBAL");
    }
    if let Some(folder) = &person.config_home {
        call = call.with("XDG_CONFIG_HOME", folder).without("GIT_CONFIG_GLOBAL");
    }
    let said = git.run(call, until).await?;
    if !said.good {
        return Err(Error::Unsupported { why: format!("its settings are broken: {}", said.cause()) });
    }
    let mut settings = parsed(&said.output, places.kind, person.home.as_deref())?;
    // Where nothing is said git looks in these places.
    let folder = person.config_home.clone().or_else(|| person.home.as_ref().map(|home| home.join(".config")));
    if let Some(folder) = folder {
        for (key, name) in [("excludesFile", "git/ignore"), ("attributesFile", "git/attributes")] {
            if !settings.kept.iter().any(|(_, kept, _)| *kept == key) {
                settings.kept.push(("core", key, os::bytes(folder.join(name).as_os_str()).to_vec()));
            }
        }
    }
    Ok(settings)
}

pub(crate) fn parsed(listing: &[u8], kind: Kind, home: Option<&Path>) -> Result<Settings, Error> {
    let mut settings = Settings {
        format: Format::Sha1,
        worktree: None,
        bare: false,
        hooks: None,
        reference_files: true,
        partial: false,
        kept: Vec::new(),
        filters: BTreeSet::new(),
    };
    let mut parts = listing.split(|byte| *byte == 0);
    let mut known = false;
    while let (Some(scope), Some(entry)) = (parts.next(), parts.next()) {
        known |= scope == b"local";
        if scope == b"command" {
            continue;
        }
        let (key, value) = match entry.iter().position(|byte| *byte == b'\n') {
            Some(at) => (&entry[..at], Some(&entry[at + 1..])),
            None => (entry, None),
        };
        let key = String::from_utf8_lossy(key);
        let text = value.unwrap_or(b"true");
        // A linked work tree has its own of these; what the others share is the first one's.
        let own = scope == b"worktree" || (scope == b"local" && kind != Kind::Linked);
        match &*key {
            "extensions.objectformat" if scope == b"local" => {
                let unknown = || Error::Unsupported { why: "its objects have names of an unknown kind".to_owned() };
                settings.format = Format::of_name(&text.to_ascii_lowercase()).ok_or_else(unknown)?;
            }
            "extensions.refstorage" if scope == b"local" => settings.reference_files = text == b"files",
            "extensions.partialclone" => settings.partial = true,
            "core.worktree" if own => settings.worktree = Some(PathBuf::from(os::text(text))),
            "core.bare" if own => settings.bare = switch(text) == Some(true),
            "core.hookspath" => settings.hooks = (!text.is_empty()).then(|| in_home(text, home)),
            "core.autocrlf" => match (switch(text), text) {
                (Some(on), _) => keep(&mut settings, "autocrlf", on.to_string()),
                (None, b"input") => keep(&mut settings, "autocrlf", "input"),
                (None, _) => {}
            },
            "core.eol" if matches!(text, b"lf" | b"crlf" | b"native") => keep(&mut settings, "eol", text),
            "core.excludesfile" => keep_file(&mut settings, "excludesFile", text, home),
            "core.attributesfile" => keep_file(&mut settings, "attributesFile", text, home),
            _ => {
                if let Some(name) = key.strip_prefix("core.").and_then(|name| SWITCHES.iter().find(|it| **it == name))
                    && let Some(on) = switch(text)
                {
                    keep(&mut settings, name, on.to_string());
                }
                if let Some((name, what)) = key.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.')) {
                    let runs = match what {
                        "clean" | "process" => !text.is_empty(),
                        "required" => switch(text) == Some(true),
                        _ => false,
                    };
                    if runs {
                        settings.filters.insert(name.to_owned());
                    }
                }
                settings.partial |= key.starts_with("remote.") && key.ends_with(".promisor");
            }
        }
    }
    // Of a repository whose format it doesn't know git tells nothing, and fails only when it is asked more.
    if known { Ok(settings) } else { Err(Error::Unsupported { why: "git doesn't know its format".to_owned() }) }
}

fn keep(settings: &mut Settings, key: &'static str, value: impl AsRef<[u8]>) {
    settings.kept.push(("core", key, value.as_ref().to_vec()));
}

fn keep_file(settings: &mut Settings, key: &'static str, value: &[u8], home: Option<&Path>) {
    let path = in_home(value, home);
    // Empty is none at all, and one that is relative means another file wherever somebody stands.
    if path.is_absolute() || value.is_empty() {
        let path: &OsStr = if value.is_empty() { OsStr::new("/dev/null") } else { path.as_os_str() };
        settings.kept.push(("core", key, os::bytes(path).to_vec()));
    }
}

fn in_home(value: &[u8], home: Option<&Path>) -> PathBuf {
    match (value.strip_prefix(b"~/"), home) {
        (Some(rest), Some(home)) => home.join(os::text(rest)),
        _ => PathBuf::from(os::text(value)),
    }
}

/// See "boolean" in <https://git-scm.com/docs/git-config#_values>.
fn switch(text: &[u8]) -> Option<bool> {
    match &*text.to_ascii_lowercase() {
        b"true" | b"yes" | b"on" | b"1" => Some(true),
        b"false" | b"no" | b"off" | b"0" | b"" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(entries: &[(&str, &str)], kind: Kind) -> Settings {
        let listing: Vec<u8> =
            entries.iter().flat_map(|(scope, entry)| format!("{scope}\0{entry}\0").into_bytes()).collect();
        parsed(&listing, kind, Some(Path::new("/home/ada"))).expect("settings")
    }

    #[test]
    fn what_says_how_a_file_becomes_an_object_is_kept_and_nothing_that_names_a_program() {
        let settings = of(
            &[
                ("global", "core.autocrlf\nTrue"),
                ("local", "core.autocrlf\ninput"),
                ("local", "core.eol\ncrlf; rm -rf"),
                ("global", "core.excludesfile\n~/ignored"),
                ("local", "core.filemode"),
                ("local", "core.fsmonitor\n/tmp/evil"),
                ("local", "core.sshcommand\n/tmp/evil"),
                ("local", "diff.evil.command\n/tmp/evil"),
                ("command", "core.autocrlf\nfalse"),
            ],
            Kind::Main,
        );
        let kept =
            [("autocrlf", "true"), ("autocrlf", "input"), ("excludesFile", "/home/ada/ignored"), ("filemode", "true")];
        let kept: Vec<Setting> = kept.iter().map(|(key, value)| ("core", *key, value.as_bytes().to_vec())).collect();
        assert_eq!(settings.kept, kept, "the later ones win, as git has it");
    }

    #[test]
    fn a_filter_counts_where_it_would_run_something() {
        let settings = of(
            &[
                ("global", "filter.lfs.clean\ngit-lfs clean -- %f"),
                ("local", "filter.a.b.process\nx"),
                ("local", "filter.must.required"),
                ("local", "filter.one-way.smudge\nx"),
                ("local", "filter.nothing.clean\n"),
            ],
            Kind::Main,
        );
        assert_eq!(settings.filters.iter().map(String::as_str).collect::<Vec<_>>(), ["a.b", "lfs", "must"]);
    }

    #[test]
    fn a_linked_work_tree_has_its_own_words_on_where_it_is() {
        let shared = [("local", "core.bare\ntrue"), ("local", "core.worktree\n/elsewhere")];
        assert!(!of(&shared, Kind::Linked).bare);
        assert_eq!(of(&shared, Kind::Linked).worktree, None);
        assert_eq!(of(&shared, Kind::Main).worktree.as_deref(), Some(Path::new("/elsewhere")));
    }

    #[test]
    fn objects_of_an_unknown_kind_are_refused() {
        assert_eq!(of(&[("local", "extensions.objectformat\nsha256")], Kind::Main).format, Format::Sha256);
        let error = parsed(b"local\0extensions.objectformat\nblake3\0", Kind::Main, None).expect_err("unknown");
        assert_eq!(error.code(), "unsupported");
    }
}
