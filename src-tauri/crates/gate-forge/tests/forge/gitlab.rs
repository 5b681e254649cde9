//! GitLab: what is read, and what is posted, byte for byte.

use gate_forge::{Access, Account, DiffRefs, Done, Event, Forge, ForgeError, Kind, Opened, Platform, Seen, Write};
use gate_platforms::Proposed;

use crate::scene::{ADDED, CONTEXT, REMOVED, at, client, done, file, gitlab, marked, proposed, pull, remark};

fn refs(forge: &dyn Forge) -> DiffRefs {
    forge.pull(&pull()).expect("a merge request").diff_refs().expect("it has its commits")
}

fn place(forge: &dyn Forge, place: gate_forge::Place, body: &str) -> Write {
    Write::Place { pull: pull(), review: None, refs: refs(forge), remark: remark(place, body) }
}

#[test]
fn a_merge_request_is_read_with_all_that_decides_who_starts() {
    let (fake, forge) = gitlab();
    fake.issue("acme/shop", 7, "A cent is lost", "See the cart.");
    let me = forge.me().expect("an account");
    assert_eq!(me, Account { id: 2, login: "grace".to_owned() });
    let read = forge.pull(&pull()).expect("a merge request");
    assert_eq!(read.diff_refs().map(|refs| (refs.base, refs.start)), Some(("c".repeat(40), "b".repeat(40))));
    assert_eq!((read.git_ref.as_str(), read.fork), ("refs/merge-requests/42/head", false));
    assert_eq!(forge.merge_base("acme/shop", &"b".repeat(40), &"a".repeat(40)).ok(), Some("c".repeat(40)));
    let ada = read.author.expect("its author is there");
    assert_eq!(forge.access("acme/shop", &ada).ok(), Some(Access::Write));
    let mallory = Account { id: 3, login: "mallory".to_owned() };
    assert_eq!(forge.access("acme/shop", &mallory).ok(), Some(Access::None), "no member");
    fake.lets("acme/shop", "mallory", 20);
    assert_eq!(forge.access("acme/shop", &mallory).ok(), Some(Access::Read), "a reporter may not push");
    let repository = forge.repository("acme/shop").expect("a project");
    assert!(repository.may_push && repository.default_branch.as_deref() == Some("main"));
    let issue = forge.issue("acme/shop", 7).expect("an issue");
    assert_eq!((issue.title.as_str(), issue.body.as_str(), issue.open), ("A cent is lost", "See the cart.", true));
    fake.propose(&Proposed { number: 43, fork: true, ..proposed() });
    assert!(forge.pull(&gate_forge::PullId { number: 43, ..pull() }).is_ok_and(|pull| pull.fork));
    assert!(forge.pull(&gate_forge::PullId { number: 99, ..pull() }).is_err_and(|error| error.is_missing()));
}

#[test]
fn all_pages_of_threads_come_and_comments_on_their_own_are_none() {
    let (fake, forge) = gitlab();
    for index in 0..250 {
        fake.discuss(42, "ada", "src/cart.rs", 12, &[&format!("thread {index}"), "and more"]);
    }
    done(&*forge, &Write::Comment { pull: pull(), body: "On the whole: good.".to_owned() }).expect("a comment");
    let threads = forge.threads(&pull()).expect("threads");
    assert_eq!(threads.len(), 250, "a page has a hundred");
    assert_eq!((threads[249].comments[0].body.as_str(), threads[249].comments.len()), ("thread 249", 2));
    assert_eq!((threads[0].path.as_deref(), threads[0].line), (Some("src/cart.rs"), Some(12)));
}

