//! The service over a socket, with a double in polkit's place.

use std::path::PathBuf;

use gate_core::{Ask, Digest};
use gate_receipts::{Decided, Enrolled, Keys, Level, Said, Verifier as _};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::mpsc;

use super::*;
use crate::client::Client;
use crate::shown::Shown;
use crate::testing::{AT, HOME, approval, asked, line, line_of, text_of};

/// What the person does.
#[derive(Debug, Clone, Copy)]
enum Person {
    Confirms,
    Declines,
    IsAway,
    IsForbidden,
    /// Nobody hears of anything: polkit hangs, whatever is asked of it or taken back.
    IsCutOff,
}

/// What polkit's double was asked, and what became of it.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Asked(Shown, String),
    Closed,
}

#[derive(Debug)]
struct Double {
    person: Person,
    seen: mpsc::UnboundedSender<Seen>,
}

impl Prompt for Double {
    async fn would_ask(&self, _peer: Peer) -> Result<(), Refused> {
        match self.person {
            Person::IsForbidden => Err(Refused::new(Why::Forbidden, "by a rule")),
            Person::IsCutOff => std::future::pending().await,
            Person::Confirms | Person::Declines | Person::IsAway => Ok(()),
        }
    }

    async fn ask(&self, peer: Peer, shown: &Shown, digits: &str, over: &CancellationToken) -> Result<(), Refused> {
        assert_eq!(peer.pid, std::process::id(), "the kernel says who asks");
        let _ = self.seen.send(Seen::Asked(shown.clone(), digits.to_owned()));
        match self.person {
            Person::Confirms => Ok(()),
            Person::Declines => Err(Refused::new(Why::Declined, "no")),
            Person::IsForbidden => Err(Refused::new(Why::Forbidden, "by a rule")),
            Person::IsCutOff => std::future::pending().await,
            Person::IsAway => {
                over.cancelled().await;
                let _ = self.seen.send(Seen::Closed);
                Err(Refused::new(Why::Cancelled, "closed"))
            }
        }
    }
}

struct World {
    folder: TempDir,
    seen: mpsc::UnboundedReceiver<Seen>,
}

const QUICK: Times = Times {
    first: Duration::from_secs(20),
    polkit: Duration::from_secs(20),
    person: Duration::from_millis(200),
    gate: Duration::from_secs(20),
    idle: Duration::from_secs(60),
};
/// How long anything may take that is waited for.
const LIMIT: Duration = Duration::from_secs(20);

impl World {
    fn with(person: Person, times: Times) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (told, seen) = mpsc::unbounded_channel();
        let kept = SigningKey::generate().expect("there is randomness");
        let key = SigningKey::from_pkcs8(&kept).expect("it is a key");
        let prompt = Double { person, seen: told };
        let witness = Witness::new(key, folder.path(), prompt, || AT, times);
        let listener = UnixListener::bind(folder.path().join("socket")).expect("it is free");
        tokio::spawn(witness.listen(listener));
        Self { folder, seen }
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    fn client(&self) -> Client {
        Client::at(&self.socket())
    }
}

fn question(ask: &Ask) -> String {
    String::from_utf8(text_of(ask)).expect("it is text")
}

fn seq(seq: u64) -> Line {
    Line { seq, ..line() }
}

async fn confirm(world: &World, line: &Line) -> Result<(crate::client::Confirmed, String), Refused> {
    let mut shown = String::new();
    let confirmed = world.client().confirm(line, &question(&asked()), |digits| shown = digits.to_owned()).await?;
    Ok((confirmed, shown))
}

fn why<T>(refused: Result<T, Refused>) -> Option<Why> {
    refused.err().map(|refused| refused.why)
}

