//! Repositories that want something run: by settings, attributes, hooks, submodules, remotes. Each is first shown to
//! work with the git that a person uses, and then asked everything that there is to ask.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use gate_git::{Applied, Approved, Error, Format, Options, Proposal, RepoPath, Signature};

use crate::scene::{Listing, Repo, Scene};

/// A program that leaves a mark, and where the mark is.
struct Trap {
    program: PathBuf,
    mark: PathBuf,
}

impl Trap {
    fn set(scene: &Scene) -> Self {
        let (program, mark) = (scene.path().join("trap"), scene.path().join("mark"));
        fs::write(&program, format!("#!/bin/sh\necho \"$0 $@\" >> {}\nexit 1\n", mark.display())).expect("a script");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a mode");
        Self { program, mark }
    }

    fn path(&self) -> &str {
        self.program.to_str().expect("UTF-8")
    }

    /// Whether it was run since it was asked last.
    fn sprung(&self) -> bool {
        fs::remove_file(&self.mark).is_ok()
    }
}

/// With two branches, work that isn't committed, and a note.
fn repository(scene: &Scene) -> Repo {
    let repo = scene.with("repo", Format::Sha1, &[("f.txt", "1\n"), ("g.txt", "1\n"), ("sub/h.txt", "1\n")]);
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    repo.write("g.txt", "2\n");
    repo.commit("on the other branch");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("f.txt", "2\n");
    repo.commit("second");
    repo.git(&["notes", "--ref=review-gate", "add", "-m", "a note"]);
    repo.write("f.txt", "3\n");
    repo.git(&["add", "f.txt"]);
    repo.write("f.txt", "4\n");
    repo.write("new.txt", "4\n");
    repo
}

/// Asks everything, and at last writes a note; the errors, by question.
async fn everything(scene: &Scene, repo: &Repo) -> Vec<(String, Error)> {
    let mut errors = Vec::new();
    let before = Listing::of(&repo.path);
    let repository = match gate_git::Repository::open(&scene.git, &repo.path, gate_git::Owners::Me).await {
        Ok(repository) => repository,
        Err(error) => return vec![("open".into(), error)],
    };
    let options = Options::default();
    for what in ["worktree", "staged", "HEAD", "main..other", "HEAD~1..HEAD"] {
        let keep = scene.objects(Format::Sha1).await;
        let snapshot = repository.snapshot(&what.parse().expect("good"), None, &keep, &options).await;
        if let Err(error) = snapshot {
            errors.push((what.into(), error));
        }
    }
    let (main, other, base) = (repo.oid("main"), repo.oid("other"), repo.oid("main~1"));
    let answers = [
        ("staged tree", repository.staged().await.map(drop)),
        ("commits", repository.commits(&[main.clone(), other.clone()]).await.map(drop)),
        ("range", repository.range(&base, &main).await.map(drop)),
        ("past", repository.past(&main).await.map(drop)),
        ("has", repository.has(&main, &base).await.map(drop)),
        ("reference", repository.reference(&"HEAD".parse().expect("good")).await.map(drop)),
        ("parted", repository.parted(&main, &other).await.map(drop)),
        ("merged", repository.merged(&main, &other).await.map(drop)),
        ("rebased", repository.rebased(&base, &other, &main).await.map(drop)),
        ("patch", repository.patch(&repo.oid("main^{tree}"), &repo.oid("other^{tree}"), &options).await.map(drop)),
        ("file", repository.file(&main, &RepoPath::new("sub/h.txt"), 100).await.map(drop)),
        ("note", repository.note(&main, 100).await.map(drop)),
    ];
    errors.extend(proposals(scene, repo, &repository).await);
    errors.extend(answers.into_iter().filter_map(|(question, answer)| Some((question.into(), answer.err()?))));
    before.assert_same(&repo.path);
    let by = Signature { name: "A".into(), email: "a".into(), seconds: 1 };
    if let Err(error) = repository.set_note(&main, b"another", &by).await {
        errors.push(("set_note".into(), error));
    }
    errors
}

