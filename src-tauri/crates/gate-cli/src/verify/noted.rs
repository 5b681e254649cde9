//! Receipts in notes of git: written beside commits by who has a home, read where there is none.

use std::collections::BTreeSet;
use std::process::ExitCode;

use gate_app::offline::{known_receipts, service_key};
use gate_core::{Code, Fault};
use gate_git::{NOTES, Oid, Repository, Signature};
use gate_link::Home;
use gate_receipts::{Approval, Chain, Level, LineError, Loose, PublicKey};
use serde_json::json;

use super::judge::resolved;
use super::lookup::{Lookup, What, here, open};
use super::rules::{Rules, believing};
use super::source::{Approvals, Source};
use crate::output::counted;
use crate::{exit, output};

/// Most bytes of a commit's note.
const NOTE_BYTES: usize = 512 * 1024;
/// Most commits whose notes are read or written at once.
const COMMITS: usize = 500;

/// What counts where there is no home: the receipts that are noted on these commits, and on those between them and the
/// protected branch, by the keys and rules of that branch.
///
/// # Errors
/// Where the repository has no such branch or no such commits, and where the branch has no rules.
pub(super) async fn approvals(what: &What, protected: &str, require: Level) -> Result<Approvals, Fault> {
    let (repository, _scratch) = open(&here()?).await?;
    let tip = resolved(&repository, protected).await?;
    let Rules { keys, require: by_rule, revoked } = Rules::of(&repository, &tip, protected).await?;
    let mut noted = Vec::new();
    for commit in commits(&repository, what, Some(&tip)).await? {
        noted.extend(note(&repository, &commit).await?);
    }
    let receipts = Loose::of(lines(&noted));
    let source = Source::Notes { receipts, keys, revoked };
    Ok(Approvals::new(source, output::now(), require.max(by_rule)))
}

/// Prints the file by which the keys of a home are believed elsewhere.
///
/// # Errors
/// When the log can't be read.
pub(crate) async fn print_keys(home: &Home) -> Result<ExitCode, Fault> {
    let heads = known_receipts(home).await;
    let chain = Chain::read(home.data_folder(), None, &heads)?;
    let mut keys = chain.keys().clone();
    // A line may enrol any key: a service's is its own by that service's word only.
    if keys.of_services().next().is_some() {
        let own = service_key().await;
        if let Err(why) = &own {
            output::aside(&format!(
                "The key of this machine's service isn't among them, since it doesn't answer: {why}"
            ));
        }
        let own = own.ok();
        keys.0.retain(|key| !matches!(key.public, PublicKey::Ed25519(_)) || own.as_ref() == Some(&key.public));
    }
    output::line(&believing(&keys)?);
    for key in keys.0.iter().filter(|key| key.until.is_none()) {
        output::aside(&format!("{} {}", key.public.algorithm(), key.public.fingerprint()));
    }
    if !chain.report().is_whole() {
        output::aside(
            "The log of receipts isn't whole: somebody else may have written there. See `review-gate receipts`.",
        );
    }
    output::aside("Compare them with Settings, Security keys, before you commit the file.");
    Ok(ExitCode::from(exit::DONE))
}

/// Writes the signed receipts of a home beside the commits that they lead to.
///
/// # Errors
/// As [`approvals`], and when a note can't be written.
pub(crate) async fn write(home: &Home, what: &str, protected: Option<&str>, as_json: bool) -> Result<ExitCode, Fault> {
    let heads = known_receipts(home).await;
    let chain = Chain::read(home.data_folder(), None, &heads)?;
    let approvals = Approvals::new(Source::log(chain).await, output::now(), Level::L2);
    // Whether another base will do is for who reads them to say.
    let lookup = Lookup::here(&approvals, None, true, protected, false).await?;
    let what = What::of(Some(what))?;
    let (mut listed, mut any) = (Vec::new(), false);
    for commit in commits(lookup.repository(), &what, lookup.protected()).await? {
        let receipts = lookup.leading_to(&commit).await?;
        let is_new = add(lookup.repository(), &approvals, &commit, &receipts).await?;
        any |= !receipts.is_empty();
        let names: Vec<_> = receipts.iter().map(|approval| approval.found.id).collect();
        if !as_json {
            let beside = match (names.len(), is_new) {
                (0, false) => "no signed receipt leads to it".to_owned(),
                (0, true) => "what was noted is withdrawn".to_owned(),
                (more, true) => format!("{} noted", counted(more, "receipt")),
                (more, false) => format!("{} noted before", counted(more, "receipt")),
            };
            output::line(&format!("{commit}: {beside}."));
        }
        listed.push(json!({ "commit": commit.as_str(), "receipts": names, "written": is_new }));
    }
    if as_json {
        output::json(&listed)?;
    } else if any {
        output::aside(&format!("They go along with `git push REMOTE {NOTES}`."));
    } else {
        output::aside("Only approvals from L2 on are signed: with a security key, or confirmed to the system.");
    }
    Ok(ExitCode::from(if any { exit::DONE } else { exit::NOT_APPROVED }))
}

