//! The library: which folders there are, what was last read from them, and the version that is served.
//!
//! A version is made in full before it takes the other's place, so whoever asks in between gets one or the
//! other, and never some of both.

mod read;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use gate_core::PromptOrigin;
use gate_git::child;
use sha2::{Digest as _, Sha256};

use self::read::Cached;
use crate::set::{Goods, Layer, PromptSet, assemble};
use crate::template::Compiled;
use crate::wake::Wake;
use crate::{builtin, deep};

/// Where prompts are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The person's own.
    pub local: PathBuf,
    /// What was fetched from a repository.
    pub synced: Option<PathBuf>,
}

/// What a look at the folders found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reloaded {
    /// Whether anything is other than before: a prompt, a text, or what is wrong.
    pub changed: bool,
    /// Whether the list of prompts is another one.
    pub listed: bool,
}

/// The prompts of the folders and the program.
#[derive(Debug)]
pub struct Library {
    folders: RwLock<Folders>,
    current: RwLock<Arc<PromptSet>>,
    memory: Mutex<Memory>,
    /// Wakes whoever watches.
    pub(crate) wake: Mutex<Option<Sender<Wake>>>,
}

/// What is kept from one look to the next.
#[derive(Debug, Default)]
struct Memory {
    files: HashMap<(PromptOrigin, String), Cached>,
    goods: Goods,
    partials: HashMap<(PromptOrigin, String), Arc<Compiled>>,
    /// Names everything that the current version was made of.
    seen: String,
}

impl Library {
    /// Reads the folders and makes the first version. It blocks; a folder that isn't there is an empty one,
    /// and nothing is created.
    #[must_use]
    pub fn open(folders: Folders) -> Self {
        let (nothing, _) = assemble(&[], None);
        let library = Self {
            folders: RwLock::new(folders),
            current: RwLock::new(Arc::new(nothing)),
            memory: Mutex::default(),
            wake: Mutex::default(),
        };
        library.reload();
        library
    }

    /// The version that is served.
    #[must_use]
    pub fn current(&self) -> Arc<PromptSet> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Where prompts are.
    #[must_use]
    pub fn folders(&self) -> Folders {
        self.folders.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes prompts from other folders from now on. It reads them, and blocks.
    pub fn set_folders(&self, folders: Folders) -> Reloaded {
        {
            let mut current = self.folders.write().unwrap_or_else(PoisonError::into_inner);
            if *current != folders {
                // What was good in another folder isn't an earlier version of what is in this one.
                let mut memory = self.memory();
                if current.local != folders.local {
                    memory.forget(PromptOrigin::Local);
                }
                memory.files.clear();
                *current = folders;
            }
        }
        let reloaded = self.reload();
        if let Some(wake) = self.wake.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            // Nobody watches any more where this fails.
            let _ = wake.send(Wake::Folders);
        }
        reloaded
    }

    /// Looks at the folders and makes a new version of what is other than before. It reads only files that
    /// changed, and blocks. Of a file that is broken now, the last good version stays.
    pub fn reload(&self) -> Reloaded {
        let mut guard = self.memory();
        let memory = &mut *guard;
        let folders = self.folders();
        // Of a large folder this takes a second, in which agents go on getting prompts. Nothing is served before the first.
        let first = self.current().list.prompts.is_empty();
        let made = deep::on(deep::READING, || {
            if !first {
                child::thread_gives_way();
            }
            memory.made(&folders)
        });
        let Ok((set, seen)) = made else { return Reloaded::default() };
        let before = self.current();
        if memory.seen == seen {
            return Reloaded::default();
        }
        memory.seen = seen;
        let listed = *set.list != *before.list;
        let list = if listed { set.list.clone() } else { before.list.clone() };
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(PromptSet { list, ..set });
        Reloaded { changed: true, listed }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn forget(&mut self, origin: PromptOrigin) {
        self.files.retain(|(of, _), _| *of != origin);
        self.goods.retain(|(of, _), _| *of != origin);
        self.partials.retain(|(of, _), _| *of != origin);
    }

    fn made(&mut self, folders: &Folders) -> (PromptSet, String) {
        let mut layers = vec![builtin::layer()];
        if let Some(synced) = &folders.synced {
            layers.push(self.layer(PromptOrigin::Synced, synced).0);
        }
        let (local, fault) = self.layer(PromptOrigin::Local, &folders.local);
        layers.push(local);
        let seen = named(&layers, fault.as_ref().map(|fault| fault.message.as_str()));
        let (set, goods) = assemble(&layers, fault);
        self.goods = goods;
        (set, seen)
    }
}

/// A name for everything that these layers hold.
fn named(layers: &[Layer], fault: Option<&str>) -> String {
    let mut hash = Sha256::new();
    let mut add = |text: &str| {
        hash.update(text.len().to_le_bytes());
        hash.update(text.as_bytes());
    };
    add(fault.unwrap_or_default());
    for layer in layers {
        for file in &layer.files {
            add(&file.file);
            add(&file.sha256);
            // What can't be read has no text; why may change.
            file.read.troubles.iter().filter(|_| file.text.is_empty()).for_each(|trouble| add(&trouble.message));
        }
        for partial in &layer.partials {
            add(&partial.file);
            add(&partial.sha256);
        }
        for (file, trouble) in &layer.troubles {
            add(file);
            add(&trouble.message);
        }
        add("next layer");
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
