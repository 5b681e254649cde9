//! One folder, read: files that are as they were aren't read again.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use gate_core::{Fault, PromptOrigin};
use gate_os::files::Stamp;

use super::Memory;
use crate::builtin::sha256;
use crate::file::{self, Read};
use crate::folder::{self, Kind, Listed, Listing, tells_since};
use crate::set::{Layer, LayerFile, LayerPartial};
use crate::template::Compiled;
use crate::trouble::Trouble;

/// How often a folder is read again that changed while it was read.
const ATTEMPTS: usize = 4;

/// A file as it was last read.
#[derive(Debug, Clone)]
pub(super) struct Cached {
    stamp: Stamp,
    read_at: SystemTime,
    text: Arc<str>,
    sha256: String,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    Prompt(Arc<Read>),
    Partial(Option<Arc<Compiled>>, Vec<Trouble>),
}

impl Memory {
    /// Reads a folder. Why it can't be read as a whole comes with an empty layer.
    pub(super) fn layer(&mut self, origin: PromptOrigin, folder: &Path) -> (Layer, Option<Fault>) {
        let mut listing = folder::list(folder);
        for _ in 0..ATTEMPTS {
            for listed in &listing.files {
                self.look(origin, listed);
            }
            // A folder that is being written would give some files of before and some of after.
            let after = folder::list(folder);
            if after == listing {
                break;
            }
            listing = after;
        }
        for listed in &listing.files {
            if !self.files.contains_key(&(origin, listed.file.clone())) {
                self.look(origin, listed);
            }
        }
        let Listing { files, troubles, fault } = listing;
        let known: std::collections::HashSet<&str> = files.iter().map(|listed| listed.file.as_str()).collect();
        self.files.retain(|(of, file), _| *of != origin || known.contains(file.as_str()));
        let mut layer = Layer { origin, files: Vec::new(), partials: Vec::new(), troubles };
        for listed in &files {
            self.add(&mut layer, listed);
        }
        let partials: std::collections::HashSet<&str> = layer.partials.iter().map(|one| one.name.as_str()).collect();
        self.partials.retain(|(of, name), _| *of != origin || partials.contains(name.as_str()));
        (layer, fault)
    }

    /// Reads a file, unless it is known as it is.
    fn look(&mut self, origin: PromptOrigin, listed: &Listed) {
        let key = (origin, listed.file.clone());
        let read_at = SystemTime::now();
        let known = self.files.get(&key);
        if known.is_some_and(|known| known.stamp == listed.stamp && tells_since(&listed.stamp, known.read_at)) {
            return;
        }
        let (text, trouble) = match folder::text(&listed.path) {
            Ok(text) => (text, None),
            Err(trouble) => (String::new(), Some(trouble)),
        };
        let sha256 = sha256(&text);
        let what = match known {
            Some(known) if trouble.is_none() && !text.is_empty() && known.sha256 == sha256 => known.what.clone(),
            _ => match (&listed.kind, trouble) {
                (Kind::Prompt { .. }, Some(trouble)) => {
                    What::Prompt(Arc::new(Read { draft: None, troubles: vec![trouble] }))
                }
                (Kind::Prompt { format, .. }, None) => What::Prompt(Arc::new(file::read(&text, *format))),
                (Kind::Partial { .. }, Some(trouble)) => What::Partial(None, vec![trouble]),
                (Kind::Partial { .. }, None) => {
                    let (compiled, troubles) = file::read_partial(&text);
                    What::Partial(compiled.map(Arc::new), troubles)
                }
            },
        };
        let cached = Cached { stamp: listed.stamp, read_at, text: Arc::from(text), sha256, what };
        self.files.insert(key, cached);
    }

    fn add(&mut self, layer: &mut Layer, listed: &Listed) {
        let origin = layer.origin;
        let Some(cached) = self.files.get(&(origin, listed.file.clone())) else { return };
        match (&listed.kind, &cached.what) {
            (Kind::Prompt { id, format }, What::Prompt(read)) => {
                if folder::of_repository(&listed.file, &cached.text) {
                    return;
                }
                layer.files.push(LayerFile {
                    id: id.clone(),
                    file: listed.file.clone(),
                    format: *format,
                    text: cached.text.clone(),
                    sha256: cached.sha256.clone(),
                    read: read.clone(),
                    good: self.goods.get(&(origin, id.clone())).cloned(),
                });
            }
            (Kind::Partial { name }, What::Partial(compiled, troubles)) => {
                if let Some(other) = layer.partials.iter().find(|other| other.name == *name) {
                    let message = format!("`{}` and `{}` are both the partial `{name}`.", other.file, listed.file);
                    let mend = format!("Remove or rename one of them; `{}` is the one that counts.", other.file);
                    layer.troubles.push((listed.file.clone(), Trouble::new(None, message, mend)));
                    return;
                }
                let key = (origin, name.clone());
                let (troubles, sha256) = (troubles.clone(), cached.sha256.clone());
                if let Some(compiled) = compiled {
                    self.partials.insert(key.clone(), compiled.clone());
                }
                let compiled = self.partials.get(&key).cloned();
                let (name, file) = (name.clone(), listed.file.clone());
                layer.partials.push(LayerPartial { name, file, compiled, troubles, sha256 });
            }
            _ => {}
        }
    }
}