/// The commits that are meant, beside what the protected branch has.
async fn commits(repository: &Repository, what: &What, protected: Option<&Oid>) -> Result<Vec<Oid>, Fault> {
    let mut all = Vec::new();
    let (from, to) = match what {
        What::Range(from, to) => (Some(resolved(repository, from).await?), resolved(repository, to).await?),
        What::Commit(commit) => {
            let commit = resolved(repository, commit).await?;
            all.push(commit.clone());
            (protected.cloned(), commit)
        }
        What::Staged => return Ok(all),
    };
    if let Some(from) = from {
        let range = repository.range(&from, &to).await?;
        let others = range.commits.into_iter().map(|commit| commit.oid).filter(|oid| !all.contains(oid));
        all.extend(others.collect::<Vec<_>>());
    }
    if all.len() > COMMITS {
        return Err(Fault::new(
            Code::TooMany,
            format!("There are {} commits; notes of {COMMITS} are looked at together.", all.len()),
            "Name a shorter range, or the branch that has most of them: --protected origin/main.",
        ));
    }
    Ok(all)
}

fn written(error: LineError) -> Fault {
    Fault::internal(error.to_string())
}

/// The note on a commit; none where it is longer than one of ours.
async fn note(repository: &Repository, commit: &Oid) -> Result<Option<Vec<u8>>, Fault> {
    match repository.note(commit, NOTE_BYTES).await {
        Err(gate_git::Error::TooLarge { .. }) => Ok(None),
        read => Ok(read?),
    }
}

fn lines(notes: &[Vec<u8>]) -> impl Iterator<Item = &[u8]> {
    notes.iter().flat_map(|note| note.split(|byte| *byte == b'\n')).filter(|line| !line.is_empty())
}

/// Adds receipts to a commit's note, and what withdraws those that are there. Whether that changes it.
async fn add(
    repository: &Repository,
    approvals: &Approvals,
    commit: &Oid,
    receipts: &[Approval],
) -> Result<bool, Fault> {
    let before: Vec<Vec<u8>> = note(repository, commit).await?.into_iter().collect();
    let mut all: BTreeSet<Vec<u8>> = lines(&before).map(<[u8]>::to_vec).collect();
    let were = all.len();
    for approval in receipts {
        all.insert(approval.found.line.canonical().map_err(written)?.into_bytes());
    }
    if let Source::Log(chain, _) = approvals.source() {
        for id in Loose::of(lines(&before)).newest() {
            if let Some(line) = chain.withdrawal(id)? {
                all.insert(line.canonical().map_err(written)?.into_bytes());
            }
        }
    }
    if all.len() == were {
        return Ok(false);
    }
    // In the order of their bytes, as git merges such notes (`cat_sort_uniq`).
    let note: Vec<u8> = all.iter().flat_map(|line| [line.as_slice(), b"\n"].concat()).collect();
    if note.len() > NOTE_BYTES {
        return Err(Fault::new(
            Code::TooLarge,
            format!("The note on {commit} would have more than {NOTE_BYTES} bytes."),
            "Remove it (`git notes --ref=review-gate remove`), and write it anew.",
        ));
    }
    let by = Signature {
        name: "Review Gate".to_owned(),
        email: "review-gate@localhost".to_owned(),
        seconds: output::now().0.div_euclid(1000),
    };
    repository.set_note(commit, &note, &by).await?;
    Ok(true)
}
