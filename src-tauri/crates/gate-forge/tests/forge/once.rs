//! The parts of "exactly once": what may have happened is looked for by its marker before it is sent again, also where it shows
//! late. What the product does around it is its outbox's; here stands the least of it that does the same.

use std::time::Duration;

use gate_forge::{DiffRefs, Event, Forge, Happened, Review, Write};
use gate_platforms::{FakeGitHub, FakeGitLab, Fault, Posted};

use crate::scene::{ADDED, at, done, github, gitlab, marked, pull, remark};

/// What goes wrong with a write, before or after it is carried out.
fn faults() -> Vec<Fault> {
    let limited =
        Fault::Says { status: 429, head: vec![("retry-after".to_owned(), "1".to_owned())], body: String::new() };
    vec![
        limited,
        Fault::Broken { acts: false },
        Fault::Broken { acts: true },
        Fault::Reset { acts: false },
        Fault::Reset { acts: true },
        Fault::Half,
    ]
}

/// Sends until it is there once. `later` is when what was posted is sure to show.
fn once(forge: &dyn Forge, write: &Write, marker: &str, later: &dyn Fn()) {
    let me = forge.me().expect("an account");
    let is_there = || !forge.find(&pull(), &me, &[marker.to_owned()]).expect("it can be looked for").is_empty();
    for _ in 0..3 {
        match done(forge, write) {
            Ok(_) => return,
            Err(error) if error.happened() == Happened::No => {}
            Err(_) => {
                if is_there() {
                    return;
                }
                later();
                if is_there() {
                    return;
                }
            }
        }
    }
    panic!("it never went through");
}

fn is_there_once(posted: &[Posted], body: &str) {
    let bodies: Vec<&str> = posted.iter().map(|posted| posted.body.as_str()).filter(|known| *known == body).collect();
    assert_eq!(bodies, [body], "once, byte for byte: {posted:?}");
}

fn refs(forge: &dyn Forge) -> DiffRefs {
    let read = forge.pull(&pull()).expect("a pull request");
    read.diff_refs().unwrap_or(DiffRefs { base: String::new(), start: String::new(), head: read.head })
}

/// The review of ours that is pending.
fn pending(forge: &dyn Forge) -> Review {
    forge.reviews(&pull()).expect("reviews").pop().expect("one was begun")
}

fn on_github(fault: &Fault, late: bool) {
    let (fake, forge): (FakeGitHub, _) = github();
    let thread = fake.discuss(42, "ada", "src/cart.rs", 12, &["Why?"]);
    if late {
        fake.late(Duration::from_secs(3_600));
        fake.show();
    }
    let later = || fake.show();
    let (report, of_report) = marked("Report", "0");
    let (singly, of_singly) = marked("Singly", "1");
    let (aside, of_aside) = marked("Aside", "2");
    let (answer, of_answer) = marked("Answer", "3");
    let begin = Write::Begin { pull: pull(), head: "a".repeat(40), body: report.clone(), remarks: Vec::new() };
    fake.fails("POST", "/reviews", fault.clone());
    once(&*forge, &begin, &of_report, &later);
    fake.show();
    let review = pending(&*forge);
    let place = Write::Place {
        pull: pull(),
        review: Some(review.node.clone()),
        refs: refs(&*forge),
        remark: remark(at(ADDED), &singly),
    };
    fake.fails("POST", "addPullRequestReviewThread(", fault.clone());
    once(&*forge, &place, &of_singly, &later);
    fake.fails("POST", "/events", fault.clone());
    let shown = done(&*forge, &Write::Submit { pull: pull(), review: review.id, event: Event::Comment });
    fake.show();
    // Whether it is shown is read: there is no second review that could come of it.
    if shown.is_err() && pending(&*forge).state == gate_forge::ReviewState::Pending {
        done(&*forge, &Write::Submit { pull: pull(), review: review.id, event: Event::Comment })
            .expect("it is shown now");
    }
    fake.fails("POST", "/issues/42/comments", fault.clone());
    once(&*forge, &Write::Comment { pull: pull(), body: aside.clone() }, &of_aside, &later);
    fake.fails("POST", "addPullRequestReviewThreadReply", fault.clone());
    once(&*forge, &Write::Reply { pull: pull(), thread, body: answer.clone() }, &of_answer, &later);
    let posted = fake.posted(42);
    for body in [&report, &singly, &aside, &answer] {
        is_there_once(&posted, body);
    }
    assert_eq!(posted.len(), 5, "and nothing else beside ada's thread: {posted:?}");
    assert!(posted.iter().all(|posted| !posted.pending), "nothing stays unseen");
}

fn on_gitlab(fault: &Fault, late: bool) {
    let (fake, forge): (FakeGitLab, _) = gitlab();
    let thread = fake.discuss(42, "ada", "src/cart.rs", 12, &["Why?"]);
    if late {
        fake.late(Duration::from_secs(3_600));
        fake.show();
    }
    let later = || fake.show();
    let (report, of_report) = marked("Report", "0");
    let (singly, of_singly) = marked("Singly", "1");
    let (answer, of_answer) = marked("Answer", "3");
    let place = Write::Place { pull: pull(), review: None, refs: refs(&*forge), remark: remark(at(ADDED), &singly) };
    fake.fails("POST", "/merge_requests/42/discussions", fault.clone());
    once(&*forge, &place, &of_singly, &later);
    fake.fails("POST", "/notes", fault.clone());
    once(&*forge, &Write::Reply { pull: pull(), thread, body: answer.clone() }, &of_answer, &later);
    fake.fails("POST", "/merge_requests/42/notes", fault.clone());
    once(&*forge, &Write::Comment { pull: pull(), body: report.clone() }, &of_report, &later);
    let posted = fake.posted(42);
    for body in [&report, &singly, &answer] {
        is_there_once(&posted, body);
    }
    assert_eq!(posted.len(), 4, "and nothing else beside ada's thread: {posted:?}");
}

#[test]
fn whatever_goes_wrong_each_thing_is_on_github_once() {
    for fault in faults() {
        on_github(&fault, false);
        on_github(&fault, true);
    }
}

#[test]
fn whatever_goes_wrong_each_thing_is_on_gitlab_once() {
    for fault in faults() {
        on_gitlab(&fault, false);
        on_gitlab(&fault, true);
    }
}

#[test]
fn without_looking_again_what_shows_late_would_be_there_twice() {
    let (fake, forge) = github();
    fake.late(Duration::from_secs(3_600));
    fake.fails("POST", "/comments", Fault::Reset { acts: true });
    let (body, marker) = marked("Aside", "0");
    let write = Write::Comment { pull: pull(), body };
    let me = forge.me().expect("an account");
    assert!(done(&*forge, &write).is_err());
    assert_eq!(forge.find(&pull(), &me, std::slice::from_ref(&marker)).ok(), Some(Vec::new()), "it doesn't show yet");
    fake.show();
    assert_eq!(forge.find(&pull(), &me, &[marker]).map(|found| found.len()), Ok(1), "it does later");
}
