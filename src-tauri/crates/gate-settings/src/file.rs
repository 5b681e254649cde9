//! `config.yaml`: reading it, and changing it without losing a word that somebody wrote in it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use gate_api::SettingDifference;
use gate_core::{Code, Fault, bounds};
use serde_json::Value;

use crate::check::check;
use crate::confirmed::{Confirmed, guards};
use crate::document::{Broken, Spot};
use crate::edit::{Refusal, set};
use crate::guard::{Guard, Held};
use crate::layers::{self, Loaded, Overlay};
use crate::migrate::{self, VERSION};
use crate::schema::Entry;
use crate::{SETTINGS, Values, entry};

/// What a new file begins with.
const HEADER: &str = "# Settings of Review Gate. `review-gate config list` names all of them.\nversion: 1\n";
/// How often a change is tried anew where somebody else writes the file at the same moment.
const TRIES: usize = 5;
/// Most links that lead to the file.
const LINKS: usize = 40;

/// The settings file, which need not exist.
#[derive(Debug, Clone)]
pub struct SettingsFile {
    path: PathBuf,
    held: Held,
    /// What else than the file of confirmations says of them; see [`Self::vouch`].
    vouched: Arc<RwLock<Option<Values>>>,
}

/// A change of one setting in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// Which setting.
    pub key: &'static str,
    /// What stood there; null for nothing.
    pub from: Value,
    /// What stands there now; null for nothing.
    pub to: Value,
}

/// What settings are to be; null for what holds where nobody has set it.
pub type Wanted = BTreeMap<String, Value>;

/// Tells whether the file is another one than before, without reading it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stamp(Option<(Option<SystemTime>, u64)>);

