//! The settings in force: read when the gate starts, changed by windows, agents and terminals, and taken
//! up again when somebody has changed the file. What a setting is stands in gate-settings.

mod agents;
mod commands;
mod guards;
mod in_force;
mod port;

use std::sync::Arc;

use gate_api::subjects::settings::Event;
use gate_api::{ChangedBy, Origin, SettingChange, SettingsView};
use gate_core::{AnsweredFrom, Code, Fault, SessionUuid, SettingChangeId};
use gate_mcp::Change;
use gate_settings::{Changed, Loaded, SETTINGS, Settings, Wanted, check, entry};
use gate_store::{JournalChoice, Store, StoredSettingChange};
use serde_json::Value;

use crate::bus::Bus;
use crate::slices::receipts::{Receipts, given};
use crate::work::blocking;
pub(crate) use in_force::InForce;

/// The settings of a running gate.
#[derive(Debug)]
pub(crate) struct Configured {
    store: Store,
    bus: Bus,
    receipts: Arc<Receipts>,
    in_force: InForce,
    /// Held while they change, so that each change is told by whom it is.
    changing: tokio::sync::Mutex<()>,
}

/// What came of writing the file.
struct Written {
    changed: Vec<Changed>,
    before: Arc<Loaded>,
    after: Arc<Loaded>,
}

/// Who changes settings.
#[derive(Debug, Clone)]
pub(crate) struct Changer {
    pub(crate) by: ChangedBy,
    /// Where it is done.
    pub(crate) given: AnsweredFrom,
    /// An agent's name.
    pub(crate) client: Option<String>,
    /// An agent's session.
    pub(crate) session_uuid: Option<SessionUuid>,
}

impl Changer {
    fn of(origin: Origin) -> Self {
        let by = match origin {
            Origin::Desktop | Origin::Browser => ChangedBy::Person,
            Origin::Terminal | Origin::Script => ChangedBy::Terminal,
        };
        Self { by, given: given(origin), client: None, session_uuid: None }
    }

    const FILE: Self = Self { by: ChangedBy::File, given: AnsweredFrom::Script, client: None, session_uuid: None };
}

impl Configured {
    /// The settings that were read before the record was opened. What is confirmed of guards holds from now on only as
    /// far as receipts say it, too.
    ///
    /// # Errors
    /// When the receipts can't be read.
    pub(crate) async fn open(
        store: Store,
        bus: Bus,
        receipts: Arc<Receipts>,
        in_force: InForce,
    ) -> Result<Arc<Self>, Fault> {
        let settings = Arc::new(Self { store, bus, receipts, in_force, changing: tokio::sync::Mutex::default() });
        settings.vouch_and_read_again().await?;
        Ok(settings)
    }

    /// What holds now.
    pub(crate) fn in_force(&self) -> Arc<Settings> {
        self.in_force.settings()
    }

    /// What holds now, and what is known of it.
    pub(crate) fn loaded(&self) -> Arc<Loaded> {
        self.in_force.loaded()
    }

    /// The guards of who answers that are weaker than by themselves, as [`gate_settings::weak`] says it.
    pub(crate) fn weak(&self) -> Arc<[String]> {
        self.in_force.weak()
    }

    /// Takes up what somebody has written into the file.
    pub(crate) async fn follow_file(self: &Arc<Self>) {
        let followed = async {
            if !self.is_stale().await? {
                return Ok(());
            }
            let _alone = self.changing.lock().await;
            self.take_up_file().await
        };
        if let Err(fault) = followed.await {
            tracing::warn!(%fault, "a change of the settings could not be remembered");
        }
    }

    async fn is_stale(self: &Arc<Self>) -> Result<bool, Fault> {
        let settings = Arc::clone(self);
        blocking(move || Ok(settings.in_force.is_stale())).await
    }