/// Asks what there is to ask of proposals: one that fits on a commit, and one that fits on the files as they lie there.
async fn proposals(scene: &Scene, repo: &Repo, repository: &gate_git::Repository) -> Vec<(String, Error)> {
    let (mut errors, options) = (Vec::new(), Options::default());
    let keep = scene.objects(Format::Sha1).await;
    let change = |path: &str, old: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+9\n");
    let read = |diff: &str| Proposal::read(diff.as_bytes(), 10).expect("a diff");
    let new = "--- /dev/null\n+++ b/sub/new.txt\n@@ -0,0 +1 @@\n+1\n";
    let on_head = read(&(change("f.txt", "2") + new));
    let in_worktree =
        read(&(change("f.txt", fs::read_to_string(repo.file("f.txt")).expect("a file").trim_end()) + new));
    let head = repository.apply(&on_head, None, Applied::Proposed, &keep, &options).await;
    let base = "main".parse().expect("a name");
    let others = [
        (
            "apply to a base",
            repository.apply(&on_head, Some(&base), Applied::AlreadyApplied, &keep, &options).await.map(drop),
        ),
        (
            "apply to files",
            repository.apply(&in_worktree, None, Applied::AlreadyApplied, &keep, &options).await.map(drop),
        ),
        ("fits", repository.fits(&in_worktree, &options).await.map(drop)),
    ];
    errors.extend(others.into_iter().filter_map(|(question, answer)| Some((question.into(), answer.err()?))));
    match head {
        Err(error) => errors.push(("apply".into(), error)),
        Ok(made) => {
            let approved = Approved { changes: &made.changes, diff: &made.diff };
            let staged = repository.snapshot(&"staged".parse().expect("good"), None, &keep, &options).await;
            let outcome = repository.outcome(&approved, &staged.expect("a snapshot"), &keep).await;
            errors.extend(outcome.err().map(|error| ("outcome".into(), error)));
        }
    }
    errors
}

