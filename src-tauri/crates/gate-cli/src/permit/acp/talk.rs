//! What is known of the talk between an ACP client and its agent: the folders of its sessions, who the agent says it is, and
//! which of its questions the gate asks. Reads lines, and writes none.

use std::collections::HashMap;

use gate_core::AcpRequest;
use gate_core::bounds;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

/// Questions that the gate asks at the same time; a further one is the client's.
const OPEN: usize = 64;
/// Sessions, and requests for one, that are known at the same time.
const SESSIONS: usize = 256;
/// Longest id, or name of a session, that is looked into, in bytes.
const ID_BYTES: usize = 4096;
/// Most bytes of the lines of all questions that the gate asks: each is kept until it is over.
const OPEN_BYTES: usize = 8 * 1024 * 1024;
/// Longest name or version of an agent that is taken, in characters.
const NAME_CHARS: usize = 100;
/// By what a client says who it is, and hears who the agent is.
const BEGINS: &str = "initialize";
/// Requests for a session, with its folder.
const OPENS: [&str; 4] = ["session/new", "session/load", "session/resume", "session/fork"];
/// By what a client ends a turn.
const CANCEL: &str = "session/cancel";
/// By what an agent takes a request back, in the draft of version 2.
const TAKE_BACK: &str = "$/cancel_request";

/// The talk so far.
#[derive(Debug)]
pub(super) struct Talk {
    agent: String,
    version: String,
    /// The client's request that the agent names itself in the answer of.
    begins: Option<String>,
    /// The folders that the client has asked a session for, by the request's id.
    opening: HashMap<String, String>,
    /// The folders of sessions.
    folders: HashMap<String, String>,
    /// What the gate asks, by the request's id.
    open: HashMap<String, Open>,
    /// How many it has asked so far.
    asked: u64,
    is_closed: bool,
}

/// A question that the gate asks. Dropping it withdraws it.
#[derive(Debug)]
struct Open {
    session: Option<String>,
    /// How long its line is.
    bytes: usize,
    /// Which one of all: an agent may use an id again.
    number: u64,
    _withdraws: oneshot::Sender<()>,
}

/// A question for the gate.
#[derive(Debug)]
pub(super) struct Asked {
    /// The request's id, JSON as the agent wrote it.
    pub(super) id: String,
    /// Which one of all.
    pub(super) number: u64,
    pub(super) request: AcpRequest,
}

/// What an agent has said.
#[derive(Debug)]
pub(super) enum Heard {
    /// It asks whether it may; and what tells that this is withdrawn.
    Question(Box<Asked>, oneshot::Receiver<()>),
    /// It has taken a question back, and is to have this answer.
    TakenBack(Vec<u8>),
    /// Something else, which is its client's.
    Other,
}

/// A message of JSON-RPC, as far as it is looked into.
#[derive(Debug, Deserialize)]
struct Message<'a> {
    method: Option<String>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfASession {
    session_id: Option<String>,
    cwd: Option<String>,
}

impl Talk {
    /// A talk with an agent that is called so until it says another name.
    pub(super) fn new(agent: String) -> Self {
        Self {
            agent,
            version: String::new(),
            begins: None,
            opening: HashMap::new(),
            folders: HashMap::new(),
            open: HashMap::new(),
            asked: 0,
            is_closed: false,
        }
    }

    /// Takes in a line of the client's; gives what the agent is to be answered in its place, once it has the line.
    pub(super) fn heard_from_client(&mut self, line: &[u8]) -> Vec<Vec<u8>> {
        let Ok(message) = serde_json::from_slice::<Message<'_>>(line) else { return Vec::new() };
        let Some(method) = message.method.as_deref() else { return Vec::new() };
        if message.id.is_some_and(|id| id.get().len() > ID_BYTES) {
            return Vec::new();
        }
        let of = message.params.and_then(|params| serde_json::from_str::<OfASession>(params.get()).ok());
        match (method, message.id, of) {
            (BEGINS, Some(id), _) => self.begins = Some(id.get().to_owned()),
            (CANCEL, _, Some(OfASession { session_id: Some(session), .. })) => return self.cancel(&session),
            (method, Some(id), Some(OfASession { session_id, cwd: Some(folder) })) if OPENS.contains(&method) => {
                if let Some(session) = session_id {
                    keep(&mut self.folders, session, folder.clone());
                }
                keep(&mut self.opening, id.get().to_owned(), folder);
            }
            _ => {}
        }
        Vec::new()
    }