    /// Reads the file where it is another one than before, and remembers what is other in it.
    async fn take_up_file(self: &Arc<Self>) -> Result<(), Fault> {
        if !self.is_stale().await? {
            return Ok(());
        }
        let (before, after) = self.read_settings().await?;
        let remembered = self.remember(differences(&before, &after), Changer::FILE).await;
        self.tell_settings(&before, &after);
        remembered.map(drop)
    }

    /// Reads the file.
    async fn read_settings(self: &Arc<Self>) -> Result<(Arc<Loaded>, Arc<Loaded>), Fault> {
        let settings = Arc::clone(self);
        let (before, after) = blocking(move || Ok(settings.in_force.read_again())).await?;
        let gone: Vec<_> = before.problems.iter().filter(|known| !after.problems.contains(known)).collect();
        self.bus.take_back_warnings(&gone);
        for problem in &after.problems {
            self.bus.warn(problem.clone());
        }
        Ok((before, after))
    }

    /// Tells everyone that settings are other, after that is remembered: whoever looks then sees it.
    fn tell_settings(&self, before: &Loaded, after: &Loaded) {
        if before != after {
            self.bus.emit(Event::SettingsChanged { settings: after.settings.window_settings() });
        }
        if before.values != after.values {
            self.bus.change(Change::Resource(gate_mcp::CONFIG.to_owned()));
        }
    }

    /// Changes settings, all of them or none.
    pub(crate) async fn change_settings(
        self: &Arc<Self>,
        wanted: Wanted,
        seen: Wanted,
        changer: Changer,
    ) -> Result<Vec<SettingChange>, Fault> {
        let _alone = self.changing.lock().await;
        let written = self.write_settings(wanted, seen).await?;
        self.note_safer(&written.changed, changer.given).await;
        let remembered = self.remember(written.changed, changer).await;
        self.tell_settings(&written.before, &written.after);
        remembered
    }

    async fn write_settings(self: &Arc<Self>, wanted: Wanted, seen: Wanted) -> Result<Written, Fault> {
        self.take_up_file().await?;
        let settings = Arc::clone(self);
        let changed = blocking(move || settings.in_force.save(&wanted, &seen)).await?;
        let (before, after) = self.read_settings().await?;
        Ok(Written { changed, before, after })
    }

    /// Remembers changes, and tells the person of those that weren't theirs.
    async fn remember(&self, changed: Vec<Changed>, changer: Changer) -> Result<Vec<SettingChange>, Fault> {
        if changed.is_empty() {
            return Ok(Vec::new());
        }
        // What a secret was and is stands in the file alone.
        let is_open = |change: &Changed| entry(change.key).is_some_and(|entry| !entry.secret);
        let changed: Vec<_> = changed.into_iter().filter(is_open).collect();
        let (at, save_id) = (self.bus.now(), SettingChangeId(self.bus.new_id()));
        let stored: Vec<_> = changed
            .into_iter()
            .map(|change| StoredSettingChange {
                change_id: SettingChangeId(self.bus.new_id()),
                save_id,
                key: change.key.to_owned(),
                from: change.from.to_string(),
                to: change.to.to_string(),
                by: changer.by.as_str().to_owned(),
                client: changer.client.clone(),
                session_uuid: changer.session_uuid,
                at,
                undone_at: None,
            })
            .collect();
        self.store.add_setting_changes(&stored).await?;
        let changes: Vec<_> = stored.into_iter().map(shown).collect();
        if changer.by != ChangedBy::Person {
            self.bus.emit(Event::SettingChanges { changes: changes.clone() });
        }
        Ok(changes)
    }

    /// Carries out a front end's change.
    pub(crate) async fn save_settings(
        self: &Arc<Self>,
        values: Wanted,
        seen: Wanted,
        origin: Origin,
    ) -> Result<SettingsView, Fault> {
        may_change(&values, &self.loaded(), origin)?;
        self.change_settings(values, seen, Changer::of(origin)).await?;
        self.settings_view().await
    }

