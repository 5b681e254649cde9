//! Cursors: where a page ends, as text that only the gate can make. Sealed with the gate's key and
//! bound to their list and query, they mean the same after a restart and nothing anywhere else.

use gate_core::page::bad_cursor;
use gate_core::{CheckpointId, Fault, Place, SessionUuid, prompt};
use rmcp::model::{RequestStateCodec, SealOptions};

use crate::port::ConnectionPort;

/// The longest text that can be a cursor, in bytes; the gate's own are shorter.
const CURSOR_BYTES: usize = 400;
/// The longest cursor that names a prompt, in bytes: an id may have [`gate_core::bounds::PROMPT_ID_CHARS`]
/// characters of four bytes each.
const ID_CURSOR_BYTES: usize = 1200;
/// The list of `review_gate_get_context`.
const CONTEXT: &str = "context";
/// The list of a conversation's checkpoints, be it a tool's or a resource's.
const CHECKPOINTS: &str = "checkpoints";

/// The cursor of the next page of `list`, which names the list and what is looked for in it.
pub(crate) fn seal(gate: &dyn ConnectionPort, list: &str, place: Place) -> Result<String, Fault> {
    sealed(gate.state_key(), list, &place.to_string())
}

/// Where the page begins that a client asks for.
pub(crate) fn open(gate: &dyn ConnectionPort, list: &str, cursor: &str) -> Result<Place, Fault> {
    opened(gate.state_key(), list, cursor)?.parse()
}

/// The cursor of older messages of a conversation. It names the conversation itself, since a call may
/// leave that out.
pub(crate) fn seal_context(gate: &dyn ConnectionPort, session: SessionUuid, place: Place) -> Result<String, Fault> {
    sealed(gate.state_key(), CONTEXT, &format!("{session} {place}"))
}

/// The conversation and the place that [`seal_context`] was given.
pub(crate) fn open_context(gate: &dyn ConnectionPort, cursor: &str) -> Result<(SessionUuid, Place), Fault> {
    let opened = opened(gate.state_key(), CONTEXT, cursor)?;
    let (session, place) = opened.split_once(' ').ok_or_else(bad_cursor)?;
    Ok((session.parse().map_err(|_| bad_cursor())?, place.parse()?))
}

/// The cursor of the checkpoints before this one.
pub(crate) fn seal_checkpoints(
    gate: &dyn ConnectionPort,
    session: SessionUuid,
    first: CheckpointId,
) -> Result<String, Fault> {
    sealed(gate.state_key(), CHECKPOINTS, &format!("{session} {first}"))
}

/// The conversation and the checkpoint that [`seal_checkpoints`] was given.
pub(crate) fn open_checkpoints(gate: &dyn ConnectionPort, cursor: &str) -> Result<(SessionUuid, CheckpointId), Fault> {
    let opened = opened(gate.state_key(), CHECKPOINTS, cursor)?;
    let (session, first) = opened.split_once(' ').ok_or_else(bad_cursor)?;
    Ok((session.parse().map_err(|_| bad_cursor())?, first.parse().map_err(|_| bad_cursor())?))
}

/// The cursor of what follows the prompt of this id in `list`: it means the same when prompts came and
/// went, that one among them.
pub(crate) fn seal_id(gate: &dyn ConnectionPort, list: &str, id: &str) -> Result<String, Fault> {
    sealed(gate.state_key(), list, id)
}

/// The id that [`seal_id`] was given.
pub(crate) fn open_id(gate: &dyn ConnectionPort, list: &str, cursor: &str) -> Result<String, Fault> {
    let id = opened_within(gate.state_key(), list, cursor, ID_CURSOR_BYTES)?;
    prompt::checked_id(&id).map_err(|_| bad_cursor())?;
    Ok(id)
}

/// The cursor of the page of `list` that a place leads to, in the words of whoever gives it.
pub(crate) fn seal_text(gate: &dyn ConnectionPort, list: &str, place: &str) -> Result<String, Fault> {
    sealed(gate.state_key(), list, place)
}

/// The place that [`seal_text`] was given.
pub(crate) fn open_text(gate: &dyn ConnectionPort, list: &str, cursor: &str) -> Result<String, Fault> {
    opened(gate.state_key(), list, cursor)
}

/// For a list that has only one page: it has never given a cursor.
pub(crate) fn none(cursor: Option<&str>) -> Result<(), Fault> {
    match cursor {
        None | Some("") => Ok(()),
        Some(_) => Err(bad_cursor()),
    }
}

