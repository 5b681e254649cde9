//! The security keys that are enrolled: which count is said by the receipts, as lines of the chain; by what each is used
//! here, a file of SSH's or a browser's name for it, stands in `keys.json` beside them, which makes none count.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_api::subjects::keys::{SecurityKey, SecurityKeys as Listed};
use gate_core::{AnsweredFrom, Code, Fault};
use gate_receipts::{Bytes, Does, Fingerprint, Key, PublicKey, Registration, Said};
use serde_json::{Value, json};

use crate::slices::receipts::Receipts;
use crate::work::blocking;

/// The file that says by what a key is used.
const FILE: &str = "keys.json";
/// How a public key's file ends; what signs with the key is called the same without it.
const PUBLIC: &str = ".pub";
/// Largest file of a public key, in bytes.
const PUBLIC_BYTES: u64 = 16 * 1024;
/// Longest comment that is kept, in characters.
const COMMENT_CHARS: usize = 100;

/// The security keys of a home.
#[derive(Debug)]
pub(super) struct SecurityKeys {
    receipts: Arc<Receipts>,
    path: PathBuf,
    /// Held while they change.
    changing: tokio::sync::Mutex<()>,
    known: Mutex<Known>,
}

/// By what a key is used, whether it counts or not.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Usable {
    key: Fingerprint,
    by: UsedBy,
    comment: String,
}

/// By what a key is used.
#[derive(Debug, Clone, PartialEq, Eq)]
enum UsedBy {
    /// SSH: what signs with it, the file beside that of its public key.
    File(PathBuf),
    /// The person's browser, in the page that it was made in: by what its device knows it.
    Credential(Vec<u8>),
}

/// A key of a page that counts and that a browser can be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageKey {
    /// Its name.
    pub(super) key: Fingerprint,
    /// By what its device knows it.
    pub(super) credential: Vec<u8>,
    /// The origin of the page.
    pub(super) origin: String,
}

/// A key that counts, as the receipts say.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Enrolled {
    key: Fingerprint,
    /// Of a key of a page, that one's.
    origin: Option<String>,
}

/// What can be used here.
#[derive(Debug, Default)]
struct Known {
    files: Vec<(Fingerprint, PathBuf)>,
    page: Vec<PageKey>,
}

/// A public key as its file says it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Read {
    public: PublicKey,
    comment: String,
}

impl SecurityKeys {
    /// Those of a home. The receipts are read only where there are any.
    ///
    /// # Errors
    /// When the receipts can't be read.
    pub(super) async fn open(receipts: Arc<Receipts>, folder: &Path) -> Result<Self, Fault> {
        let (path, known) = (folder.join(FILE), Mutex::default());
        let keys = Self { receipts, path, changing: tokio::sync::Mutex::default(), known };
        keys.read_again().await?;
        Ok(keys)
    }

    /// Those that SSH can use here, each with what signs with it, as it was last known.
    pub(super) fn files(&self) -> Vec<(Fingerprint, PathBuf)> {
        self.lock().files.clone()
    }

