//! GitHub: what is read, and what is posted, byte for byte.

use std::sync::Arc;

use gate_forge::{
    Access, Account, Done, Event, Forge, Kind, Opened, Platform, PullState, Remark, Review, ReviewState, Seen, Write,
    asked,
};
use gate_platforms::Proposed;

use crate::scene::{
    ADDED, CONTEXT, OUTSIDE, REMOVED, TOKEN, at, client, done, file, github, marked, proposed, pull, remark,
};

fn begin(remarks: Vec<Remark>) -> Write {
    Write::Begin { pull: pull(), head: "a".repeat(40), body: "The report.".to_owned(), remarks }
}

fn begun(forge: &dyn Forge, remarks: Vec<Remark>) -> Review {
    match done(forge, &begin(remarks)) {
        Ok(Done::Review(review)) => *review,
        other => panic!("no review was begun: {other:?}"),
    }
}

fn submit(review: &Review, event: Event) -> Write {
    Write::Submit { pull: pull(), review: review.id, event }
}

fn place(review: &Review, remark: Remark) -> Write {
    let refs = gate_forge::DiffRefs { base: String::new(), start: String::new(), head: String::new() };
    Write::Place { pull: pull(), review: Some(review.node.clone()), refs, remark }
}

#[test]
fn a_pull_request_is_read_with_all_that_decides_who_starts() {
    let (fake, forge) = github();
    fake.issue("acme/shop", 7, "A cent is lost", "See the cart.");
    let me = forge.me().expect("an account");
    assert_eq!(me, Account { id: 2, login: "grace".to_owned() });
    let read = forge.pull(&pull()).expect("a pull request");
    assert_eq!((read.title.as_str(), read.state, read.fork), ("Round the cart's total", PullState::Open, false));
    assert_eq!((read.head, read.base), ("a".repeat(40), Some("b".repeat(40))));
    assert_eq!(read.git_ref, "refs/pull/42/head");
    assert_eq!(read.url, format!("{}/acme/shop/pull/42", fake.url()));
    let base = forge.merge_base("acme/shop", &"b".repeat(40), &"a".repeat(40)).expect("they have one in common");
    assert_eq!(base, "c".repeat(40));
    let ada = read.author.expect("its author is there");
    assert_eq!(forge.access("acme/shop", &ada).ok(), Some(Access::Write));
    let mallory = Account { id: 3, login: "mallory".to_owned() };
    assert_eq!(forge.access("acme/shop", &mallory).ok(), Some(Access::Read));
    let other = Account { id: 9, login: "ada".to_owned() };
    assert_eq!(forge.access("acme/shop", &other).ok(), Some(Access::Unknown), "the name is somebody else's now");
    let repository = forge.repository("acme/shop").expect("a repository");
    assert!(repository.may_push && repository.default_branch.as_deref() == Some("main"));
    let issue = forge.issue("acme/shop", 7).expect("an issue");
    assert_eq!((issue.title.as_str(), issue.body.as_str(), issue.open), ("A cent is lost", "See the cart.", true));
    assert_eq!(issue.labels, ["bug", "old"], "whatever their form");
    assert!(forge.issue("acme/shop", 42).is_err_and(|error| error.is_missing()), "a pull request is no issue");
    assert!(forge.pull(&gate_forge::PullId { number: 43, ..pull() }).is_err_and(|error| error.is_missing()));
}

#[test]
fn whoever_may_not_ask_for_rights_is_not_told() {
    let (fake, _) = github();
    let mallory = client(Platform::GitHub, &fake.url(), "mallory-token");
    let ada = Account { id: 1, login: "ada".to_owned() };
    assert_eq!(mallory.access("acme/shop", &ada).ok(), Some(Access::Unknown));
    assert!(!Access::Unknown.may_write(), "and what isn't known is no");
}

#[test]
fn a_fork_is_told() {
    let (fake, forge) = github();
    fake.propose(&Proposed { number: 43, fork: true, draft: true, ..proposed() });
    let read = forge.pull(&gate_forge::PullId { number: 43, ..pull() }).expect("a pull request");
    assert!(read.fork && read.draft);
}

