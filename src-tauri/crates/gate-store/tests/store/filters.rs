//! Narrowing conversations down: each filter alone and all of them together give just what they should, over all pages.

use gate_core::search::Words;
use gate_core::{
    AnsweredFrom, Ask, Became, Caller, ConversationQuery, Decision, Declared, Note, NoteId, RequestId, RequestStatus,
    SessionStatus, SessionUuid, Timestamp, bounds,
};
use gate_store::{NewRequest, SearchIndex, Store};
use uuid::Uuid;

use crate::fixture::{NOW, Outcome, World, answer, ask_in, reply, sqlite3, text, token};

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

const MINUTE: i64 = 60 * 1000;
const HOUR: i64 = 60 * MINUTE;
const CLIENTS: [&str; 2] = ["claude-code", "codex"];
const WORKSPACES: [&str; 3] = ["/code/app", "/code/site", ""];
const TOKENS: [&str; 2] = ["laptop", "server"];
/// More than two pages of them.
const COUNT: usize = 144;
const WORD: &str = "webhook";

/// A conversation as it was made.
struct Made {
    session: SessionUuid,
    client: &'static str,
    workspace: &'static str,
    token: &'static str,
    status: SessionStatus,
    became: Became,
    asked_at: i64,
    /// When its question was closed; when it was asked, while it waits.
    closed_at: i64,
    holds_word: bool,
}

impl Made {
    /// Asked an hour after the one before it, and closed within that hour.
    fn of(number: usize) -> Self {
        let became = Became::ALL[number % Became::ALL.len()];
        let asked_at = NOW + i64::try_from(number).unwrap_or(0) * HOUR;
        Self {
            session: SessionUuid(Uuid::now_v7()),
            client: CLIENTS[number / 6 % CLIENTS.len()],
            workspace: WORKSPACES[number / 12 % WORKSPACES.len()],
            token: TOKENS[number / 3 % TOKENS.len()],
            status: if number.is_multiple_of(7) { SessionStatus::Completed } else { SessionStatus::Active },
            became,
            asked_at,
            closed_at: if became == Became::Pending { asked_at } else { asked_at + 30 * MINUTE },
            holds_word: number.is_multiple_of(5),
        }
    }

    async fn store(&self, store: &Store) -> Outcome {
        let request_id = RequestId(Uuid::now_v7());
        let message = if self.holds_word { format!("Shall I retry the {WORD}?") } else { "May I merge?".to_owned() };
        let new = NewRequest {
            request_id,
            session_uuid: self.session,
            ask: Ask { message, ..Ask::default() },
            caller: Caller {
                client: self.client.to_owned(),
                client_version: "1".to_owned(),
                workspace: self.workspace.to_owned(),
            },
            declared: Declared::default(),
            relay: None,
            owner: token(self.token),
            call_key: format!("relay:{request_id}"),
            question: format!("digest of {request_id}"),
            now: Timestamp(self.asked_at),
        };
        store.ask(&new).await?;
        let (at, from) = (Timestamp(self.closed_at), AnsweredFrom::Desktop);
        match self.became {
            Became::Approved => {
                reply(store, request_id, Some(Decision::Approved), &text("yes"), from, at).await?;
            }
            Became::ChangesRequested => {
                reply(store, request_id, Some(Decision::ChangesRequested), &text("no"), from, at).await?;
            }
            Became::Answered => {
                reply(store, request_id, None, &text("later"), from, at).await?;
            }
            Became::Cancelled => {
                store.close_request(request_id, RequestStatus::Cancelled, at).await?;
            }
            Became::Expired => {
                store.close_request(request_id, RequestStatus::Expired, at).await?;
            }
            Became::Pending => {}
        }
        store.set_session_status(self.session, self.status, None).await?;
        Ok(())
    }

    /// Whether the query looks for it, but for its words.
    fn fits(&self, query: &ConversationQuery) -> bool {
        let (from, until) = (query.from.map_or(i64::MIN, |at| at.0), query.until.map_or(i64::MAX, |at| at.0));
        query.client.as_deref().is_none_or(|client| client == self.client)
            && query.workspace.as_deref().is_none_or(|workspace| workspace == self.workspace)
            && query.status.is_none_or(|status| status == self.status)
            && query.owner.as_ref().is_none_or(|owner| *owner == token(self.token).id)
            && (from <= self.closed_at && self.asked_at < until)
            && query.became.is_none_or(|became| became == self.became && (from..until).contains(&self.closed_at))
    }
}

/// Each value, and none.
fn or_none<T: Clone>(values: &[T]) -> Vec<Option<T>> {
    std::iter::once(None).chain(values.iter().cloned().map(Some)).collect()
}

/// Every combination of the filters.
fn queries() -> Vec<ConversationQuery> {
    // In the middle of an hour's conversation: after it began, and before it was closed.
    let moment = |hour: i64| Timestamp(NOW + hour * HOUR + 15 * MINUTE);
    let times = [
        (None, None),
        (Some(moment(20)), None),
        (None, Some(moment(120))),
        (Some(moment(20)), Some(moment(120))),
        (Some(moment(34)), Some(moment(34))),
    ];
    let mut all = Vec::new();
    for client in or_none(&CLIENTS) {
        for workspace in or_none(&WORKSPACES[..2]) {
            for status in or_none(&[SessionStatus::Active, SessionStatus::Completed]) {
                for became in or_none(&Became::ALL) {
                    for (from, until) in times {
                        let (client, workspace) = (client.map(str::to_owned), workspace.map(str::to_owned));
                        let query = ConversationQuery { status, workspace, client, became, from, until, ..none() };
                        all.push(query);
                    }
                }
            }
        }
    }
    for name in TOKENS {
        for status in or_none(&[SessionStatus::Active, SessionStatus::Completed]) {
            for became in or_none(&[Became::Approved]) {
                all.push(ConversationQuery { status, became, owner: Some(token(name).id), ..none() });
            }
        }
    }
    all.push(ConversationQuery { owner: Some(token("nobody's").id), ..none() });
    all
}