impl SettingsFile {
    /// The file at this path.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), held: Held::All, vouched: Arc::default() }
    }

    /// The same, with these guards held against what it and the environment say.
    #[must_use]
    pub fn holding(self, held: Held) -> Self {
        Self { held, ..self }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// When it was last written, and its size.
    #[must_use]
    pub fn stamp(&self) -> Stamp {
        Stamp(fs::metadata(&self.path).ok().map(|data| (data.modified().ok(), data.len())))
    }

    /// The settings that it and what lies over it make. Never fails: what is wrong is in
    /// [`Loaded::problems`].
    #[must_use]
    pub fn load(&self, overlay: &Overlay) -> Loaded {
        layers::load(&self.read(), &self.path, overlay, Some((&self.confirmed(), self.held)))
    }

    /// What was confirmed and holds.
    fn confirmed(&self) -> Values {
        let mut confirmed = self.said_confirmed();
        let unvouched = self.unvouched();
        confirmed.retain(|key, _| !unvouched.contains(key));
        confirmed
    }

    /// What the file of confirmations says, by itself.
    #[must_use]
    pub fn said_confirmed(&self) -> Values {
        Confirmed::beside(&self.path).read()
    }

    /// From now on the file of confirmations makes a guard weaker than its default only where this says the same: it
    /// alone could have been written by anybody. For all clones of it.
    pub fn vouch(&self, vouched: Values) {
        *self.vouched.write().unwrap_or_else(PoisonError::into_inner) = Some(vouched);
    }

    /// The guards of which the file of confirmations says something weaker that nothing else does.
    #[must_use]
    pub fn unvouched(&self) -> Vec<&'static str> {
        let vouched = self.vouched.read().unwrap_or_else(PoisonError::into_inner);
        let Some(vouched) = vouched.as_ref() else { return Vec::new() };
        let said = self.said_confirmed();
        let of = |(entry, guard): (&'static Entry, Guard)| {
            let value = said.get(entry.key)?;
            let weak = guard.is_weaker(value, &(entry.default)()) && vouched.get(entry.key) != Some(value);
            weak.then_some(entry.key)
        };
        guards().filter_map(of).collect()
    }

    /// Its text; absent where there is no file.
    ///
    /// # Errors
    /// `too_large` beyond [`bounds::SETTINGS_BYTES`], `settings_file` where it can't be read or is no
    /// UTF-8.
    pub fn read(&self) -> Result<Option<String>, Fault> {
        let fault = |error: &std::io::Error| {
            Fault::new(
                Code::SettingsFile,
                format!("{} can't be read: {error}.", self.path.display()),
                "Nothing of it is in force. Mend what it says; a running gate reads it at once.",
            )
        };
        let file = match fs::File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fault(&error)),
        };
        let mut bytes = Vec::new();
        let most = bounds::SETTINGS_BYTES as u64 + 1;
        file.take(most).read_to_end(&mut bytes).map_err(|error| fault(&error))?;
        if bytes.len() > bounds::SETTINGS_BYTES {
            return Err(self.too_large());
        }
        String::from_utf8(bytes).map(Some).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes().get(..good).unwrap_or_default());
            let cause = "there is a byte that is no UTF-8".to_owned();
            layers::unreadable(&self.path, &Broken { cause, at: Spot::of(&text, text.len()) })
        })
    }

    fn too_large(&self) -> Fault {
        Fault::new(
            Code::TooLarge,
            format!("{} is larger than {} bytes.", self.path.display(), bounds::SETTINGS_BYTES),
            "Nothing of it is in force, and it was left as it is. Make it smaller.",
        )
    }

    /// Changes settings in the file as it is now: all of them, or none.
    ///
    /// # Errors
    /// `unknown_setting` and `setting_rejected` for what is wanted; `setting_conflict` where a setting
    /// isn't what `seen` says and is to be something else; `settings_file` where the file is broken,
    /// newer, or can't be changed without harming what else stands in it; `read_only` and `disk_full`.
    /// The file is as it was then.
    pub fn save(&self, wanted: &Wanted, seen: &Wanted, overlay: &Overlay) -> Result<Vec<Changed>, Fault> {
        let wanted = valid(wanted)?;
        for _ in 0..TRIES {
            let read = self.read();
            let loaded = layers::load(&read, &self.path, overlay, Some((&self.confirmed(), self.held)));
            let text = self.writable(read, &loaded)?;
            refuse_conflicts(&wanted, seen, &loaded)?;
            let changed = changes(&wanted, &loaded);
            if changed.is_empty() {
                self.hold_safer(&wanted)?;
                return Ok(changed);
            }
            let new = self.changed(&text, &wanted, &loaded)?;
            if self.replace(&text, loaded.version, &new)? {
                self.hold_safer(&wanted)?;
                return Ok(changed);
            }
        }
        Err(Fault::new(
            Code::SettingConflict,
            format!("{} is being written by another program all the time.", self.path.display()),
            "Try again when that program is done; nothing was changed.",
        ))
    }

    /// Notes that the person has confirmed this value of a guard: the file may say it.
    ///
    /// # Errors
    /// `unknown_setting`, `invalid_input` for what is no guard, `setting_rejected` for what it can't be, `settings_file`
    /// where that can't be written.
    pub fn confirm(&self, key: &str, value: &Value) -> Result<(), Fault> {
        let known = entry(key).ok_or_else(|| unknown_setting(key))?;
        if known.guard.is_none() {
            return Err(Fault::new(
                Code::InvalidInput,
                format!("`{key}` is no guard."),
                "Change it like any other setting.",
            ));
        }
        let mut values = valid(&Wanted::from([(key.to_owned(), value.clone())]))?;
        let value = values.remove(known.key).filter(|value| !value.is_null()).unwrap_or_else(known.default);
        Confirmed::beside(&self.path).write(known.key, Some(&value))
    }

    /// Notes which guards were made safer: that something weaker was confirmed is forgotten, and what they are now is
    /// from now on the weakest that the file may say, where it isn't the default.
    ///
    /// # Errors
    /// `settings_file` where that can't be written.
    pub fn hold_safer(&self, wanted: &Values) -> Result<(), Fault> {
        let confirmed = Confirmed::beside(&self.path);
        let held = confirmed.read();
        for (entry, guard) in guards() {
            let Some(wanted) = wanted.get(entry.key) else { continue };
            let default = (entry.default)();
            let wanted = if wanted.is_null() { &default } else { wanted };
            if guard.is_weaker(held.get(entry.key).unwrap_or(&default), wanted) {
                confirmed.write(entry.key, guard.differs(&default, wanted).then_some(wanted))?;
            }
        }
        Ok(())
    }

    /// The text, if it may be changed; a new file's where there is none.
    fn writable(&self, read: Result<Option<String>, Fault>, loaded: &Loaded) -> Result<Option<String>, Fault> {
        let text = read.map_err(|fault| not_changed(&fault))?;
        if let Some(broken) = &loaded.broken {
            return Err(not_changed(broken));
        }
        if let Some(version) = loaded.version.filter(|version| *version > VERSION) {
            return Err(Fault::new(
                Code::SettingsFile,
                format!(
                    "{} is of version {version}, and this program knows {VERSION}: it was not changed.",
                    self.path.display()
                ),
                "Use the newer Review Gate that wrote it, or change it by hand.",
            ));
        }
        Ok(text)
    }

    fn changed(&self, text: &Option<String>, wanted: &Values, loaded: &Loaded) -> Result<String, Fault> {
        let entangled = |what: &str| {
            Fault::new(
                Code::SettingsFile,
                format!("{what} can't be changed in {} without changing something else there.", self.path.display()),
                "Nothing was changed. Change it by hand; a running gate reads it at once.",
            )
        };
        let refused = |refusal: Refusal, what: &str| match refusal {
            Refusal::Broken(broken) => not_changed(&layers::unreadable(&self.path, &broken)),
            Refusal::Entangled => entangled(what),
        };
        let mut new = match text {
            None => HEADER.to_owned(),
            Some(text) if loaded.version == Some(VERSION) => text.clone(),
            Some(text) => migrate::migrated(text, loaded.version.unwrap_or_default())
                .map_err(|refusal| refused(refusal, "`version`"))?,
        };
        for (key, value) in wanted {
            let path: Vec<&str> = key.split('.').collect();
            let value = Some(value).filter(|value| !value.is_null());
            new = set(&new, &path, value).map_err(|refusal| refused(refusal, &format!("`{key}`")))?;
        }
        match new.len() > bounds::SETTINGS_BYTES {
            true => Err(not_changed(&self.too_large())),
            false => Ok(new),
        }
    }

    /// Puts a text in the place of the one that was read. False where the file is another one by now.
    fn replace(&self, old: &Option<String>, version: Option<u32>, new: &str) -> Result<bool, Fault> {
        let fault = |error: std::io::Error| unwritable(&self.path, &error);
        let target = self.target()?;
        if fs::metadata(&target).is_ok_and(|data| data.permissions().readonly()) {
            return Err(Fault::new(
                Code::ReadOnly,
                format!("{} is read-only: it was not changed.", self.path.display()),
                "Make it writable, or change it where it comes from.",
            ));
        }
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(fault)?;
        let mut temporary = tempfile::Builder::new().prefix(".config.yaml.").tempfile_in(folder).map_err(fault)?;
        temporary.write_all(new.as_bytes()).map_err(fault)?;
        if let Ok(data) = fs::metadata(&target) {
            temporary.as_file().set_permissions(data.permissions()).map_err(fault)?;
        }
        temporary.as_file().sync_all().map_err(fault)?;
        if self.read().map_err(|fault| not_changed(&fault))? != *old {
            return Ok(false);
        }
        if let Some(text) = old
            && let Some(version) = version.filter(|version| *version < VERSION)
        {
            keep_old(&target, version, text).map_err(fault)?;
        }
        temporary.persist(&target).map_err(|error| fault(error.error))?;
        // Without it, a loss of power may bring the old file back, which is no harm to either.
        let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
        Ok(true)
    }

    /// The file itself, behind the links that lead to it.
    fn target(&self) -> Result<PathBuf, Fault> {
        let mut target = self.path.clone();
        for _ in 0..LINKS {
            let Ok(next) = fs::read_link(&target) else { return Ok(target) };
            target = target.parent().unwrap_or(Path::new("")).join(next);
        }
        Err(unwritable(&self.path, &std::io::Error::other("its links lead in a circle")))
    }

    /// What the file says that isn't secret, as a file of its own.
    ///
    /// # Errors
    /// As [`Self::save`] where the file is broken.
    pub fn export(&self) -> Result<String, Fault> {
        let loaded = self.load(&Overlay::default());
        if let Some(broken) = loaded.broken {
            return Err(broken);
        }
        let mut text = HEADER.to_owned();
        for entry in SETTINGS.iter().filter(|entry| !entry.secret) {
            let Some(value) = loaded.written.get(entry.key) else { continue };
            let path: Vec<&str> = entry.key.split('.').collect();
            text = set(&text, &path, Some(value))
                .map_err(|_| Fault::internal(format!("`{}` can't be written.", entry.key)))?;
        }
        Ok(text)
    }

    /// Where the text of another settings file differs from this one, and what is wrong with it. What it
    /// doesn't say stays as it is.
    #[must_use]
    pub fn differences(&self, imported: &str) -> (Vec<SettingDifference>, Vec<Fault>) {
        let read = match imported.len() > bounds::SETTINGS_BYTES {
            true => Err(Fault::new(
                Code::TooLarge,
                format!("The settings have more than {} bytes.", bounds::SETTINGS_BYTES),
                "Import a settings file of Review Gate.",
            )),
            false => Ok(Some(imported.to_owned())),
        };
        let imported = layers::load(&read, Path::new("the imported text"), &Overlay::default(), None);
        let present = self.load(&Overlay::default());
        let differs = |key: &str, value: &Value| present.raw.get(key) != Some(value);
        let open = SETTINGS.iter().filter(|entry| !entry.secret);
        let found = open.filter_map(|entry| Some((entry.key, imported.written.get(entry.key)?)));
        let differences = found.filter(|(key, value)| differs(key, value)).map(|(key, to)| SettingDifference {
            key: key.to_owned(),
            from: present.raw.get(key).cloned().unwrap_or_default(),
            to: to.clone(),
        });
        (differences.collect(), imported.problems)
    }
}