#[tokio::test]
async fn what_the_person_confirms_is_signed_with_the_services_key_and_shown_with_the_gates_digits() {
    let mut world = World::with(Person::Confirms, QUICK);
    let reached = world.client().reachable(Some(HOME)).await.expect("it is there");
    assert_eq!(reached.heads, [], "nothing is remembered yet");
    let (confirmed, digits) = confirm(&world, &line()).await.expect("the person confirms");
    let Some(Seen::Asked(shown, prompted)) = world.seen.recv().await else { panic!("somebody was asked") };
    assert_eq!(prompted, digits, "the prompt shows what the gate shows");
    assert_eq!(shown.title, "\u{2068}Deploy\u{2069}");
    let keys = Keys(vec![Enrolled { public: reached.key.clone(), origin: None, after: 0, until: None }]);
    let proved = keys.prove(confirmed.line()).expect("it holds").expect("it is signed");
    assert_eq!(proved.level, Level::L2);
    assert_eq!(*confirmed.key(), reached.key);
    let unsigned = Line { proof: Proof::None {}, ..confirmed.line().clone() };
    assert_eq!(unsigned, line(), "nothing else of it has changed");
    let head = confirmed.line().head().expect("it can be written");
    confirmed.kept().await.expect("it is remembered");
    assert_eq!(world.client().reachable(Some(HOME)).await.map(|reached| reached.heads), Ok(vec![head]));
}

#[tokio::test]
async fn whose_key_it_is_is_told_where_nobody_would_be_asked() {
    let world = World::with(Person::IsForbidden, QUICK);
    assert_eq!(why(world.client().reachable(Some(HOME)).await), Some(Why::Forbidden));
    let known = world.client().known(Some(HOME)).await.expect("what it signed before can be verified");
    assert_eq!((known.version.as_str(), known.heads), (env!("CARGO_PKG_VERSION"), Vec::new()));
}

#[tokio::test]
async fn each_prompt_has_digits_of_its_own() {
    let world = World::with(Person::Confirms, QUICK);
    let (_, first) = confirm(&world, &line()).await.expect("the person confirms");
    let (_, second) = confirm(&world, &line()).await.expect("the person confirms");
    assert_ne!(first, second, "the same receipt, asked twice");
}

#[tokio::test]
async fn what_was_declined_or_left_alone_is_not_signed() {
    let declines = World::with(Person::Declines, QUICK);
    assert_eq!(why(confirm(&declines, &line()).await), Some(Why::Declined));
    let mut away = World::with(Person::IsAway, QUICK);
    assert_eq!(why(confirm(&away, &line()).await), Some(Why::TimedOut));
    assert!(matches!(away.seen.recv().await, Some(Seen::Asked(..))));
    assert_eq!(away.seen.recv().await, Some(Seen::Closed), "and its prompt is closed");
}

#[tokio::test]
async fn a_gate_that_goes_takes_its_prompt_along() {
    let patient = Times { person: Duration::from_secs(60), ..QUICK };
    let mut world = World::with(Person::IsAway, patient);
    let (client, line) = (world.client(), line());
    let asking = tokio::spawn(async move { client.confirm(&line, &question(&asked()), |_| ()).await.map(drop) });
    assert!(matches!(world.seen.recv().await, Some(Seen::Asked(..))));
    asking.abort();
    assert_eq!(world.seen.recv().await, Some(Seen::Closed));
}

#[tokio::test]
async fn a_polkit_that_hangs_keeps_nobodys_turn_and_is_told() {
    let quick = Times { polkit: Duration::from_millis(50), person: Duration::from_secs(60), ..QUICK };
    let mut world = World::with(Person::IsCutOff, quick);
    let reached = tokio::time::timeout(LIMIT, world.client().reachable(Some(HOME))).await;
    assert_eq!(why(reached.expect("whoever shows a request waits for it")), Some(Why::NoPolkit));

    let (client, line) = (world.client(), line());
    let asking = tokio::spawn(async move { client.confirm(&line, &question(&asked()), |_| ()).await.map(drop) });
    assert!(matches!(world.seen.recv().await, Some(Seen::Asked(..))));
    asking.abort();
    let (client, line) = (world.client(), seq(413));
    let _next = tokio::spawn(async move { client.confirm(&line, &question(&asked()), |_| ()).await.map(drop) });
    let next = tokio::time::timeout(LIMIT, world.seen.recv()).await.expect("a gate that has gone keeps no turn");
    assert!(matches!(next, Some(Seen::Asked(..))), "the next one is asked about: {next:?}");
}

#[tokio::test]
async fn connections_that_say_nothing_soon_make_room() {
    let times = Times { first: Duration::from_millis(100), gate: Duration::from_secs(60), ..QUICK };
    let world = World::with(Person::Confirms, times);
    let mut idle = Vec::new();
    for _ in 0..crate::turns::CONNECTIONS {
        idle.push(UnixStream::connect(world.socket()).await.expect("it listens"));
    }
    for stream in &mut idle {
        let told = tokio::time::timeout(LIMIT, hear::<Says>(stream)).await.expect("it isn't left its place");
        let Ok(Says::Refused(refused)) = told else { panic!("{told:?}") };
        assert_eq!(refused.why, Why::TimedOut);
    }
    assert_eq!(why(world.client().known(Some(HOME)).await), None, "whoever has something to say is heard");
}