    /// Those that were made in a page, as it was last known.
    pub(super) fn of_pages(&self) -> Vec<PageKey> {
        self.lock().page.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the file says, as far as the receipts say that it counts.
    async fn read_again(&self) -> Result<(), Fault> {
        let said = self.said().await?;
        let enrolled = if said.is_empty() { Vec::new() } else { self.enrolled().await? };
        let mut known = Known::default();
        for Usable { key, by, .. } in said {
            let Some(enrolled) = enrolled.iter().find(|enrolled| enrolled.key == key) else { continue };
            match (by, &enrolled.origin) {
                (UsedBy::File(file), None) => known.files.push((key, file)),
                (UsedBy::Credential(credential), Some(origin)) => {
                    known.page.push(PageKey { key, credential, origin: origin.clone() });
                }
                _ => {}
            }
        }
        *self.lock() = known;
        Ok(())
    }

    async fn said(&self) -> Result<Vec<Usable>, Fault> {
        let path = self.path.clone();
        blocking(move || {
            let text = fs::read(&path).ok();
            let said = text.and_then(|text| serde_json::from_slice::<BTreeMap<String, Value>>(&text).ok());
            let of = |(key, value): (String, Value)| {
                let by = match (value["file"].as_str(), value["credential"].as_str()) {
                    (Some(file), None) => UsedBy::File(PathBuf::from(file)),
                    (None, Some(credential)) => UsedBy::Credential(STANDARD.decode(credential).ok()?),
                    _ => return None,
                };
                let comment = value["comment"].as_str().unwrap_or_default().to_owned();
                Some(Usable { key: Fingerprint::try_from(key).ok()?, by, comment })
            };
            Ok(said.unwrap_or_default().into_iter().filter_map(of).collect())
        })
        .await
    }

    /// Those that count, in the order in which they were enrolled.
    async fn enrolled(&self) -> Result<Vec<Enrolled>, Fault> {
        self.receipts
            .chain(|chain| {
                let in_force = chain.keys().0.iter().filter(|key| key.until.is_none());
                // One without a touch is the system's, and no key of the person's.
                let touched = in_force.filter(|key| key.public.application().is_some());
                let of = |key: &gate_receipts::Enrolled| Enrolled {
                    key: key.public.fingerprint(),
                    origin: key.origin.clone(),
                };
                Ok(touched.map(of).collect())
            })
            .await
    }

    /// All that are enrolled, and what could be.
    pub(super) async fn list(&self) -> Result<Listed, Fault> {
        let (enrolled, said) = (self.enrolled().await?, self.said().await?);
        let of = |Enrolled { key, origin }: &Enrolled| {
            let known = said.iter().find(|usable| usable.key == *key);
            let file = match known.map(|usable| &usable.by) {
                Some(UsedBy::File(file)) => Some(file.display().to_string()),
                _ => None,
            };
            SecurityKey {
                key: key.to_string(),
                comment: known.map(|usable| usable.comment.clone()).unwrap_or_default(),
                file,
                page: origin.clone(),
            }
        };
        let keys: Vec<_> = enrolled.iter().map(of).collect();
        let found = blocking(move || Ok(found(&enrolled))).await?;
        Ok(Listed { keys, found })
    }

    /// Enrols the key of this file.
    ///
    /// # Errors
    /// `invalid_input` where it is no security key's, or can't be used; where that can't be written: it isn't enrolled
    /// then, or can't be used yet.
    pub(super) async fn add(&self, file: &str, given: AnsweredFrom) -> Result<(), Fault> {
        let _alone = self.changing.lock().await;
        let public = at_home(file);
        let (path, of) = (public.clone(), public.clone());
        let Read { public, comment } = blocking(move || read(&path)).await?;
        self.enrol(&public, None, UsedBy::File(signing_file(&of)), comment, given).await
    }

    /// Enrols a key that was made in the page of this origin.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub(super) async fn add_of_page(
        &self,
        made: Registration,
        origin: &str,
        name: &str,
        given: AnsweredFrom,
    ) -> Result<(), Fault> {
        let _alone = self.changing.lock().await;
        let Registration { public, credential } = made;
        self.enrol(&public, Some(origin.to_owned()), UsedBy::Credential(credential), comment_of(name), given).await
    }

    async fn enrol(
        &self,
        public: &PublicKey,
        origin: Option<String>,
        by: UsedBy,
        comment: String,
        given: AnsweredFrom,
    ) -> Result<(), Fault> {
        let key = public.fingerprint();
        if !self.enrolled().await?.iter().any(|enrolled| enrolled.key == key) {
            let public = Some(Bytes(public.to_wire()));
            let said = Key { key: key.clone(), does: Does::Begins, public, origin, given };
            self.receipts.append(Said::Key(said)).await?;
        }
        let mut said = self.said().await?;
        said.retain(|usable| usable.key != key);
        said.push(Usable { key, by, comment });
        self.write(said).await
    }

    /// Removes a key: it signs nothing from now on.
    ///
    /// # Errors
    /// `invalid_input` where there is none of this name; where that can't be written.
    pub(super) async fn remove(&self, name: &str, given: AnsweredFrom) -> Result<(), Fault> {
        let _alone = self.changing.lock().await;
        let unknown = || {
            let mend = "Look at the list again; nothing was removed.";
            Fault::new(Code::InvalidInput, "No security key of this name is enrolled.", mend)
        };
        let key = Fingerprint::try_from(name.to_owned()).map_err(|_| unknown())?;
        if !self.enrolled().await?.iter().any(|enrolled| enrolled.key == key) {
            return Err(unknown());
        }
        let said = Key { key: key.clone(), does: Does::Ends, public: None, origin: None, given };
        self.receipts.append(Said::Key(said)).await?;
        let mut said = self.said().await?;
        said.retain(|usable| usable.key != key);
        self.write(said).await
    }

    async fn write(&self, said: Vec<Usable>) -> Result<(), Fault> {
        let path = self.path.clone();
        let of = |Usable { key, by, comment }: Usable| {
            let used = match by {
                UsedBy::File(file) => json!({ "file": file.display().to_string(), "comment": comment }),
                UsedBy::Credential(name) => json!({ "credential": STANDARD.encode(name), "comment": comment }),
            };
            (key.to_string(), used)
        };
        let text = serde_json::to_vec(&said.into_iter().map(of).collect::<BTreeMap<_, _>>())
            .map_err(|error| Fault::internal(error.to_string()))?;
        blocking(move || {
            let folder = path.parent().unwrap_or(Path::new("."));
            // A temporary file is its owner's alone, and stays so.
            let written = tempfile::Builder::new().prefix(".keys.").tempfile_in(folder).and_then(|mut file| {
                file.write_all(&text)?;
                file.as_file().sync_all()?;
                file.persist(&path).map_err(|error| error.error)
            });
            written.map(drop).map_err(|error| {
                let mend = "Mend what it says, then add the key again.";
                Fault::new(Code::ReadOnly, format!("{} can't be written: {error}.", path.display()), mend)
            })
        })
        .await?;
        self.read_again().await
    }
}

