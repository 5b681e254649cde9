//! Proposals that nobody would write by hand: what comes of them is what git makes. And how long one takes.

use std::fs;
use std::time::Instant;

use gate_git::{Applied, Form, Options, Proposal, Warning, Way};

use crate::apply::{WHOLE, tried};
use crate::campaign;
use crate::random::Numbers;
use crate::scene::{FORMATS, Listing, Repo, Scene};

/// How many proposals are made.
const ROUNDS: u64 = 12;
/// The same in a campaign.
const CAMPAIGN_ROUNDS: u64 = 500;
/// Files of the repository that is measured.
const FILES: usize = 10_000;

/// A file of many lines, some of which are others each time.
fn long(numbers: &mut Numbers, repo: &Repo, number: usize) {
    let others: Vec<usize> = (0..numbers.below(6)).map(|_| numbers.below(90)).collect();
    let mut lines = String::new();
    for line in 0..90 {
        match others.iter().position(|other| *other == line) {
            Some(0) => {}
            Some(other) => lines.extend([format!("{other} in place of {line}\n"), "and more\n".to_owned()]),
            None => lines.push_str(&format!("line {}\n", line / 2)),
        }
    }
    // Unless there is a folder by now.
    let _ = fs::write(repo.file(&format!("long-{number}")), lines);
}

/// The diff with wrong numbers of lines in some of its hunks, and whether there are any.
fn miscounted(diff: &[u8], numbers: &mut Numbers) -> (Vec<u8>, bool) {
    let (mut wrong, mut is_wrong) = (Vec::new(), false);
    for line in diff.split_inclusive(|byte| *byte == b'\n') {
        let ranges = line.strip_prefix(b"@@ -").and_then(|rest| std::str::from_utf8(rest).ok());
        let Some((ranges, rest)) = ranges.and_then(|text| text.split_once(" @@")) else {
            wrong.extend_from_slice(line);
            continue;
        };
        let sides = ranges.split(" +").map(|side| {
            let (start, lines) = side.split_once(',').unwrap_or((side, "1"));
            let lines: usize = lines.parse().expect("a number");
            let other = [lines, lines, lines + 1 + numbers.below(3), lines.saturating_sub(1)][numbers.below(4)];
            is_wrong |= other != lines;
            format!("{start},{other}")
        });
        let sides: Vec<String> = sides.collect();
        wrong.extend_from_slice(format!("@@ -{} @@{rest}", sides.join(" +")).as_bytes());
    }
    (wrong, is_wrong)
}