/// The values in their one form.
fn valid(wanted: &Wanted) -> Result<Values, Fault> {
    let mut values = Values::new();
    let mut wrong = Vec::new();
    for (key, value) in wanted {
        let entry = entry(key).ok_or_else(|| unknown_setting(key))?;
        let checked = check(entry, value);
        wrong.extend(checked.wrong.into_iter().map(|wrong| wrong.message));
        values.insert(entry.key, checked.value.unwrap_or_default());
    }
    if wrong.is_empty() {
        return Ok(values);
    }
    Err(Fault::new(Code::SettingRejected, wrong.join(" "), "Nothing was changed; correct what is named."))
}

/// The fault of a key that names nothing.
#[must_use]
pub fn unknown_setting(key: &str) -> Fault {
    let last = key.rsplit('.').next().unwrap_or(key);
    let alike = SETTINGS.iter().map(|entry| entry.key).find(|known| known.ends_with(&format!(".{last}")));
    let mend = match alike {
        Some(known) => format!("Did you mean `{known}`? `review-gate config list` names all of them."),
        None => "`review-gate config list` names all of them.".to_owned(),
    };
    Fault::new(Code::UnknownSetting, format!("There is no setting `{}`.", gate_core::ask::excerpt(key, 100)), mend)
}

fn refuse_conflicts(wanted: &Values, seen: &Wanted, loaded: &Loaded) -> Result<(), Fault> {
    let conflicts: Vec<String> = wanted
        .iter()
        .filter_map(|(key, value)| {
            let (present, seen) = (loaded.values.get(key)?, seen.get(*key)?);
            let others = present != seen && loaded.written.get(key).unwrap_or(&Value::Null) != value;
            others.then(|| format!("`{key}` is {} by now", crate::check::shown(present)))
        })
        .collect();
    if conflicts.is_empty() {
        return Ok(());
    }
    Err(Fault::new(
        Code::SettingConflict,
        format!("Somebody else has changed what you were changing: {}.", conflicts.join(", ")),
        "Nothing was changed. Look at the present values, then save again.",
    ))
}

