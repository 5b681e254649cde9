//! One JSON object out of what a model said: by itself, in a fenced block, or within other words. Where it can't be told
//! which object is meant, there is none: a guess could be the example that the model has quoted.

use serde::de::DeserializeOwned;
use serde_json::{Deserializer, Value};

/// How many places are tried at which an object could begin.
const TRIES: usize = 10_000;
/// How much of what a parser says is handed on, in characters.
const WORDS: usize = 300;

/// What was said, as it is.
///
/// # Errors
/// None.
pub fn text(said: &str) -> Result<String, String> {
    Ok(said.to_owned())
}

/// The one object of this kind in what was said.
///
/// # Errors
/// A sentence that says why there is none: no object, none of this kind, or two that differ.
pub fn object<T: DeserializeOwned>(said: &str) -> Result<T, String> {
    let found = match serde_json::from_str::<Value>(said.trim()) {
        Ok(value @ Value::Object(_)) => vec![value],
        Ok(_) => return Err("The answer is JSON, but no object.".to_owned()),
        Err(_) => within(said),
    };
    let mut fitting: Vec<(Value, T)> = Vec::new();
    let mut wrong = None;
    for value in found {
        match T::deserialize(&value) {
            Ok(_) if fitting.iter().any(|(other, _)| *other == value) => {}
            Ok(this) => fitting.push((value, this)),
            Err(error) => wrong = Some(error),
        }
    }
    match (fitting.len(), wrong) {
        (0, None) => Err("The answer has no JSON object.".to_owned()),
        (0, Some(error)) => {
            let words: String = error.to_string().chars().take(WORDS).collect();
            Err(format!("The answer's JSON object isn't of the kind that was asked for: {words}."))
        }
        (1, _) => fitting.pop().map(|(_, this)| this).ok_or_else(String::new),
        (2.., _) => Err("The answer has several JSON objects of the kind that was asked for, which differ.".to_owned()),
    }
}

/// All whole objects in a text, those in others left out.
fn within(said: &str) -> Vec<Value> {
    let (mut found, mut from, mut tries) = (Vec::new(), 0, 0);
    while let Some(at) = said.get(from..).and_then(|rest| rest.find('{')) {
        tries += 1;
        if tries > TRIES {
            break;
        }
        let begin = from + at;
        let mut all = Deserializer::from_str(&said[begin..]).into_iter::<Value>();
        from = match all.next() {
            Some(Ok(value)) => {
                found.push(value);
                begin + all.byte_offset()
            }
            Some(Err(_)) | None => begin + 1,
        };
    }
    found
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq, Eq)]
    #[serde(deny_unknown_fields)]
    struct Verdict {
        decision: Decision,
        reason: String,
    }

    #[derive(Debug, Deserialize, PartialEq, Eq)]
    #[serde(rename_all = "snake_case")]
    enum Decision {
        Approved,
        Rejected,
    }

    const REJECTED: &str = r#"{"decision":"rejected","reason":"a } in it, and a \" too"}"#;

    fn read(said: &str) -> Result<Decision, String> {
        object::<Verdict>(said).map(|verdict| verdict.decision)
    }

    #[test]
    fn an_object_is_found_by_itself_in_a_fence_and_within_words() {
        for said in [
            REJECTED.to_owned(),
            format!("\n  {REJECTED}\n"),
            format!("```json\n{REJECTED}\n```"),
            format!("Here it is {{so to speak}}:\n\n```\n{REJECTED}\n```\nThat is {{}} all."),
            format!("I looked at `fn f() {{ g() }}`. {REJECTED} {REJECTED}"),
        ] {
            assert_eq!(read(&said), Ok(Decision::Rejected), "{said}");
        }
    }

    #[test]
    fn what_is_not_clear_is_no_answer() {
        let approved = r#"{"decision":"approved","reason":""}"#;
        for (said, why) in [
            ("I approve.".to_owned(), "no JSON object"),
            (String::new(), "no JSON object"),
            (format!("[{approved}]"), "no object"),
            ("\"approved\"".to_owned(), "no object"),
            (approved[..approved.len() - 1].to_owned(), "no JSON object"),
            (r#"{"decision":"approve","reason":""}"#.to_owned(), "of the kind"),
            (r#"{"decision":"approved"}"#.to_owned(), "missing field `reason`"),
            (r#"{"decision":"approved","reason":"","more":1}"#.to_owned(), "unknown field"),
            (format!(r#"{{"answer":{approved}}}"#), "of the kind"),
            (format!("As an example: {approved}\nMy answer: {REJECTED}"), "which differ"),
            (format!("{REJECTED}\n{approved}"), "which differ"),
        ] {
            let read = read(&said);
            assert!(read.as_ref().is_err_and(|said| said.contains(why)), "{said} is {read:?}, and not: {why}");
        }
    }

    #[test]
    fn what_is_made_to_take_long_does_not() {
        let before = std::time::Instant::now();
        for piece in ["{", "{\"a\":", "{\"a\":[1,", "[{", "{}", "{\"", "{\"a\":[{},{},"] {
            let said = piece.repeat((1 << 20) / piece.len());
            assert!(read(&said).is_err(), "{piece}");
        }
        assert!(before.elapsed().as_secs() < 60, "it took {:?}", before.elapsed());
    }
}
