//! What holds of the settings now, and the file and the layers that it was read from. Knows no record and tells
//! nobody.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use gate_core::Fault;
use gate_settings::{Changed, Loaded, Overlay, Settings, SettingsFile, Stamp, Wanted};

/// The settings in force.
#[derive(Debug)]
pub(crate) struct InForce {
    file: SettingsFile,
    overlay: Overlay,
    present: RwLock<Present>,
    /// The file as it was when it was last read.
    stamp: Mutex<Stamp>,
}

#[derive(Debug, Clone)]
struct Present {
    settings: Arc<Settings>,
    loaded: Arc<Loaded>,
    /// As [`gate_settings::weak`] says it: every result of an answered request tells of them.
    weak: Arc<[String]>,
}

impl Present {
    fn of(loaded: Arc<Loaded>) -> Self {
        let weak = gate_settings::weak(&loaded.values).into();
        Self { settings: Arc::new(loaded.settings.clone()), loaded, weak }
    }
}

impl InForce {
    /// Reads the file, and what lies over it.
    pub(crate) fn read(file: SettingsFile, overlay: Overlay) -> Self {
        let stamp = Mutex::new(file.stamp());
        let present = Present::of(Arc::new(file.load(&overlay)));
        Self { file, overlay, present: RwLock::new(present), stamp }
    }

    /// What holds now.
    pub(crate) fn settings(&self) -> Arc<Settings> {
        self.present().settings
    }

    /// What holds now, and what is known of it.
    pub(crate) fn loaded(&self) -> Arc<Loaded> {
        self.present().loaded
    }

    /// The guards of who answers that are weaker than by themselves.
    pub(crate) fn weak(&self) -> Arc<[String]> {
        self.present().weak
    }

    fn present(&self) -> Present {
        self.present.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn stamp(&self) -> Stamp {
        self.stamp.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the file is another one than when it was last read.
    pub(super) fn is_stale(&self) -> bool {
        self.file.stamp() != self.stamp()
    }

    /// Reads the file again. A file that can't be read, where one could before, changes nothing: its
    /// writer is about to mend it.
    pub(super) fn read_again(&self) -> (Arc<Loaded>, Arc<Loaded>) {
        let stamp = self.file.stamp();
        let before = self.loaded();
        let read = self.file.load(&self.overlay);
        let after = match (&read.broken, &before.broken) {
            (Some(_), _) => Loaded { problems: read.problems, broken: read.broken, ..(*before).clone() },
            (None, _) => read,
        };
        let after = Arc::new(after);
        *self.present.write().unwrap_or_else(PoisonError::into_inner) = Present::of(Arc::clone(&after));
        *self.stamp.lock().unwrap_or_else(PoisonError::into_inner) = stamp;
        (before, after)
    }

    /// Changes the file: all that is wanted, or nothing. It blocks.
    pub(super) fn save(&self, wanted: &Wanted, seen: &Wanted) -> Result<Vec<Changed>, Fault> {
        self.file.save(wanted, seen, &self.overlay)
    }

    /// The file that is read.
    pub(super) fn file(&self) -> &SettingsFile {
        &self.file
    }
}