fn changes(wanted: &Values, loaded: &Loaded) -> Vec<Changed> {
    let change = |(key, to): (&&'static str, &Value)| {
        let from = loaded.raw.get(key).cloned().unwrap_or_default();
        (from != *to).then(|| Changed { key, from, to: to.clone() })
    };
    wanted.iter().filter_map(change).collect()
}

/// The same fault, told to somebody who wanted to change the file.
fn not_changed(fault: &Fault) -> Fault {
    Fault::new(fault.code, fault.message.clone(), "The file was not changed. Correct it first, then try again.")
}

fn unwritable(file: &Path, error: &std::io::Error) -> Fault {
    let (code, mend) = match error.kind() {
        ErrorKind::StorageFull => (Code::DiskFull, "Make room on the disk, then try again."),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            (Code::ReadOnly, "Give yourself the right to write it and its folder, then try again.")
        }
        _ => (Code::SettingsFile, "Mend what it says, then try again."),
    };
    Fault::new(code, format!("{} can't be written: {error}.", file.display()), mend)
}

/// Keeps a file of an older version beside the new one, unless one was kept before.
fn keep_old(target: &Path, version: u32, text: &str) -> std::io::Result<()> {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".version-{version}"));
    match fs::OpenOptions::new().write(true).create_new(true).open(target.with_file_name(name)) {
        Ok(mut copy) => {
            copy.set_permissions(fs::metadata(target)?.permissions())?;
            copy.write_all(text.as_bytes())?;
            copy.sync_all()
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}