#[test]
fn threads_stand_at_lines_of_every_kind_and_at_files() {
    let (fake, forge) = gitlab();
    let renamed = gate_forge::Place {
        path: "new/name.rs".to_owned(),
        old_path: Some("old/name.rs".to_owned()),
        at: gate_forge::At::Lines {
            start: None,
            end: gate_forge::Line { kind: gate_forge::LineKind::Added, old: 2, new: 1 },
        },
    };
    for (where_to, body) in
        [(at(ADDED), "added"), (at(REMOVED), "removed"), (at(CONTEXT), "both"), (file(), "file"), (renamed, "renamed")]
    {
        match done(&*forge, &place(&*forge, where_to, body)) {
            Ok(Done::Thread { stands: true, url: Some(url), .. }) => {
                assert!(url.starts_with(&format!("{}/acme/shop/-/merge_requests/42#note_", fake.url())), "{url}");
            }
            other => panic!("{body}: {other:?}"),
        }
    }
    let posted = fake.posted(42);
    let lines: Vec<_> = posted.iter().map(|posted| (posted.body.as_str(), posted.line)).collect();
    let expected =
        [("added", Some(12)), ("removed", Some(11)), ("both", Some(10)), ("file", None), ("renamed", Some(1))];
    assert_eq!(lines, expected);
}

#[test]
fn the_newest_version_is_the_one_that_is_posted_to() {
    let (fake, forge) = gitlab();
    let old = refs(&*forge);
    fake.push(42, &"e".repeat(40), crate::scene::DIFF);
    done(&*forge, &place(&*forge, at(ADDED), "new")).expect("a thread");
    assert_eq!(fake.posted(42)[0].commit, Some("e".repeat(40)), "not the oldest, which stands last in its list");
    let stale = Write::Place { pull: pull(), review: None, refs: old, remark: remark(at(ADDED), "old") };
    done(&*forge, &stale).expect("an older version is taken, too");
    let unknown = DiffRefs { base: "1".repeat(40), ..refs(&*forge) };
    let unknown = Write::Place { pull: pull(), review: None, refs: unknown, remark: remark(at(ADDED), "?") };
    assert!(done(&*forge, &unknown).is_err(), "but no other commits");
}

#[test]
fn threads_are_answered_and_resolved() {
    let (fake, forge) = gitlab();
    let thread = fake.discuss(42, "ada", "src/cart.rs", 12, &["Why?"]);
    let body = "Because.\r\n\ttabs \"quotes\" ü 🦀";
    let reply = Write::Reply { pull: pull(), thread: thread.clone(), body: body.to_owned() };
    assert!(matches!(done(&*forge, &reply), Ok(Done::Comment { url: Some(_), .. })));
    assert_eq!(fake.posted(42)[1].body, body, "byte for byte");
    let resolve = Write::Resolve { pull: pull(), thread: thread.clone() };
    assert_eq!(done(&*forge, &resolve), Ok(Done::Resolved(true)));
    assert_eq!(done(&*forge, &resolve), Ok(Done::Resolved(true)), "twice is once");
    assert!(forge.thread(&pull(), &thread).is_ok_and(|thread| thread.resolved));
    let none = Write::Resolve { pull: pull(), thread: "0".repeat(40) };
    assert!(done(&*forge, &none).is_err_and(|error| error.is_missing()));
    let mallory = client(Platform::GitLab, &fake.url(), "mallory-token");
    assert!(matches!(done(&*mallory, &resolve), Err(ForgeError::Refused { status: 403, .. })));
}

#[test]
fn labels_are_added_to_those_that_are_there() {
    let (fake, forge) = gitlab();
    let label = |name: &str| Write::Label { pull: pull(), labels: vec![name.to_owned()] };
    done(&*forge, &label("bug")).expect("a label");
    assert_eq!(done(&*forge, &label("ui")), Ok(Done::Labels(vec!["bug".to_owned(), "ui".to_owned()])));
    assert!(forge.prepare(&label("a, b")).is_err(), "a comma would make two of it");
    assert_eq!(forge.labels(&pull()).ok(), Some(fake.labels(42)));
}