#[tokio::test]
async fn nobody_is_asked_about_what_the_line_does_not_say() {
    let mut world = World::with(Person::Confirms, QUICK);
    let other = Ask { message: "Something else".to_owned(), ..asked() };
    let refused = world.client().confirm(&line(), &question(&other), |_| ()).await;
    assert_eq!(why(refused), Some(Why::OtherContent));
    let lower = line_of(Decided { level: Level::L1, ..approval(&asked()) });
    assert_eq!(why(confirm(&world, &lower).await), Some(Why::Unfit));
    let late = Line { at: Timestamp(AT.0 - 3_600_000), ..line() };
    assert_eq!(why(confirm(&world, &late).await), Some(Why::Clock));
    assert!(world.seen.try_recv().is_err(), "no prompt came up");
}

#[tokio::test]
async fn a_log_that_went_on_is_signed_for_again_and_one_that_went_back_is_not() {
    let world = World::with(Person::Confirms, QUICK);
    let (mut confirmed, _) = confirm(&world, &seq(412)).await.expect("the person confirms");
    confirmed.again(&seq(413)).await.expect("it is the same receipt");
    assert_eq!(confirmed.line().seq, 413);
    let Said::Decided(decided) = line().said else { panic!("it is a receipt") };
    let other = line_of(Decided { reply: Digest::of_bytes(b"other"), ..decided });
    let refused = confirmed.again(&other).await;
    assert_eq!(why(refused), Some(Why::OtherContent), "nobody confirmed this one");

    let (confirmed, _) = confirm(&world, &seq(412)).await.expect("nothing of it stands in a log yet");
    confirmed.kept().await.expect("it is remembered");
    assert_eq!(why(confirm(&world, &seq(412)).await), Some(Why::Behind));
    let (confirmed, _) = confirm(&world, &seq(413)).await.expect("it goes on");
    let (twice, _) = confirm(&world, &seq(413)).await.expect("as long as none of them stands there");
    confirmed.kept().await.expect("it is remembered");
    assert_eq!(why(twice.kept().await), Some(Why::Behind), "one of them does now");
}

#[tokio::test]
async fn what_isnt_understood_is_refused_and_kept_short() {
    let world = World::with(Person::Confirms, QUICK);
    let cases: [(Vec<u8>, Why); 6] = [
        (b"{\"do\":\"hello\",\"v\":2}\n".to_vec(), Why::Version),
        (b"{\"do\":\"hello\",\"v\":1,\"also\":1}\n".to_vec(), Why::Unfit),
        (b"{\"do\":\"ask\"}\n".to_vec(), Why::Unfit),
        (b"no JSON\n".to_vec(), Why::Unfit),
        (vec![b'x'; 100_000], Why::Unfit),
        (b"{\"do\":\"confirm\",\"v\":1,\"line\":999999999,\"ask\":1}\n".to_vec(), Why::Unfit),
    ];
    for (sent, expected) in cases {
        let mut stream = UnixStream::connect(world.socket()).await.expect("it listens");
        // It may be closed before all of it is written.
        let _ = stream.write_all(&sent).await;
        let refused = loop {
            match hear::<Says>(&mut stream).await.expect("it says why") {
                Says::Turn {} => {}
                says => break says,
            }
        };
        let Says::Refused(refused) = refused else { panic!("{refused:?}") };
        assert_eq!(refused.why, expected, "{}", String::from_utf8_lossy(&sent[..sent.len().min(80)]));
    }
}

#[tokio::test]
async fn nobody_for_a_while_and_it_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = SigningKey::generate().expect("there is randomness");
    let key = SigningKey::from_pkcs8(&kept).expect("it is a key");
    let (seen, _) = mpsc::unbounded_channel();
    let idle = Times { idle: Duration::from_millis(10), ..QUICK };
    let witness = Witness::new(key, folder.path(), Double { person: Person::Confirms, seen }, || AT, idle);
    let listener = UnixListener::bind(folder.path().join("socket")).expect("it is free");
    witness.listen(listener).await.expect("the system starts it again for the next one");
}