    /// Makes a guard weaker, which the person has just confirmed.
    pub(crate) async fn weaken_guard(
        self: &Arc<Self>,
        key: String,
        value: Value,
        origin: Origin,
    ) -> Result<SettingsView, Fault> {
        let before = self.loaded().values.get(key.as_str()).cloned().unwrap_or_default();
        self.note_weaker(&key, &value, given(origin)).await?;
        let (settings, wanted) = (Arc::clone(self), (key.clone(), value.clone()));
        let guard = key.clone();
        let changed = match blocking(move || settings.in_force.file().confirm(&wanted.0, &wanted.1)).await {
            Ok(()) => self.change_settings(Wanted::from([(key, value)]), Wanted::new(), Changer::of(origin)).await,
            Err(fault) => Err(fault),
        };
        if changed.is_err() {
            // Nothing was changed, so nothing weaker than what holds stays confirmed.
            self.note_unchanged(&guard, &before, given(origin)).await;
            let settings = Arc::clone(self);
            blocking(move || settings.in_force.file().hold_safer(&settings.loaded().values)).await?;
        }
        changed?;
        self.settings_view().await
    }

    /// Takes back the last save that wasn't taken back.
    pub(crate) async fn undo_settings(self: &Arc<Self>, origin: Origin) -> Result<SettingsView, Fault> {
        let stored = self.store.setting_changes().await?;
        let last = stored.iter().find(|change| change.undone_at.is_none()).map(|change| change.save_id);
        let last = last.ok_or_else(|| {
            Fault::new(Code::UnknownSetting, "There is no change to take back.", "Nothing was changed.")
        })?;
        let save = stored.into_iter().filter(|change| change.save_id == last && change.undone_at.is_none()).collect();
        self.take_back(save, origin).await
    }

    /// Takes back one change.
    pub(crate) async fn undo_setting_change(
        self: &Arc<Self>,
        id: SettingChangeId,
        origin: Origin,
    ) -> Result<SettingsView, Fault> {
        let stored = self.store.setting_changes().await?;
        let change = stored.into_iter().find(|change| change.change_id == id).ok_or_else(|| {
            Fault::new(
                Code::UnknownSetting,
                format!("No change of a setting has the id {id}."),
                "It may be too long ago; change the setting itself.",
            )
        })?;
        if change.undone_at.is_some() {
            return self.settings_view().await;
        }
        self.take_back(vec![change], origin).await
    }

    async fn take_back(
        self: &Arc<Self>,
        changes: Vec<StoredSettingChange>,
        origin: Origin,
    ) -> Result<SettingsView, Fault> {
        let back = changes.iter().map(|change| (change.key.clone(), good(&change.key, json(&change.from)))).collect();
        may_change(&back, &self.loaded(), origin)?;
        {
            let _alone = self.changing.lock().await;
            self.take_up_file().await?;
            let present = self.loaded();
            let mut wanted = Wanted::new();
            for change in &changes {
                let stands = present.raw.get(change.key.as_str()).cloned().unwrap_or_default();
                if stands != json(&change.to) {
                    return Err(Fault::new(
                        Code::SettingConflict,
                        format!("`{}` was changed again since.", change.key),
                        "Nothing was changed; set it to what you want.",
                    ));
                }
                wanted.insert(change.key.clone(), good(&change.key, json(&change.from)));
            }
            let written = self.write_settings(wanted, Wanted::new()).await?;
            let ids: Vec<_> = changes.iter().map(|change| change.change_id).collect();
            self.note_safer(&written.changed, given(origin)).await;
            let noted = self.store.undo_setting_changes(&ids, self.bus.now()).await;
            self.tell_settings(&written.before, &written.after);
            noted?;
        }
        self.settings_view().await
    }

    /// Takes over what another settings file says.
    pub(crate) async fn import_settings(self: &Arc<Self>, text: String, origin: Origin) -> Result<SettingsView, Fault> {
        let (differences, problems) = self.settings_differences(text).await?;
        if !problems.is_empty() {
            let all: Vec<_> = problems.into_iter().map(|problem| problem.message).collect();
            return Err(Fault::new(
                Code::SettingRejected,
                all.join(" "),
                "Nothing was changed; correct what is named, then import it again.",
            ));
        }
        let wanted: Wanted = differences.into_iter().map(|difference| (difference.key, difference.to)).collect();
        self.save_settings(wanted, Wanted::new(), origin).await
    }