fn sealed(key: [u8; 32], list: &str, text: &str) -> Result<String, Fault> {
    Ok(codec(key)?.seal_with(text.as_bytes(), &SealOptions::new().associated_data(purpose(list).as_bytes())))
}

fn opened(key: [u8; 32], list: &str, cursor: &str) -> Result<String, Fault> {
    opened_within(key, list, cursor, CURSOR_BYTES)
}

fn opened_within(key: [u8; 32], list: &str, cursor: &str, most: usize) -> Result<String, Fault> {
    if cursor.len() > most {
        return Err(bad_cursor());
    }
    let opened = codec(key)?.open_with(cursor, purpose(list).as_bytes()).map_err(|_| bad_cursor())?;
    String::from_utf8(opened).map_err(|_| bad_cursor())
}

/// What is sealed for something else is no cursor.
fn purpose(list: &str) -> String {
    format!("review-gate/cursor/{list}")
}

fn codec(key: [u8; 32]) -> Result<RequestStateCodec, Fault> {
    RequestStateCodec::try_new(key).map_err(|error| Fault::internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use gate_core::Code;
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::fuzzing::Fuzz;

    const KEY: [u8; 32] = [7; 32];

    #[test]
    fn a_cursor_is_read_again_by_its_list_and_by_nothing_else() {
        let cursor = sealed(KEY, "conversations", "m.42").unwrap();
        assert_eq!(opened(KEY, "conversations", &cursor).as_deref(), Ok("m.42"), "also after a restart");
        assert!(cursor.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)), "it fits a URI: {cursor}");
        assert!(cursor.len() < CURSOR_BYTES);
        let foreign = [opened(KEY, "conversations?q=x", &cursor), opened([8; 32], "conversations", &cursor)];
        let state = codec(KEY).unwrap().seal(b"m.42");
        let forged = [
            opened(KEY, "conversations", &state),
            opened(KEY, "conversations", "m.42"),
            opened(KEY, "conversations", ""),
            opened(KEY, "conversations", &format!("{cursor}x")),
            opened(KEY, "conversations", &"x".repeat(CURSOR_BYTES + 1)),
        ];
        for refused in foreign.into_iter().chain(forged) {
            assert_eq!(refused.map_err(|fault| fault.code), Err(Code::InvalidCursor));
        }
    }

    #[test]
    fn the_longest_id_fits_a_cursor() {
        let gate = crate::fake_gate::FakeGate::default();
        let longest = "𐐷".repeat(gate_core::bounds::PROMPT_ID_CHARS);
        let cursor = seal_id(&gate, "prompts", &longest).unwrap();
        assert_eq!(open_id(&gate, "prompts", &cursor), Ok(longest), "{} bytes", cursor.len());
        let state = seal_id(&gate, "prompts", "../x").unwrap();
        assert!(open_id(&gate, "prompts", &state).is_err(), "what can't be an id is none");
    }

    #[test]
    fn no_letter_of_a_cursor_can_be_changed() {
        let cursor = sealed(KEY, "list", "c.1.0190a6e4-7a10-7000-8000-000000000001").unwrap();
        for at in 0..cursor.len() {
            let mut bytes = cursor.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            assert!(opened(KEY, "list", &changed).is_err(), "letter {at}: {changed}");
        }
    }

    #[test]
    fn fuzz_cursors() {
        let mut fuzz = Fuzz::new("cursors");
        let cursor = sealed(KEY, "list", "m.42").unwrap();
        let part = ("[rs12.A-Za-z0-9_-]{0,8}", any::<Index>(), any::<Index>());
        let damaged = part.prop_map(move |(part, from, to)| {
            let (from, to) = (from.index(cursor.len() + 1), to.index(cursor.len() + 1));
            format!("{}{part}{}", &cursor[..from.min(to)], &cursor[from.max(to)..])
        });
        let any = prop_oneof![damaged, any::<String>(), "rs[12]\\.[A-Za-z0-9_-]{0,60}\\.[A-Za-z0-9_-]{0,60}"];
        while fuzz.goes_on() {
            fuzz.batch(&any, |text| match opened(KEY, "list", &text) {
                Ok(opened) => assert_eq!(opened, "m.42", "nothing but what was sealed is ever read: {text}"),
                Err(fault) => assert_eq!(fault.code, Code::InvalidCursor, "{text}"),
            });
        }
    }
}