/// What narrows nothing down.
fn none() -> ConversationQuery {
    ConversationQuery::default()
}

/// What is listed, page by page; and how many pages that took.
async fn listed(store: &Store, query: &ConversationQuery) -> Fallible<(Vec<SessionUuid>, usize)> {
    let (mut all, mut after, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = store.conversations(query, after).await?;
        assert!(page.items.len() <= bounds::PAGE_ITEMS, "a page is bound");
        all.extend(page.items.into_iter().map(|conversation| conversation.session_uuid));
        (after, pages) = (page.next, pages + 1);
        if after.is_none() {
            return Ok((all, pages));
        }
    }
}

async fn found(index: &SearchIndex, query: &ConversationQuery) -> Fallible<Vec<SessionUuid>> {
    let words = Words::parse(WORD)?.ok_or("words")?;
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = index.find(&words, query, after).await?;
        all.extend(page.items.into_iter().map(|found| found.conversation.session_uuid));
        after = page.next;
        if after.is_none() {
            return Ok(all);
        }
    }
}

#[tokio::test]
async fn every_filter_alone_and_with_the_others_gives_just_what_fits() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let made: Vec<Made> = (0..COUNT).map(Made::of).collect();
    for each in &made {
        each.store(&store).await?;
    }
    let index = SearchIndex::open(&store, &world.file("search.db")).await?;
    while index.catch_up().await? > 0 {}
    let newest_first = |query: &ConversationQuery, words: bool| -> Vec<SessionUuid> {
        let fitting = made.iter().rev().filter(|each| each.fits(query) && (each.holds_word || !words));
        fitting.map(|each| each.session).collect()
    };
    let mut most_pages = 0;
    for query in queries() {
        let (all, pages) = listed(&store, &query).await?;
        assert_eq!(all, newest_first(&query, false), "what fits, the latest first, each once: {query:?}");
        assert_eq!(found(&index, &query).await?, newest_first(&query, true), "the same with words: {query:?}");
        most_pages = most_pages.max(pages);
    }
    assert_eq!(most_pages, 3, "some lists have several pages");
    Ok(())
}

#[tokio::test]
async fn a_note_is_no_answer() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let session = SessionUuid(Uuid::now_v7());
    let asked = ask_in(&store, session, "May I?", NOW).await?;
    let (note_id, text) = (NoteId(Uuid::now_v7()), "Mind the gap".to_owned());
    let note = Note { note_id, text, created_at: Timestamp(NOW), given: None };
    store.add_note(session, &note).await?;
    let answered = ConversationQuery { became: Some(Became::Answered), ..ConversationQuery::default() };
    assert!(listed(&store, &answered).await?.0.is_empty(), "nobody has answered anything");
    answer(&store, asked.request_id, "yes").await?;
    assert!(listed(&store, &answered).await?.0.is_empty(), "an approval is another thing");
    let approved = ConversationQuery { became: Some(Became::Approved), ..ConversationQuery::default() };
    assert_eq!(listed(&store, &approved).await?.0, [session]);
    Ok(())
}

#[tokio::test]
async fn what_is_rare_is_found_in_steps_that_each_look_at_so_many() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let rare = SessionUuid(Uuid::now_v7());
    let asked = ask_in(&store, rare, "May I?", 1).await?;
    let approved = Some(Decision::Approved);
    reply(&store, asked.request_id, approved, &text("yes"), AnsweredFrom::Desktop, Timestamp(2)).await?;
    sqlite3(
        &world.database(),
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 4000)
         INSERT INTO conversations (session_uuid, client, client_version, workspace, status, created_at, updated_at)
         SELECT printf('00000000-0000-7000-8000-%012x', n), 'test', '1', '/w', 'completed', n * 1000, n * 1000 FROM numbers",
    )?;
    let approved = ConversationQuery { became: Some(Became::Approved), ..ConversationQuery::default() };
    let first = store.conversations(&approved, None).await?;
    assert_eq!(first.items.len(), 0, "none of the latest was approved");
    assert!(first.next.is_some(), "and the list goes on behind them");
    let (all, pages) = listed(&store, &approved).await?;
    assert_eq!(all, [rare], "the oldest of all is found");
    assert!((3..=5).contains(&pages), "no step looks at all of them, and none at few: {pages}");
    Ok(())
}

#[tokio::test]
async fn the_choices_are_what_the_record_has_the_latest_first() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    for number in 0..13 {
        Made::of(number).store(&store).await?;
    }
    assert_eq!(store.clients_of_the_record().await?, ["claude-code", "codex"], "the thirteenth is of the first client");
    assert_eq!(store.workspaces_of_the_record().await?, ["/code/site", "/code/app"], "each once");
    for number in 24..30 {
        Made::of(number).store(&store).await?;
    }
    assert_eq!(store.workspaces_of_the_record().await?, ["/code/site", "/code/app"], "no folder is no choice");
    Ok(())
}