    /// What importing a settings file would change, and what is wrong with it.
    pub(crate) async fn settings_differences(
        self: &Arc<Self>,
        text: String,
    ) -> Result<(Vec<gate_api::SettingDifference>, Vec<Fault>), Fault> {
        let settings = Arc::clone(self);
        blocking(move || Ok(settings.in_force.file().differences(&text))).await
    }

    /// The settings as a file of their own.
    pub(crate) async fn export_settings(self: &Arc<Self>) -> Result<String, Fault> {
        let settings = Arc::clone(self);
        blocking(move || settings.in_force.file().export()).await
    }

    /// Every setting, as the page shows them.
    pub(crate) async fn settings_view(&self) -> Result<SettingsView, Fault> {
        let changes = self.store.setting_changes().await?;
        let loaded = self.loaded();
        Ok(SettingsView {
            sections: gate_settings::sections(),
            settings: gate_settings::settings(&loaded),
            file: self.in_force.file().path().display().to_string(),
            problems: loaded.problems.clone(),
            can_undo: changes.iter().any(|change| change.undone_at.is_none()),
            changes: changes.into_iter().map(shown).collect(),
        })
    }
}

/// How SQLite is to write.
pub(crate) fn journal(settings: &Settings) -> JournalChoice {
    match settings.storage.journal.as_str() {
        "wal" => JournalChoice::Wal,
        "rollback" => JournalChoice::Rollback,
        _ => JournalChoice::Auto,
    }
}

/// What a change of the file was, where nobody has said it.
fn differences(before: &Loaded, after: &Loaded) -> Vec<Changed> {
    let of = |loaded: &Loaded, key| loaded.raw.get(key).cloned().unwrap_or_default();
    let both = SETTINGS.iter().map(|entry| (entry.key, of(before, entry.key), of(after, entry.key)));
    both.filter(|(_, from, to)| from != to).map(|(key, from, to)| Changed { key, from, to }).collect()
}

/// Whether these settings may be changed from there: what protects the person gets weaker only where they confirm it.
///
/// # Errors
/// `needs_confirmation` where they may be asked, else `setting_forbidden`; each names a guard that would get weaker.
pub fn may_change(wanted: &Wanted, present: &Loaded, origin: Origin) -> Result<(), Fault> {
    let Some(key) = gate_settings::weakened(wanted, present) else { return Ok(()) };
    Err(match origin {
        Origin::Desktop | Origin::Browser => Fault::new(
            Code::NeedsConfirmation,
            format!("`{key}` protects you, and would get weaker."),
            "Nothing was changed. Change it by itself, and confirm it.",
        ),
        Origin::Terminal | Origin::Script => Fault::new(
            Code::SettingForbidden,
            format!(
                "`{key}` protects the person, and would get weaker: that isn't done from a terminal or by a script."
            ),
            "Change it in the window's settings or on a signed-in page, and confirm it there.",
        ),
    })
}

/// What may be written back: what stood there, if it was good.
fn good(key: &str, value: Value) -> Value {
    let is_good = entry(key).is_some_and(|entry| check(entry, &value).wrong.is_empty());
    if is_good { value } else { Value::Null }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn shown(change: StoredSettingChange) -> SettingChange {
    let by = ChangedBy::ALL.into_iter().find(|by| by.as_str() == change.by).unwrap_or(ChangedBy::File);
    SettingChange {
        change_id: change.change_id,
        key: change.key,
        from: json(&change.from),
        to: json(&change.to),
        by,
        client: change.client,
        session_uuid: change.session_uuid,
        at: change.at,
        undone: change.undone_at.is_some(),
    }
}
