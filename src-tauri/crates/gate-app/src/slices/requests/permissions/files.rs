//! The files that an edit names, as they are: where they lie, and what the edit would do to them. They are looked at and never
//! written. What stands in them is shown to the person and to nobody else.

use std::collections::HashSet;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Component, Path, PathBuf};

use gate_core::permission::{Change, EditUnknown, FileFound, Permission, PermissionFile, Prepared, prepared};
use gate_core::{Digest, bounds};

/// Looks at the files of an edit: which they are goes into the question, what would be done to them comes back as a diff.
pub(super) fn looked_at(permission: &mut Permission) -> Option<String> {
    if !permission.kind.is_edit() {
        return None;
    }
    let change = match Change::of(permission) {
        Ok(change) => change,
        Err(why) => {
            permission.unknown = Some(why);
            return None;
        }
    };
    let paths = change.paths();
    if paths.len() > bounds::PERMISSION_FILES {
        permission.unknown = Some(EditUnknown::TooLarge);
        return None;
    }
    let folder = Path::new(&permission.folder);
    permission.files.clear();
    let (mut places, mut twins) = (HashSet::new(), HashSet::new());
    let mut is_odd = false;
    let mut found = Vec::with_capacity(paths.len());
    for path in paths {
        let seen = look(folder, path);
        is_odd |= seen.twin.is_some_and(|twin| !twins.insert(twin));
        is_odd |= seen.real.is_some_and(|real| !places.insert(real));
        is_odd |= change.removes(path) && folder.join(path).is_symlink();
        permission.files.push(seen.file);
        found.push(seen.found);
    }
    // One file by two names is what the first change makes of it when the second one comes. Where a link is taken away, what
    // it leads to stays.
    if is_odd {
        permission.unknown = Some(EditUnknown::Form);
        return None;
    }
    let Prepared { diff, unknown } = prepared(&change, &found);
    permission.unknown = unknown;
    diff
}

/// Whether the files are still those that the question was asked with, and the edit would still do the same.
pub(super) fn are_as_asked(asked: &Permission, diff: Option<&str>) -> bool {
    let mut now = Permission { files: Vec::new(), unknown: None, ..asked.clone() };
    let diff_now = looked_at(&mut now);
    now == *asked && diff_now.as_deref() == diff
}

/// A file as it was seen.
struct Seen {
    file: PermissionFile,
    found: FileFound,
    /// Where it lies, links followed; absent where that can't be found out.
    real: Option<PathBuf>,
    /// What names of one file have in common; absent where there is no file, and where systems don't say.
    twin: Option<(u64, u64)>,
}

impl Seen {
    fn not(file: PermissionFile, why: EditUnknown) -> Self {
        Self { file, found: FileFound::Not(why), real: None, twin: None }
    }
}

fn look(folder: &Path, said: &str) -> Seen {
    let mut file = PermissionFile { path: said.to_owned(), leads_to: None, outside: false, before: None };
    let path = folder.join(said);
    if !path.is_absolute() {
        return Seen::not(file, EditUnknown::NoPath);
    }
    let real_folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let Some(real) = leads_to(&path) else {
        return Seen::not(file, EditUnknown::Unreadable);
    };
    // The folder itself may lie behind a link; that isn't the file's doing.
    let plain = without_dots(&path);
    let expected =
        plain.strip_prefix(without_dots(folder)).map_or_else(|_| plain.clone(), |rest| real_folder.join(rest));
    file.outside = folder.as_os_str().is_empty() || !real.starts_with(&real_folder);
    file.leads_to = (real != expected).then(|| real.to_string_lossy().into_owned());
    let found = read(&real);
    if let Ok(Some(bytes)) = &found {
        file.before = Some(Digest::of_bytes(bytes));
    }
    let found = match found {
        Ok(None) => FileFound::Missing,
        Ok(Some(bytes)) => match String::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => FileFound::Text(text),
            _ => FileFound::Not(EditUnknown::Binary),
        },
        Err(why) => FileFound::Not(why),
    };
    let twin = twin(&real);
    Seen { file, found, real: Some(real), twin }
}