#[test]
fn one_merge_request_is_opened_for_a_branch() {
    let (fake, forge) = gitlab();
    fake.branch("acme/shop", "autodev/7-cent", &"d".repeat(40));
    let open = Write::Open(Opened {
        project: "acme/shop".to_owned(),
        title: "Keep the cent".to_owned(),
        body: "Closes #7".to_owned(),
        branch: "autodev/7-cent".to_owned(),
        target: "main".to_owned(),
        draft: true,
    });
    let Ok(Done::Pull(opened)) = done(&*forge, &open) else { panic!("it was not opened") };
    assert!(opened.draft && opened.title == "Draft: Keep the cent", "a draft is one by its title");
    assert!(done(&*forge, &open).is_err_and(|error| error.to_string().contains("already exists")));
    let found = forge.pulls_from("acme/shop", "autodev/7-cent").expect("it is found by its branch");
    assert_eq!(
        found.iter().map(|pull| (pull.id.number, pull.head.as_str())).collect::<Vec<_>>(),
        [(43, "d".repeat(40).as_str())]
    );
    let update = Write::Update { pull: opened.id, title: None, body: Some("Closes #7.".to_owned()) };
    assert!(matches!(done(&*forge, &update), Ok(Done::Pull(pull)) if pull.body == "Closes #7."));
}

#[test]
fn what_only_github_has_is_not_sent() {
    let (fake, forge) = gitlab();
    let submit = Write::Submit { pull: pull(), review: 1, event: Event::Comment };
    assert!(matches!(forge.prepare(&submit), Err(ForgeError::Invalid(_))));
    assert_eq!(forge.reviews(&pull()).ok(), Some(Vec::new()));
    assert_eq!(fake.heard(), [], "nothing went out");
}

#[test]
fn looking_again_is_answered_shortly() {
    let (fake, forge) = gitlab();
    let Ok(Seen::New { etag: Some(etag), .. }) = forge.changed(&pull(), None) else { panic!("no ETag") };
    assert_eq!(forge.changed(&pull(), Some(&etag)), Ok(Seen::Same));
    fake.push(42, &"e".repeat(40), "");
    assert!(matches!(forge.changed(&pull(), Some(&etag)), Ok(Seen::New { .. })));
    let me = forge.me().expect("an account");
    assert!(matches!(forge.waiting(&me, None), Ok(Seen::New { value, .. }) if value == [pull()]));
}

#[test]
fn ours_is_found_by_its_marker_and_nobody_elses() {
    let (fake, forge) = gitlab();
    let me = forge.me().expect("an account");
    let (body, marker) = marked("Total is off.", "0192-1");
    let thread = fake.discuss(42, "ada", "src/cart.rs", 10, &[&body]);
    fake.discuss(42, "grace", "src/cart.rs", 10, &[&format!("{body}\n\nas I said")]);
    let (aside, of_aside) = marked("Aside", "0192-2");
    let (answer, of_answer) = marked("Answer", "0192-3");
    done(&*forge, &Write::Comment { pull: pull(), body: aside }).expect("a comment");
    done(&*forge, &Write::Reply { pull: pull(), thread, body: answer }).expect("an answer");
    done(&*forge, &place(&*forge, at(ADDED), &body)).expect("a thread");
    let markers = [marker, of_aside, of_answer];
    let found = forge.find(&pull(), &me, &markers).expect("what is ours");
    let mut kinds: Vec<_> = found.iter().map(|found| (found.marker.as_str(), found.kind)).collect();
    kinds.sort_unstable_by_key(|found| found.0);
    let expected = [(&markers[0], Kind::Thread), (&markers[1], Kind::Comment), (&markers[2], Kind::Reply)];
    assert_eq!(kinds, expected.map(|(marker, kind)| (marker.as_str(), kind)));
}

#[test]
fn the_fake_carries_out_what_gitlab_would() {
    let (fake, forge) = gitlab();
    done(&*forge, &Write::Comment { pull: pull(), body: "Fine.\n/merge".to_owned() }).expect("a comment");
    assert_eq!(fake.carried_out(), ["/merge"], "so that a text that isn't disarmed is seen");
    assert_eq!(fake.posted(42)[0].body, "Fine.");
}