/// A way to have something run.
struct Way {
    name: &'static str,
    /// Sets it up, with the trap's path.
    plant: fn(&Repo, &str),
    /// What springs it with the git that a person uses; none where that takes a newer git, a terminal or a server.
    springs: &'static [&'static [&'static str]],
    /// The questions that are refused then; all others are answered.
    refused: &'static [(&'static str, &'static str)],
}

fn config(repo: &Repo, settings: &[(&str, &str)]) {
    for (key, value) in settings {
        repo.git(&["config", key, value]);
    }
}

fn attributes(repo: &Repo, line: &str) {
    fs::create_dir_all(repo.file(".git/info")).expect("a folder");
    fs::write(repo.file(".git/info/attributes"), line).expect("attributes");
}

/// Hooks for everything that git tells of, in a folder.
fn hooks(repo: &Repo, folder: &str, trap: &str) {
    for name in [
        "pre-commit",
        "post-commit",
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "pre-push",
        "fsmonitor-watchman",
        "update",
        "pre-receive",
        "post-receive",
        "pre-auto-gc",
        "post-rewrite",
        "pre-applypatch",
        "push-to-checkout",
        "proc-receive",
        "prepare-commit-msg",
        "commit-msg",
        "post-merge",
        "pre-merge-commit",
    ] {
        let file = repo.file(folder).join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::copy(trap, file).expect("a hook");
    }
}

/// What is refused where a filter's program would change a file.
const FILTERED: &[(&str, &str)] = &[("worktree", "filtered")];
/// What is refused where the contents of files would have to be fetched: all that reads any.
const WITHOUT_CONTENTS: &[(&str, &str)] = &[
    ("HEAD", "missing"),
    ("HEAD~1..HEAD", "missing"),
    ("apply", "missing"),
    ("apply to a base", "missing"),
    ("apply to files", "missing"),
    ("file", "missing"),
    ("fits", "missing"),
    ("main..other", "missing"),
    ("merged", "missing"),
    ("note", "missing"),
    ("patch", "missing"),
    ("rebased", "missing"),
    ("staged", "missing"),
    ("staged tree", "missing"),
    ("worktree", "missing"),
];
const WAYS: &[Way] = &[
    Way {
        name: "core.fsmonitor",
        plant: |repo, trap| config(repo, &[("core.fsmonitor", trap)]),
        springs: &[&["status"]],
        refused: &[],
    },
    Way {
        name: "include.path",
        plant: |repo, trap| {
            fs::write(repo.file(".git/more"), format!("[core]\nfsmonitor = {trap}\n")).expect("settings");
            config(repo, &[("include.path", "more")]);
        },
        springs: &[&["status"]],
        refused: &[],
    },
    Way {
        name: "includeIf",
        plant: |repo, trap| {
            fs::write(repo.file(".git/more"), format!("[core]\nfsmonitor = {trap}\n")).expect("settings");
            config(repo, &[("includeIf.gitdir:**.path", "more"), ("includeIf.onbranch:main.path", "more")]);
        },
        springs: &[&["status"]],
        refused: &[],
    },
    Way {
        name: "settings of the work tree alone",
        plant: |repo, trap| {
            config(repo, &[("extensions.worktreeConfig", "true")]);
            repo.git(&["config", "--worktree", "core.fsmonitor", trap]);
        },
        springs: &[&["status"]],
        refused: &[],
    },
    Way {
        name: "hooks",
        plant: |repo, trap| hooks(repo, ".git/hooks", trap),
        springs: &[&["add", "new.txt"], &["update-ref", "refs/heads/x", "HEAD"]],
        refused: &[],
    },
    Way {
        name: "core.hooksPath",
        plant: |repo, trap| {
            hooks(repo, "tools", trap);
            repo.git(&["-c", "core.hooksPath=/dev/null", "add", "tools"]);
            repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-m", "tools", "tools"]);
            config(repo, &[("core.hooksPath", "tools")]);
        },
        springs: &[&["add", "new.txt"], &["update-ref", "refs/heads/x", "HEAD"]],
        refused: &[],
    },
    Way {
        // Since 2.54; no setting of ours could name them all.
        name: "hooks by settings",
        plant: |repo, trap| {
            config(repo, &[("hook.x.command", trap)]);
            for event in ["reference-transaction", "post-index-change", "pre-commit", "update", "pre-receive"] {
                repo.git(&["config", "--add", "hook.x.event", event]);
            }
        },
        springs: &[],
        refused: &[],
    },
    Way {
        name: "filter.*.clean",
        plant: |repo, trap| {
            config(repo, &[("filter.x.clean", trap), ("filter.x.smudge", trap)]);
            attributes(repo, "* filter=x\n");
        },
        springs: &[&["add", "new.txt"]],
        refused: FILTERED,
    },
    Way {
        name: "filter.*.process, by an attribute that is committed",
        plant: |repo, trap| {
            config(repo, &[("filter.x.process", trap)]);
            repo.write(".gitattributes", "*.txt filter=x\n");
        },
        springs: &[&["add", "new.txt"]],
        refused: FILTERED,
    },
    Way {
        name: "diff.external",
        plant: |repo, trap| config(repo, &[("diff.external", trap)]),
        springs: &[&["diff", "HEAD~1"]],
        refused: &[],
    },
    Way {
        name: "diff.*.command",
        plant: |repo, trap| {
            config(repo, &[("diff.x.command", trap)]);
            attributes(repo, "* diff=x\n");
        },
        springs: &[&["diff", "HEAD~1"]],
        refused: &[],
    },
    Way {
        name: "diff.*.textconv",
        plant: |repo, trap| {
            config(repo, &[("diff.x.textconv", trap), ("diff.x.cachetextconv", "true")]);
            attributes(repo, "* diff=x\n");
        },
        springs: &[&["diff", "HEAD~1"]],
        refused: &[],
    },
    Way {
        name: "merge.*.driver",
        plant: |repo, trap| {
            config(repo, &[("merge.x.driver", trap), ("merge.default", "x")]);
            attributes(repo, "* merge=x\n");
            // Both sides have to have changed the file.
            repo.git(&["stash", "--quiet", "--include-untracked"]);
            repo.git(&["checkout", "--quiet", "other"]);
            repo.write("f.txt", "1\n2\n");
            repo.git(&["commit", "--quiet", "--all", "-m", "f, too"]);
            repo.git(&["checkout", "--quiet", "main"]);
        },
        springs: &[&["merge", "other"]],
        refused: &[],
    },
    Way {
        name: "gpg.program",
        plant: |repo, trap| {
            let text = repo.git(&["cat-file", "commit", "HEAD"]);
            let (head, rest) = text.split_once("\n\n").expect("a commit");
            let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----";
            fs::write(repo.file(".git/signed"), format!("{head}\n{signature}\n\n{rest}\n")).expect("a commit");
            let commit = repo.git(&["hash-object", "-w", "-t", "commit", ".git/signed"]);
            repo.git(&["update-ref", "refs/heads/main", &commit]);
            config(repo, &[("gpg.program", trap), ("gpg.ssh.program", trap), ("log.showSignature", "true")]);
            config(repo, &[("commit.gpgSign", "true"), ("merge.verifySignatures", "true")]);
        },
        springs: &[&["log", "-1"], &["show", "HEAD"]],
        refused: &[],
    },
    Way {
        name: "core.sshCommand and objects that could be fetched",
        plant: |repo, trap| {
            config(repo, &[("core.sshCommand", trap), ("remote.origin.url", "ssh://localhost/x")]);
            promised(repo);
        },
        springs: &[&["log", "-p", "--all"]],
        refused: WITHOUT_CONTENTS,
    },
    Way {
        name: "remote.*.uploadpack, protocol.ext and objects that could be fetched",
        plant: |repo, trap| {
            let url = format!("ext::{trap} %S");
            config(
                repo,
                &[("protocol.allow", "always"), ("protocol.ext.allow", "always"), ("remote.origin.url", &url)],
            );
            config(repo, &[("remote.origin.uploadpack", trap)]);
            promised(repo);
        },
        springs: &[&["log", "-p", "--all"]],
        refused: WITHOUT_CONTENTS,
    },
    Way {
        name: "core.gitProxy",
        plant: |repo, trap| {
            config(repo, &[("core.gitProxy", trap), ("remote.origin.url", "git://localhost/x")]);
            promised(repo);
        },
        springs: &[&["ls-remote", "origin"]],
        refused: WITHOUT_CONTENTS,
    },
    Way {
        name: "credential.helper and core.askPass",
        plant: |repo, trap| config(repo, &[("credential.helper", trap), ("core.askPass", trap)]),
        springs: &[],
        refused: &[],
    },
    Way {
        name: "core.alternateRefsCommand",
        plant: |repo, trap| {
            repo.git(&["clone", "--quiet", "--bare", ".", "../lender.git"]);
            let lender = repo.path.with_file_name("lender.git/objects");
            fs::create_dir_all(repo.file(".git/objects/info")).expect("a folder");
            fs::write(repo.file(".git/objects/info/alternates"), format!("{}\n", lender.display())).expect("a link");
            config(repo, &[("core.alternateRefsCommand", trap), ("remote.origin.url", "../lender.git")]);
        },
        springs: &[&["fetch", "origin"]],
        refused: &[],
    },
    Way {
        name: "pagers, editors, aliases and the like",
        plant: |repo, trap| {
            for key in [
                "core.pager",
                "core.editor",
                "sequence.editor",
                "pager.diff",
                "pager.log",
                "pager.config",
                "pager.rev-parse",
                "interactive.diffFilter",
                "tar.x.command",
                "uploadpack.packObjectsHook",
                "receive.procReceiveRefs",
                "gc.recentObjectsHook",
                "core.notesRef",
                "notes.mergeStrategy",
                "trailer.x.command",
                "sendemail.sendmailCmd",
                "diff.guitool",
                "difftool.x.cmd",
                "mergetool.x.cmd",
                "browser.x.cmd",
                "man.x.cmd",
                "instaweb.browser",
                "guitool.x.cmd",
                "submodule.x.update",
                "trace2.eventTarget",
                "http.proxy",
            ] {
                config(repo, &[(key, trap)]);
            }
            let shell = format!("!{trap}");
            for alias in ["alias.diff-tree", "alias.rev-parse", "alias.x", "alias.cat-file"] {
                config(repo, &[(alias, &shell)]);
            }
        },
        springs: &[&["x"]],
        refused: &[],
    },
    Way {
        name: "core.worktree",
        plant: |repo, trap| {
            let elsewhere = PathBuf::from(trap).with_file_name("home");
            config(repo, &[("core.worktree", elsewhere.to_str().expect("UTF-8")), ("core.fsmonitor", trap)]);
        },
        springs: &[&["status"]],
        refused: &[("open", "astray")],
    },
    Way {
        name: "settings of a submodule",
        plant: |repo, trap| {
            let inner = Repo::clone_into(repo, "sub-module");
            config(&inner, &[("core.fsmonitor", trap)]);
            hooks(&inner, ".git/hooks", trap);
            repo.git(&["-c", "advice.addEmbeddedRepo=false", "add", "sub-module"]);
            config(repo, &[("diff.ignoreSubmodules", "none"), ("status.submoduleSummary", "true")]);
        },
        springs: &[&["status"], &["add", "--all"], &["diff"]],
        refused: &[],
    },
    Way {
        name: "an unknown extension",
        plant: |repo, trap| {
            config(repo, &[("core.fsmonitor", trap)]);
            config(repo, &[("core.repositoryFormatVersion", "1"), ("extensions.unheardOf", "true")]);
        },
        springs: &[],
        refused: &[("open", "unsupported")],
    },
];

/// Makes the repository one that lacks the contents of its files, and could fetch them.
fn promised(repo: &Repo) {
    repo.git(&["repack", "-a", "-d", "--quiet"]);
    config(repo, &[("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "origin")]);
    config(repo, &[("remote.origin.promisor", "true"), ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")]);
    // Everything but the contents of files comes anew, as from a server that keeps those.
    let all = repo.git(&["rev-list", "--objects", "--no-object-names", "--filter=blob:none", "--all"]);
    fs::write(repo.file(".git/list"), format!("{all}\n")).expect("a list");
    let list = fs::File::open(repo.file(".git/list")).expect("a list");
    let folder = repo.file(".git/objects/pack");
    let there: Vec<_> = fs::read_dir(&folder).expect("packs").map(|entry| entry.expect("a pack").path()).collect();
    let packed = repo.command(&["pack-objects", "--quiet", ".git/objects/pack/pack"]).stdin(list).output();
    let name = String::from_utf8(packed.expect("git runs").stdout).expect("UTF-8");
    fs::write(folder.join(format!("pack-{}.promisor", name.trim())), "").expect("a mark");
    there.iter().for_each(|path| fs::remove_file(path).expect("a pack"));
}

#[tokio::test]
async fn nothing_that_a_repository_names_is_run() {
    for way in WAYS {
        let scene = Scene::new().await;
        let trap = Trap::set(&scene);
        let repo = repository(&scene);
        (way.plant)(&repo, trap.path());
        let _ = trap.sprung();
        for (count, command) in way.springs.iter().enumerate() {
            // git waits for a server that isn't there for as long as the trap takes to end, and no longer.
            repo.copy(&format!("copy-{count}")).tries(command);
            assert!(trap.sprung(), "{}: git {command:?} runs it, or this test shows nothing", way.name);
        }
        let mut errors = everything(&scene, &repo).await;
        assert!(!trap.sprung(), "{}: it was run", way.name);
        errors.sort_by(|one, other| one.0.cmp(&other.0));
        let said: Vec<_> = errors.iter().map(|(question, error)| (question.as_str(), error.code())).collect();
        assert_eq!(said, way.refused, "{}: {errors:?}", way.name);
    }
}

#[tokio::test]
async fn variables_around_the_gate_have_no_say() {
    // What the tests themselves are run with is handed to no git: so a hook may ask, which git gives a lot of these.
    let scene = Scene::new().await;
    let trap = Trap::set(&scene);
    let repo = repository(&scene);
    let script = format!(
        "env | /usr/bin/grep -E '^(GIT_DIR|GIT_SSH|GIT_EXEC_PATH|GIT_EXTERNAL_DIFF|LD_PRELOAD|HOME|PATH|USER)=' >> {}",
        scene.path().join("seen").display()
    );
    let git = crate::bounds::wrapped(scene.path(), &script);
    let git = crate::scene::git_by(&git, scene.path()).await.expect("a git");
    gate_git::Repository::open(&git, &repo.path, gate_git::Owners::Me).await.expect("a repository");
    let seen = fs::read_to_string(scene.path().join("seen")).expect("it was run");
    let real = std::env::var("HOME").unwrap_or_default();
    assert!(!seen.lines().any(|line| line == format!("HOME={real}")), "{seen}");
    assert!(seen.lines().filter(|line| line.starts_with("PATH=")).all(|line| line == "PATH=/usr/bin:/bin"), "{seen}");
    assert!(!seen.contains("LD_PRELOAD") && !seen.contains("GIT_EXTERNAL_DIFF"), "{seen}");
    assert!(!trap.sprung());
}

#[tokio::test]
async fn a_pipe_in_place_of_a_file_only_takes_its_time() {
    for name in [".gitattributes", ".gitignore"] {
        let scene = Scene::new().await;
        let repo = repository(&scene);
        let made = std::process::Command::new("mkfifo").arg(repo.file(name)).status().expect("mkfifo runs");
        assert!(made.success(), "a pipe");
        let options = Options { seconds: 2, ..Options::default() };
        match scene.snap_with(&repo, "worktree", &options).await {
            Ok(_) | Err(Error::TooSlow { seconds: 2 }) => {}
            Err(error) => unreachable!("{name}: {error}"),
        }
    }
}