#[tokio::test]
async fn any_diff_of_gits_makes_the_tree_that_it_was_made_of() {
    let given = std::env::var("REVIEW_GATE_TEST_SEED").ok().map(|seed| seed.parse().expect("a seed is a number"));
    let first = given.unwrap_or(1);
    let rounds = match (given, campaign::is_on()) {
        (Some(_), _) => 1,
        (None, true) => CAMPAIGN_ROUNDS,
        (None, false) => ROUNDS,
    };
    campaign::tells(format!("{rounds} proposals"));
    for seed in first..first + rounds {
        let mut numbers = Numbers::new(seed);
        let scene = Scene::new().await;
        let repo = scene.repo("repo", FORMATS[numbers.below(2)]);
        (0..25).for_each(|_| numbers.meddle(&repo));
        (0..3).for_each(|number| long(&mut numbers, &repo, number));
        repo.commit("first");
        let copy = repo.copy("copy");
        (0..12).for_each(|_| numbers.meddle(&copy));
        (0..3).for_each(|number| long(&mut numbers, &copy, number));
        copy.git(&["add", "--all"]);
        let more =
            [&[][..], &["--no-renames"], &["--unified=1"], &["--break-rewrites"], &["--patience"]][numbers.below(5)];
        let diff = copy.bytes(&[&WHOLE[..], more].concat());
        if diff.is_empty() {
            continue;
        }
        let tree = copy.git(&["write-tree"]);
        // What git itself makes of the diff, in another copy; what it can't, we needn't.
        let clone = repo.copy("clone");
        fs::write(scene.path().join("diff"), &diff).expect("a diff");
        clone.git(&["reset", "--quiet", "--hard"]);
        let by_git = clone.tries(&["apply", "--cached", "--whitespace=nowarn", "../diff"]);
        let said = String::from_utf8_lossy(&by_git.stderr).into_owned();
        (0..numbers.below(4)).for_each(|_| numbers.meddle(&repo));
        let made = tried(&scene, &repo, &diff, None, Applied::Proposed).await;
        if !by_git.status.success() {
            assert!(made.is_err(), "REVIEW_GATE_TEST_SEED={seed}: git says {said}");
            continue;
        }
        let (made, keep) = made.unwrap_or_else(|error| {
            unreachable!("REVIEW_GATE_TEST_SEED={seed}: {error}\n{}", String::from_utf8_lossy(&diff))
        });
        assert_eq!(made.way, Way::Forward, "REVIEW_GATE_TEST_SEED={seed}");
        let by_git = clone.git(&["write-tree"]);
        let ours = made.tree().map(|tree| tree.as_str().to_owned()).expect("a tree");
        assert_eq!((&ours, &by_git), (&tree, &tree), "REVIEW_GATE_TEST_SEED={seed}");
        let expected = copy.diff(&made.trees.0, &made.trees.1);
        assert_eq!(made.diff, expected, "REVIEW_GATE_TEST_SEED={seed}: shown as git shows it");

        // However its hunks count their lines, it is the same.
        let (wrong, is_wrong) = miscounted(&diff, &mut numbers);
        let (recounted, _) = tried(&scene, &repo, &wrong, None, Applied::Proposed).await.unwrap_or_else(|error| {
            unreachable!("REVIEW_GATE_TEST_SEED={seed}: {error}\n{}", String::from_utf8_lossy(&wrong))
        });
        assert_eq!(recounted.trees, made.trees, "REVIEW_GATE_TEST_SEED={seed}: {}", String::from_utf8_lossy(&wrong));
        let says_so = recounted.warnings.contains(&Warning::Recounted);
        assert_eq!(says_so, is_wrong, "REVIEW_GATE_TEST_SEED={seed}: {}", String::from_utf8_lossy(&wrong));

        // Its own diff, whole, makes the same again; committed, it is known backwards.
        let options = Options { form: Form::Whole, ..Options::default() };
        let whole = keep.compare(&made.trees.0, &made.trees.1, &options).await.expect("it is kept").diff;
        let (again, _) = tried(&scene, &repo, &whole, None, Applied::Proposed).await.expect("it fits");
        assert_eq!((again.trees, &again.changes), (made.trees.clone(), &made.changes), "REVIEW_GATE_TEST_SEED={seed}");
        clone.git(&["commit", "--quiet", "--allow-empty", "-m", "applied"]);
        clone.git(&["reset", "--quiet", "--hard"]);
        let (known, _) = tried(&scene, &clone, &whole, None, Applied::AlreadyApplied).await.expect("it has it");
        assert_eq!(known.trees, made.trees, "REVIEW_GATE_TEST_SEED={seed}: {:?}", known.way);
    }
}

#[tokio::test]
async fn an_apply_takes_its_time_by_what_it_touches() {
    let scene = Scene::new().await;
    let repo = scene.repo("repo", FORMATS[0]);
    for number in 0..FILES {
        repo.write(&format!("{}/{}/{number}.txt", number % 10, number % 100), format!("{number}\n"));
    }
    repo.commit("many");
    let diff: String = ["3/3/1003.txt", "4/44/144.txt", "0/0/0.txt"]
        .iter()
        .map(|path| {
            let number = path.rsplit('/').next().and_then(|name| name.strip_suffix(".txt")).expect("a number");
            format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{number}\n+x\n")
        })
        .collect();
    let before = Listing::of(&repo.path);
    let (repository, proposal) = (scene.open(&repo).await, Proposal::read(diff.as_bytes(), 10).expect("a diff"));
    let (mut applies, mut fits) = (Vec::new(), Vec::new());
    for _ in 0..9 {
        let keep = scene.objects(FORMATS[0]).await;
        let began = Instant::now();
        let made = repository.apply(&proposal, None, Applied::Proposed, &keep, &Options::default()).await;
        applies.push(began.elapsed());
        assert_eq!(made.expect("it fits").files.len(), 3);
        let began = Instant::now();
        repository.fits(&proposal, &Options::default()).await.expect("an answer");
        fits.push(began.elapsed());
    }
    applies.sort();
    fits.sort();
    let told = |times: &[std::time::Duration]| format!("{:?} (fastest {:?})", times[4], times[0]);
    println!("of {FILES} files, median of 9: apply {}, fits {}", told(&applies), told(&fits));
    before.assert_same(&repo.path);
}