#[test]
fn all_pages_of_threads_and_of_their_comments_come() {
    let (fake, forge) = github();
    let many: Vec<String> = (0..130).map(|index| format!("comment {index}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let long = fake.discuss(42, "ada", "src/cart.rs", 10, &many);
    for index in 0..149 {
        fake.discuss(42, "ada", "src/cart.rs", 12, &[&format!("thread {index}")]);
    }
    let threads = forge.threads(&pull()).expect("threads");
    assert_eq!(threads.len(), 150, "a page has a hundred");
    assert_eq!((threads[0].id.as_str(), threads[0].comments.len()), (long.as_str(), 130), "so has one of comments");
    assert_eq!(threads[0].comments[129].body, "comment 129", "the oldest is first");
    assert_eq!((threads[149].path.as_deref(), threads[149].line), (Some("src/cart.rs"), Some(12)));
    let one = forge.thread(&pull(), &long).expect("a thread");
    assert_eq!((one.comments.len(), one.resolved), (130, false));
    assert!(forge.thread(&pull(), "PRRT_none").is_err_and(|error| error.is_missing()));
}

#[test]
fn a_review_is_begun_read_back_and_shown_byte_for_byte() {
    let (fake, forge) = github();
    let bodies = ["Off by one.\r\n\ttabs \"quotes\" ü 🦀 \u{200b}", "Gone?", "Same."];
    let remarks = [ADDED, REMOVED, CONTEXT].into_iter().zip(bodies).map(|(line, body)| remark(at(line), body));
    let review = begun(&*forge, remarks.collect());
    assert_eq!(review.state, ReviewState::Pending);
    let ada = client(Platform::GitHub, &fake.url(), "ada-token");
    assert_eq!(ada.reviews(&pull()).ok(), Some(Vec::new()), "nobody else sees it");
    assert_eq!(ada.threads(&pull()).map(|threads| threads.len()), Ok(0));
    let held = forge.held_by(&pull(), &review).expect("what it holds");
    let read: Vec<_> = held.iter().map(|thread| (thread.line, thread.comments[0].body.as_str())).collect();
    assert_eq!(read, [(Some(12), bodies[0]), (Some(11), bodies[1]), (Some(10), bodies[2])]);
    assert!(held.iter().all(|thread| thread.comments[0].pending));
    let shown = done(&*forge, &submit(&review, Event::RequestChanges)).expect("it is shown");
    assert!(matches!(shown, Done::Review(review) if review.state == ReviewState::Posted));
    let posted = fake.posted(42);
    assert!(posted.iter().all(|posted| !posted.pending && posted.author == "grace"));
    assert_eq!(posted[0].state.as_deref(), Some("CHANGES_REQUESTED"));
    assert_eq!(posted[1..].iter().map(|posted| posted.body.as_str()).collect::<Vec<_>>(), bodies);
    assert!(done(&*forge, &submit(&review, Event::Comment)).is_err(), "it is shown once");
}

#[test]
fn one_bad_place_refuses_all_and_is_not_named() {
    let (fake, forge) = github();
    let all = vec![remark(at(ADDED), "good"), remark(at(OUTSIDE), "bad"), remark(at(CONTEXT), "good, too")];
    let error = done(&*forge, &begin(all)).expect_err("a line beyond the hunks");
    assert!(matches!(&error, gate_forge::ForgeError::Refused { status: 422, message } if !message.contains("41")));
    assert_eq!(fake.posted(42), [], "nothing of it stays");
}

#[test]
fn places_singly_say_which_of_them_stand() {
    let (fake, forge) = github();
    let review = begun(&*forge, Vec::new());
    let mut stood = Vec::new();
    let elsewhere = gate_forge::Place { path: "no/such.rs".to_owned(), ..at(ADDED) };
    for (place_at, body) in [(at(ADDED), "a"), (at(OUTSIDE), "b"), (file(), "c"), (elsewhere, "d")] {
        match done(&*forge, &place(&review, remark(place_at, body))) {
            Ok(Done::Thread { stands, .. }) => stood.push(stands),
            other => panic!("it is no error: {other:?}"),
        }
    }
    assert_eq!(stood, [true, false, true, false], "its line isn't said back, or there is no thread");
    done(&*forge, &submit(&review, Event::Comment)).expect("it is shown");
    let bodies: Vec<String> = fake.posted(42).into_iter().map(|posted| posted.body).collect();
    assert_eq!(bodies, ["The report.", "a", "c"], "what doesn't stand goes without a word");
    assert!(done(&*forge, &place(&review, remark(at(ADDED), "late"))).is_err(), "nothing comes to one that was shown");
}

#[test]
fn on_their_own_pull_request_people_only_comment() {
    let (fake, _) = github();
    let ada = client(Platform::GitHub, &fake.url(), "ada-token");
    let review = begun(&*ada, Vec::new());
    let refused = done(&*ada, &submit(&review, Event::RequestChanges)).expect_err("it is their own");
    assert!(refused.to_string().contains("own pull request"), "the platform's reason is told: {refused}");
    done(&*ada, &submit(&review, Event::Comment)).expect("a comment is taken");
}

#[test]
fn the_persons_own_pending_review_is_seen_and_stays() {
    let (fake, forge) = github();
    fake.begin(42, "grace", "My notes, not done yet");
    let refused = done(&*forge, &begin(Vec::new())).expect_err("there is one already");
    assert!(refused.to_string().contains("one pending review"), "{refused}");
    let reviews = forge.reviews(&pull()).expect("reviews");
    assert_eq!((reviews[0].state, reviews[0].body.as_str()), (ReviewState::Pending, "My notes, not done yet"));
    let (_, marker) = marked("", "item-1");
    let me = forge.me().expect("an account");
    assert_eq!(forge.find(&pull(), &me, &[marker]).ok(), Some(Vec::new()), "it bears no marker of ours");
    assert!(fake.posted(42)[0].pending, "nobody touched it");
}

#[test]
fn a_review_that_was_begun_can_be_taken_back() {
    let (fake, forge) = github();
    let review = begun(&*forge, vec![remark(at(ADDED), "a")]);
    done(&*forge, &Write::Discard { pull: pull(), review: review.id }).expect("it is taken back");
    assert_eq!(fake.posted(42), []);
}

#[test]
fn threads_are_answered_and_resolved_by_their_own_name() {
    let (fake, forge) = github();
    let thread = fake.discuss(42, "ada", "src/cart.rs", 12, &["Why?"]);
    let reply =
        |thread: &str, body: &str| Write::Reply { pull: pull(), thread: thread.to_owned(), body: body.to_owned() };
    let said = done(&*forge, &reply(&thread, "Because.")).expect("an answer");
    assert!(matches!(said, Done::Comment { pending: false, .. }));
    let comment = forge.thread(&pull(), &thread).expect("a thread").comments[0].id.clone();
    assert!(
        done(&*forge, &reply(&comment, "?")).is_err_and(|error| error.is_missing()),
        "a comment's name is no thread's"
    );
    let resolve = Write::Resolve { pull: pull(), thread: thread.clone() };
    assert_eq!(done(&*forge, &resolve), Ok(Done::Resolved(true)));
    assert_eq!(done(&*forge, &resolve), Ok(Done::Resolved(true)), "twice is once");
    assert_eq!(fake.resolved(42), std::slice::from_ref(&thread));
    assert!(forge.thread(&pull(), &thread).is_ok_and(|thread| thread.resolved));
    begun(&*forge, Vec::new());
    let said = done(&*forge, &reply(&thread, "More.")).expect("an answer");
    assert!(matches!(said, Done::Comment { pending: true, .. }), "it belongs to the review that nobody sees yet");
}

#[test]
fn labels_are_added_to_those_that_are_there() {
    let (fake, forge) = github();
    let label = |name: &str| Write::Label { pull: pull(), labels: vec![name.to_owned()] };
    done(&*forge, &label("bug")).expect("a label");
    assert_eq!(done(&*forge, &label("a, b")), Ok(Done::Labels(vec!["bug".to_owned(), "a, b".to_owned()])));
    assert_eq!(forge.labels(&pull()).ok(), Some(fake.labels(42)));
}

#[test]
fn one_pull_request_is_opened_for_a_branch() {
    let (fake, forge) = github();
    fake.branch("acme/shop", "autodev/7-cent", &"d".repeat(40));
    let open = Write::Open(Opened {
        project: "acme/shop".to_owned(),
        title: "Keep the cent".to_owned(),
        body: "Closes #7".to_owned(),
        branch: "autodev/7-cent".to_owned(),
        target: "main".to_owned(),
        draft: true,
    });
    assert_eq!(forge.pulls_from("acme/shop", "autodev/7-cent").ok(), Some(Vec::new()));
    let Ok(Done::Pull(opened)) = done(&*forge, &open) else { panic!("it was not opened") };
    assert!(opened.draft && opened.id.number == 43);
    assert!(done(&*forge, &open).is_err_and(|error| error.to_string().contains("already exists")));
    let found = forge.pulls_from("acme/shop", "autodev/7-cent").expect("it is found by its branch");
    assert_eq!(found.iter().map(|pull| pull.id.number).collect::<Vec<_>>(), [43]);
    let update = Write::Update { pull: opened.id, title: None, body: Some("Closes #7.".to_owned()) };
    assert!(
        matches!(done(&*forge, &update), Ok(Done::Pull(pull)) if pull.body == "Closes #7." && pull.title == "Keep the cent")
    );
}

#[test]
fn looking_again_costs_nothing_until_something_changes() {
    let (fake, forge) = github();
    let Ok(Seen::New { etag: Some(etag), .. }) = forge.changed(&pull(), None) else { panic!("no ETag") };
    assert_eq!(forge.changed(&pull(), Some(&etag)), Ok(Seen::Same));
    fake.push(42, &"e".repeat(40), crate::scene::DIFF);
    let Ok(Seen::New { value, .. }) = forge.changed(&pull(), Some(&etag)) else { panic!("it has another head") };
    assert_eq!(value.head, "e".repeat(40));
    let me = forge.me().expect("an account");
    let Ok(Seen::New { value, etag }) = forge.waiting(&me, None) else { panic!("nothing waits") };
    assert_eq!(value, [pull()]);
    assert_eq!(forge.waiting(&me, etag.as_deref()), Ok(Seen::Same));
}

#[test]
fn ours_is_found_by_its_marker_and_nobody_elses() {
    let (fake, forge) = github();
    let me = forge.me().expect("an account");
    let (body, marker) = marked("Total is off.", "0192-1");
    fake.discuss(42, "ada", "src/cart.rs", 10, &[&body, &format!("> {body}\n\nI don't think so.")]);
    assert_eq!(forge.find(&pull(), &me, std::slice::from_ref(&marker)).ok(), Some(Vec::new()), "others may copy one");
    fake.discuss(42, "grace", "src/cart.rs", 10, &["A thought", &format!("{body}\n\nas I said")]);
    assert_eq!(
        forge.find(&pull(), &me, std::slice::from_ref(&marker)).ok(),
        Some(Vec::new()),
        "nor does quoting count"
    );
    let (report, of_report) = marked("Report", "0192-0");
    let review =
        Write::Begin { pull: pull(), head: "a".repeat(40), body: report, remarks: vec![remark(at(ADDED), &body)] };
    done(&*forge, &review).expect("a review");
    done(&*forge, &Write::Comment { pull: pull(), body: marked("Aside", "0192-2").0 }).expect("a comment");
    let markers = [marker, of_report, marked("", "0192-2").1];
    let found = forge.find(&pull(), &me, &markers).expect("what is ours");
    let mut kinds: Vec<_> = found.iter().map(|found| (found.marker.as_str(), found.kind, found.pending)).collect();
    kinds.sort_unstable_by_key(|found| found.0);
    let expected =
        [(&markers[1], Kind::Review, true), (&markers[0], Kind::Thread, true), (&markers[2], Kind::Comment, false)];
    assert_eq!(kinds, expected.map(|(marker, kind, pending)| (marker.as_str(), kind, pending)));
}

#[tokio::test]
async fn async_code_asks_without_blocking() {
    let (fake, _) = github();
    let forge: Arc<dyn Forge> = Arc::from(client(Platform::GitHub, &fake.url(), TOKEN));
    let head = asked(&forge, |forge| forge.head(&pull())).await;
    assert_eq!(head, Ok("a".repeat(40)));
}