    /// Takes in a line of the agent's.
    pub(super) fn heard_from_agent(&mut self, line: &[u8]) -> Heard {
        let Ok(message) = serde_json::from_slice::<Message<'_>>(line) else { return Heard::Other };
        let heard = match (message.method.as_deref(), message.id, message.params) {
            (Some(AcpRequest::METHOD), Some(id), Some(params)) => self.asked(id.get(), params.get(), line.len()),
            (Some(TAKE_BACK), None, Some(params)) => self.taken_back(params.get()),
            (None, Some(id), _) => {
                self.answered(id.get(), message.result);
                None
            }
            _ => None,
        };
        heard.unwrap_or(Heard::Other)
    }

    /// A question is over; whether it still was one.
    pub(super) fn over(&mut self, id: &str, number: u64) -> bool {
        let is_open = self.open.get(id).is_some_and(|open| open.number == number);
        is_open && self.open.remove(id).is_some()
    }

    /// The client is gone: what was asked is withdrawn, and nothing is asked any more.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        self.open.clear();
    }

    fn asked(&mut self, id: &str, params: &str, bytes: usize) -> Option<Heard> {
        let held: usize = self.open.values().map(|open| open.bytes).sum();
        let is_too_much = self.open.len() >= OPEN || id.len() > ID_BYTES || held + bytes > OPEN_BYTES;
        // With an id that is asked already, nobody could say whose an answer is.
        if self.is_closed || is_too_much || self.open.contains_key(id) {
            return None;
        }
        let mut request = AcpRequest::read(params)?;
        let question = &mut request.question;
        if question.session.as_ref().is_some_and(|session| session.len() > ID_BYTES) {
            return None;
        }
        let folder = question.session.as_ref().and_then(|session| self.folders.get(session));
        question.folder = folder.cloned().unwrap_or_default();
        question.client.clone_from(&self.agent);
        question.client_version.clone_from(&self.version);
        let (withdraws, withdrawn) = oneshot::channel();
        self.asked += 1;
        let (session, number) = (question.session.clone(), self.asked);
        self.open.insert(id.to_owned(), Open { session, bytes, number, _withdraws: withdraws });
        Some(Heard::Question(Box::new(Asked { id: id.to_owned(), number, request }), withdrawn))
    }

    fn taken_back(&mut self, params: &str) -> Option<Heard> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct TakenBack<'a> {
            #[serde(borrow)]
            request_id: &'a RawValue,
        }
        let id = serde_json::from_str::<TakenBack<'_>>(params).ok()?.request_id.get();
        self.open.remove(id).map(|_| Heard::TakenBack(answer(id, AcpRequest::CANCELLED)))
    }

    /// The client must answer what is asked in a turn that it ends; of what the gate asks it knows nothing.
    fn cancel(&mut self, session: &str) -> Vec<Vec<u8>> {
        let of = self.open.iter().filter(|(_, open)| open.session.as_deref() == Some(session));
        let ids: Vec<String> = of.map(|(id, _)| id.clone()).collect();
        ids.iter().filter_map(|id| self.open.remove(id).map(|_| answer(id, AcpRequest::CANCELLED))).collect()
    }

    /// The agent has answered its client.
    fn answered(&mut self, id: &str, result: Option<&RawValue>) {
        if self.begins.as_deref() == Some(id) {
            self.begins = None;
            let result: Value = result.and_then(|result| serde_json::from_str(result.get()).ok()).unwrap_or_default();
            let said = |field: &str| result["agentInfo"][field].as_str().map(named).filter(|text| !text.is_empty());
            if let Some(agent) = said("name") {
                self.agent = agent;
            }
            self.version = said("version").unwrap_or_default();
        } else if let Some(folder) = self.opening.remove(id) {
            let of = result.and_then(|result| serde_json::from_str::<OfASession>(result.get()).ok());
            if let Some(session) = of.and_then(|of| of.session_id) {
                keep(&mut self.folders, session, folder);
            }
        }
    }
}

/// The answer to a request.
pub(super) fn answer(id: &str, result: &str) -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n").into_bytes()
}

fn named(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(NAME_CHARS).collect()
}