/// The folder where SSH keeps keys.
fn usual_folder() -> Option<PathBuf> {
    dirs::home_dir().map(|home| home.join(".ssh"))
}

/// Files of security keys that aren't enrolled, in the usual folder.
fn found(enrolled: &[Enrolled]) -> Vec<String> {
    let entries = usual_folder().and_then(|folder| fs::read_dir(folder).ok());
    let paths = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let public = paths.filter(|path| path.to_string_lossy().ends_with(PUBLIC));
    let is_new = |path: &PathBuf| {
        let is_known = |name: &Fingerprint| enrolled.iter().any(|enrolled| enrolled.key == *name);
        read(path).is_ok_and(|read| !is_known(&read.public.fingerprint()))
    };
    let mut found: Vec<_> = public.filter(is_new).map(|path| path.display().to_string()).collect();
    found.sort_unstable();
    found
}

/// A file as it was typed, where `~` is the person's own folder.
fn at_home(file: &str) -> PathBuf {
    let file = file.trim();
    match (file.strip_prefix("~/"), dirs::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(file),
    }
}

/// What signs with the key of this public one.
fn signing_file(public: &Path) -> PathBuf {
    let text = public.to_string_lossy();
    text.strip_suffix(PUBLIC).map_or_else(|| public.to_owned(), PathBuf::from)
}

/// Reads the file of a public key that can be used.
fn read(path: &Path) -> Result<Read, Fault> {
    let wrong = |what: String, mend: &str| Fault::new(Code::InvalidInput, what, mend);
    let named = path.display();
    if !path.is_absolute() || signing_file(path) == path {
        let mend = "Name it whole, e.g. ~/.ssh/id_ed25519_sk.pub; `ssh-keygen -t ed25519-sk` makes one.";
        return Err(wrong(format!("{named} is no file of a public key."), mend));
    }
    let mut text = String::new();
    let file = fs::File::open(path).and_then(|file| file.take(PUBLIC_BYTES).read_to_string(&mut text));
    file.map_err(|error| wrong(format!("{named} can't be read: {error}."), "Check its path and its permissions."))?;
    let read = parsed(&text).ok_or_else(|| {
        let mend = "It is made by `ssh-keygen -t ed25519-sk` or `-t ecdsa-sk`, with the key plugged in.";
        wrong(format!("{named} isn't the public key of a security key."), mend)
    })?;
    if !signing_file(path).is_file() {
        let mend = "Put the file that `ssh-keygen` made with it there; without it nothing can be signed.";
        return Err(wrong(format!("{} isn't there.", signing_file(path).display()), mend));
    }
    Ok(read)
}

/// `sk-ssh-ed25519@openssh.com AAAA… comment`, of a security key.
fn parsed(text: &str) -> Option<Read> {
    let mut words = text.lines().next()?.splitn(3, ' ');
    let (algorithm, key, comment) = (words.next()?, words.next()?, words.next().unwrap_or_default());
    let public = PublicKey::from_wire(&STANDARD.decode(key).ok()?).ok()?;
    let is_touched = public.application().is_some() && public.algorithm() == algorithm;
    is_touched.then_some(Read { public, comment: comment_of(comment) })
}

/// What a key is called, in one bounded line.
fn comment_of(text: &str) -> String {
    text.trim().chars().filter(|c| !c.is_control()).take(COMMENT_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_public_key_of_a_security_key_is_taken() {
        let line = |public: &PublicKey, rest: &str| {
            format!("{} {}{rest}\n", public.algorithm(), STANDARD.encode(public.to_wire()))
        };
        let touched = PublicKey::SkEd25519 { key: [8; 32], application: "ssh:".to_owned() };
        let found = parsed(&line(&touched, " me@desk, the blue one\u{7}")).expect("a key");
        assert_eq!(found, Read { public: touched.clone(), comment: "me@desk, the blue one".to_owned() });
        assert_eq!(parsed(&line(&touched, "")).map(|read| read.comment), Some(String::new()));
        assert_eq!(parsed(&line(&PublicKey::Ed25519([7; 32]), "")), None, "nobody has to touch it");
        let other = line(&touched, "").replace("sk-ssh-ed25519@openssh.com", "ssh-ed25519");
        for wrong in ["", "ssh-ed25519", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA", other.as_str()] {
            assert_eq!(parsed(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn what_signs_stands_beside_the_public_key() {
        assert_eq!(signing_file(Path::new("/h/.ssh/id_ed25519_sk.pub")), Path::new("/h/.ssh/id_ed25519_sk"));
        let refused = |path: &str| read(Path::new(path)).map_err(|fault| fault.code);
        assert_eq!(refused("id_ed25519_sk.pub"), Err(Code::InvalidInput), "whose folder is meant isn't known");
        assert_eq!(refused("/h/.ssh/id_ed25519_sk"), Err(Code::InvalidInput), "that one is private");
    }
}