#[cfg(unix)]
fn twin(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    path.metadata().ok().map(|about| (about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn twin(_: &Path) -> Option<(u64, u64)> {
    None
}

/// Where a path leads, links followed; of a file that isn't there, by its folder. Absent where that can't be found out.
fn leads_to(path: &Path) -> Option<PathBuf> {
    match path.canonicalize() {
        Ok(real) => Some(real),
        // A link that leads nowhere would be followed by whoever writes.
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => {
            let mut missing = Vec::new();
            let mut above = path;
            loop {
                missing.push(above.file_name()?.to_owned());
                above = above.parent()?;
                if let Ok(real) = above.canonicalize() {
                    return Some(missing.iter().rev().fold(real, |path, name| path.join(name)));
                }
                if above.symlink_metadata().is_ok() {
                    return None;
                }
            }
        }
        Err(_) => None,
    }
}

/// A path without `.` and `..`, by its words alone.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

/// The bytes of a file; absent where there is none.
fn read(path: &Path) -> Result<Option<Vec<u8>>, EditUnknown> {
    // Opening alone does something to a device or a pipe. What takes the file's place since then is found out below.
    match path.metadata() {
        Ok(about) if about.is_file() => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        _ => return Err(EditUnknown::Unreadable),
    }
    let file = open(path).map_err(|_| EditUnknown::Unreadable)?;
    let about = file.metadata().map_err(|_| EditUnknown::Unreadable)?;
    if !about.is_file() {
        return Err(EditUnknown::Unreadable);
    }
    if about.len() > bounds::PERMISSION_FILE_BYTES {
        return Err(EditUnknown::TooLarge);
    }
    let mut bytes = Vec::new();
    file.take(bounds::PERMISSION_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|_| EditUnknown::Unreadable)?;
    match u64::try_from(bytes.len()).is_ok_and(|length| length <= bounds::PERMISSION_FILE_BYTES) {
        true => Ok(Some(bytes)),
        false => Err(EditUnknown::TooLarge),
    }
}

/// Opens a file without waiting for whoever is at the other end of a pipe, and without a terminal becoming the gate's.
fn open(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    options.open(path)
}

#[cfg(test)]
#[cfg(unix)]
mod hostile;

#[cfg(test)]
mod tests {
    use gate_core::PermissionQuestion;
    use serde_json::json;

    use super::*;

    fn write(folder: &Path, path: &str, content: &str) -> Permission {
        let input = json!({"file_path": path, "content": content}).to_string();
        let question = json!({"form": "claude_hook", "tool": "Write", "input": input, "folder": folder});
        let question: PermissionQuestion = serde_json::from_value(question).expect("it is a question");
        question.permission().expect("it can be asked")
    }

    #[test]
    fn a_file_is_named_where_it_lies() {
        let outer = tempfile::tempdir().expect("a folder");
        let folder = outer.path().canonicalize().expect("it is there").join("ws");
        std::fs::create_dir(&folder).expect("a folder");
        std::fs::write(folder.join("a"), "x\n").expect("a file");
        let look = |path: &str| {
            let mut asked = write(&folder, path, "y\n");
            let diff = looked_at(&mut asked);
            (asked.files[0].clone(), asked.unknown, diff)
        };
        let (file, unknown, diff) = look("a");
        assert_eq!((file.outside, file.leads_to, unknown), (false, None, None), "a file of the folder is just that");
        assert!(diff.is_some_and(|diff| diff.contains("-x\n+y\n")), "and its diff is against what is there");
        let (file, ..) = look("../b");
        assert!(file.outside, "what lies above is outside");
        let (file, unknown, _) = look("new/folder/c");
        assert_eq!((file.outside, file.before, unknown), (false, None, None), "a new file has no bytes");
        #[cfg(unix)]
        {
            std::fs::write(outer.path().join("secret"), "s\n").expect("a file");
            std::os::unix::fs::symlink("../secret", folder.join("link")).expect("a link");
            let (file, ..) = look("link");
            assert!(file.outside, "a link is what it leads to");
            assert!(file.leads_to.is_some_and(|path| path.ends_with("/secret")), "and that is named");
            std::os::unix::fs::symlink("nowhere", folder.join("dangling")).expect("a link");
            assert_eq!(look("dangling").1, Some(EditUnknown::Unreadable), "nobody knows what it would write");
            assert_eq!(look("/dev/zero").1, Some(EditUnknown::Unreadable), "a device has no end");
        }
        std::fs::write(folder.join("bin"), b"\x00\xff").expect("a file");
        assert_eq!(look("bin").1, Some(EditUnknown::Binary));
        assert_eq!(look(".").1, Some(EditUnknown::Unreadable), "a folder is no file");
        let (_, unknown, _) = {
            let mut asked = write(Path::new(""), "a", "y");
            let diff = looked_at(&mut asked);
            (asked.files[0].clone(), asked.unknown, diff)
        };
        assert_eq!(unknown, Some(EditUnknown::NoPath), "without a folder nobody knows which file that is");
    }

    #[cfg(unix)]
    #[test]
    fn one_file_by_two_names_and_a_link_that_goes_are_not_known() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a"), "x\n").expect("a file");
        std::os::unix::fs::symlink("a", folder.path().join("link")).expect("a link");
        let update = |path: &str| format!("*** Update File: {path}\n@@\n-x\n+y\n");
        let look = |lines: &str| {
            let input = json!({ "command": format!("*** Begin Patch\n{lines}*** End Patch") }).to_string();
            let question =
                json!({"form": "codex_hook", "tool": "apply_patch", "input": input, "folder": folder.path()});
            let question: PermissionQuestion = serde_json::from_value(question).expect("it is a question");
            let mut asked = question.permission().expect("it can be asked");
            let diff = looked_at(&mut asked);
            (diff, asked.files.len(), asked.unknown)
        };
        let odd = Some(EditUnknown::Form);
        let twice = update("a") + &update("link");
        assert_eq!(look(&twice), (None, 2, odd), "the second change finds what the first one has made");
        assert_eq!(look("*** Delete File: link\n"), (None, 1, odd), "what the link leads to stays");
        assert_eq!(look("*** Delete File: a\n").2, None, "a file goes");
    }

    #[test]
    fn a_file_that_changes_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path().join("a");
        std::fs::write(&at, "x\n").expect("a file");
        let mut asked = write(folder.path(), "a", "y\n");
        let diff = looked_at(&mut asked);
        assert!(are_as_asked(&asked, diff.as_deref()), "nothing has changed");
        std::fs::write(&at, "z\n").expect("a file");
        assert!(!are_as_asked(&asked, diff.as_deref()), "another text is another diff");
        std::fs::remove_file(&at).expect("it goes");
        assert!(!are_as_asked(&asked, diff.as_deref()), "and so is none");
    }
}