/// Keeps a folder. Where many are known, all others are forgotten: their questions come without one.
fn keep(folders: &mut HashMap<String, String>, of: String, folder: String) {
    if folder.len() > bounds::CALLER_BYTES || of.len() > ID_BYTES {
        return;
    }
    if folders.len() >= SESSIONS {
        folders.clear();
    }
    folders.insert(of, folder);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(message: &Value) -> Vec<u8> {
        format!("{message}\n").into_bytes()
    }

    fn question(id: &Value, session: &str) -> Vec<u8> {
        line(&json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": {
            "sessionId": session,
            "toolCall": {"toolCallId": "t", "kind": "execute", "title": "ls", "rawInput": {"command": "ls"}},
            "options": [{"optionId": "y", "kind": "allow_once", "name": "Yes"}, {"optionId": "n", "kind": "reject_once", "name": "No"}],
        }}))
    }

    /// A talk whose session `s` is in `/w`.
    fn talk() -> Talk {
        let mut talk = Talk::new("agent".to_owned());
        talk.heard_from_client(&line(&json!({"id": 0, "method": "initialize", "params": {"protocolVersion": 1}})));
        let info = json!({"agentInfo": {"name": "open\ncode", "version": "1.18"}});
        talk.heard_from_agent(&line(&json!({"id": 0, "result": info})));
        talk.heard_from_client(&line(&json!({"id": 1, "method": "session/new", "params": {"cwd": "/w"}})));
        talk.heard_from_agent(&line(&json!({"id": 1, "result": {"sessionId": "s"}})));
        talk
    }

    fn asks(talk: &mut Talk, id: &Value, session: &str) -> (Asked, oneshot::Receiver<()>) {
        match talk.heard_from_agent(&question(id, session)) {
            Heard::Question(asked, withdrawn) => (*asked, withdrawn),
            other => panic!("{id} is {other:?}"),
        }
    }

    fn is_withdrawn(withdrawn: &mut oneshot::Receiver<()>) -> bool {
        withdrawn.try_recv() == Err(oneshot::error::TryRecvError::Closed)
    }

    #[test]
    fn a_question_knows_its_folder_and_its_agent() {
        let mut talk = talk();
        let (asked, _) = asks(&mut talk, &json!("a-1"), "s");
        let question = &asked.request.question;
        assert_eq!((asked.id.as_str(), question.folder.as_str()), (r#""a-1""#, "/w"));
        assert_eq!((question.client.as_str(), question.client_version.as_str()), ("opencode", "1.18"));
        let (other, _) = asks(&mut talk, &json!(7), "of nobody");
        assert_eq!(other.request.question.folder, "", "what isn't known isn't guessed");
        talk.heard_from_client(&line(
            &json!({"id": 2, "method": "session/load", "params": {"sessionId": "old", "cwd": "/v"}}),
        ));
        let (loaded, _) = asks(&mut talk, &json!(8), "old");
        assert_eq!(loaded.request.question.folder, "/v", "nor does a session that is taken up again lose it");
        let silent = Talk::new("agent".to_owned());
        assert_eq!(silent.agent, "agent", "an agent that says no name has its program's");
    }

    #[test]
    fn a_turn_that_is_cancelled_takes_its_questions_along_and_answers_them() {
        let mut talk = talk();
        let (_, mut own) = asks(&mut talk, &json!(1), "s");
        let (_, mut other) = asks(&mut talk, &json!(2), "another");
        let said = talk.heard_from_client(&line(&json!({"method": "session/cancel", "params": {"sessionId": "s"}})));
        let cancelled = json!({"jsonrpc": "2.0", "id": 1, "result": {"outcome": {"outcome": "cancelled"}}});
        let said: Vec<Value> = said.iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
        assert_eq!(said, [cancelled], "as the client would have to");
        assert!(is_withdrawn(&mut own), "and nobody is asked any more");
        assert!(!is_withdrawn(&mut other), "another session's question stays");
        let (_, _again) = asks(&mut talk, &json!(1), "s");
        assert!(!talk.over("1", 1), "an answer that comes then is none, even where the agent uses the id again");
        assert!(talk.over("1", 3) && talk.over("2", 2));
    }

    #[test]
    fn a_question_that_the_agent_takes_back_or_whose_client_goes_is_withdrawn() {
        let mut talk = talk();
        let (_, mut own) = asks(&mut talk, &json!(1), "s");
        let back = line(&json!({"method": "$/cancel_request", "params": {"requestId": 1}}));
        let Heard::TakenBack(said) = talk.heard_from_agent(&back) else { panic!("it was asked") };
        assert!(String::from_utf8(said).unwrap().contains("cancelled"), "it has an answer");
        assert!(is_withdrawn(&mut own));
        assert!(matches!(talk.heard_from_agent(&back), Heard::Other), "what the client was asked, it hears of");
        let (_, mut left) = asks(&mut talk, &json!(2), "s");
        talk.close();
        assert!(is_withdrawn(&mut left));
        assert!(matches!(talk.heard_from_agent(&question(&json!(3), "s")), Heard::Other), "nobody is there to hear");
    }

    #[test]
    fn everything_else_is_between_the_client_and_the_agent() {
        let mut talk = talk();
        let (_, _first) = asks(&mut talk, &json!(1), "s");
        let whole = String::from_utf8(question(&json!(2), "s")).unwrap();
        for said in [
            String::from_utf8(question(&json!(1), "s")).unwrap(),
            whole.replace("\"id\":2,", ""),
            whole.replace("\"id\":2", "\"id\":null"),
            whole.replace("\"id\":2", "\"id\":2,\"id\":3"),
            whole.replace("request_permission", "update"),
            whole.replace("allow_once", "allow_always"),
            whole.replace("\"params\"", "\"param\""),
            format!("[{}]", whole.trim_end()),
            whole[..whole.len() / 2].to_owned(),
            "\n".to_owned(),
            "null\n".to_owned(),
        ] {
            assert_ne!(said, whole, "the test changes something");
            assert!(matches!(talk.heard_from_agent(said.as_bytes()), Heard::Other), "{said}");
        }
        assert!(matches!(talk.heard_from_agent(b"\xff\xfe{}\n"), Heard::Other), "what is no text, too");
        assert_eq!(
            talk.heard_from_client(&question(&json!(9), "s")),
            Vec::<Vec<u8>>::new(),
            "a client asks nothing of us"
        );
    }

    #[test]
    fn only_so_much_is_kept_of_them() {
        let mut talk = talk();
        let long = "x".repeat(ID_BYTES + 1);
        let is_the_clients = |talk: &mut Talk, line: &[u8]| matches!(talk.heard_from_agent(line), Heard::Other);
        assert!(is_the_clients(&mut talk, &question(&json!(long), "s")), "a long id");
        assert!(is_the_clients(&mut talk, &question(&json!(1), &long)), "a long session");
        let opens = |id: &Value, session: &str| {
            line(&json!({"id": id, "method": "session/load", "params": {"cwd": "/v", "sessionId": session}}))
        };
        let known = (talk.folders.len(), talk.opening.len());
        talk.heard_from_client(&opens(&json!(long), "t"));
        talk.heard_from_client(&opens(&json!(2), &long));
        assert_eq!((talk.folders.len(), talk.opening.len()), (known.0, known.1 + 1), "nor is one of the client's kept");
        talk.heard_from_client(&line(&json!({"id": long, "method": "initialize", "params": {}})));
        assert_eq!(talk.begins, None);

        let large = |id: u32| {
            let text = String::from_utf8(question(&json!(id), "s")).unwrap();
            let command = format!("\"command\":\"{}\"", "x".repeat(OPEN_BYTES / 2));
            text.replace("\"command\":\"ls\"", &command).into_bytes()
        };
        let Heard::Question(..) = talk.heard_from_agent(&large(3)) else { panic!("the first fits") };
        assert!(is_the_clients(&mut talk, &large(4)), "both are more than is kept");
        let (_, _small) = asks(&mut talk, &json!(5), "s");
        assert!(talk.over("3", 1));
        assert!(matches!(talk.heard_from_agent(&large(6)), Heard::Question(..)), "there is room again");
    }

    #[test]
    fn only_so_many_are_asked_at_once() {
        let mut talk = talk();
        let all: Vec<_> = (0..OPEN).map(|id| asks(&mut talk, &json!(id), "s")).collect();
        assert!(matches!(talk.heard_from_agent(&question(&json!("more"), "s")), Heard::Other));
        drop(all);
        for session in 0..3 * SESSIONS {
            let params = json!({"cwd": "/w", "sessionId": format!("s{session}")});
            talk.heard_from_client(&line(&json!({"id": session, "method": "session/load", "params": params})));
        }
        assert!(talk.folders.len() <= SESSIONS && talk.opening.len() <= SESSIONS, "and so many sessions known");
    }
}
