//! A program's answer, why there is none, and what it cost, out of what it printed. Each tells these in its own way; what
//! it doesn't tell is absent.

use std::fmt;

use serde_json::Value;

use crate::programs::Program;

/// US dollars, in millionths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money(pub u64);

impl Money {
    /// Of so many dollars; none of fewer than none.
    #[must_use]
    pub fn of_dollars(dollars: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "such a cast keeps to the bounds")]
        Self((dollars * 1e6).round() as u64)
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// What is left of it.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

/// In dollars, with cents at least: `0.50`, `0.00175`.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000);
        let cents = text.len() - 4;
        while text.len() > cents && text.ends_with('0') {
            text.pop();
        }
        f.write_str(&text)
    }
}

/// What a run has used, as far as its program tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// What it cost.
    pub money: Option<Money>,
    /// How often the model was asked, or answered.
    pub turns: Option<u64>,
    /// Tokens that the model read, those of a cache, too.
    pub read: Option<u64>,
    /// Tokens that it wrote.
    pub written: Option<u64>,
}

/// What was read of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// The answer.
    pub(crate) answer: Option<String>,
    /// Why it failed, in the program's words.
    pub(crate) failure: Option<String>,
    pub(crate) spent: Spent,
}

/// Reads what a program printed; `file` is what it wrote its answer to.
pub(crate) fn said(program: Program, printed: &str, file: Option<String>) -> Said {
    match program {
        Program::ClaudeCode => claude_code(printed),
        Program::Codex => codex(printed, file),
        Program::GeminiCli => gemini_cli(printed),
        Program::OpenCode => open_code(printed),
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// The sum of those that are numbers; absent where none is.
fn sum(values: &[&Value]) -> Option<u64> {
    values.iter().filter_map(|value| value.as_u64()).reduce(u64::saturating_add)
}

/// The object that was printed, behind what may have been printed before it.
fn object(printed: &str) -> Value {
    let begins = printed.match_indices('{').map(|(at, _)| at).filter(|at| *at == 0 || printed[..*at].ends_with('\n'));
    let mut found = begins.filter_map(|at| serde_json::Deserializer::from_str(&printed[at..]).into_iter().next()?.ok());
    found.next_back().unwrap_or_default()
}

/// The objects that were printed, one a line.
fn events(printed: &str) -> impl Iterator<Item = Value> {
    printed.lines().filter_map(|line| serde_json::from_str(line).ok())
}

/// One object: <https://code.claude.com/docs/en/headless>
fn claude_code(printed: &str) -> Said {
    let result = object(printed);
    let usage = &result["usage"];
    let structure = &result["structured_output"];
    let words = text(&result["result"]);
    let failed = result["is_error"] != false || result["type"] != "result" || result["subtype"] != "success";
    let answer = if structure.is_object() { Some(structure.to_string()) } else { words.clone() };
    Said {
        answer: answer.filter(|_| !failed),
        // Where it ran out of turns or money there are no words.
        failure: failed.then(|| words.or_else(|| text(&result["subtype"]))).flatten(),
        spent: Spent {
            money: result["total_cost_usd"].as_f64().map(Money::of_dollars),
            turns: result["num_turns"].as_u64(),
            read: sum(&[
                &usage["input_tokens"],
                &usage["cache_creation_input_tokens"],
                &usage["cache_read_input_tokens"],
            ]),
            written: usage["output_tokens"].as_u64(),
        },
    }
}

/// Events, and a file with the last message: <https://developers.openai.com/codex/noninteractive>
fn codex(printed: &str, file: Option<String>) -> Said {
    let mut said = Said::default();
    let mut message = None;
    for event in events(printed) {
        let item = &event["item"];
        match event["type"].as_str() {
            Some("item.completed") if item["type"] == "agent_message" => message = text(&item["text"]),
            Some("error") => said.failure = text(&event["message"]),
            Some("turn.failed") => said.failure = text(&event["error"]["message"]),
            Some("turn.completed") => {
                let usage = &event["usage"];
                said.failure = None;
                said.spent = Spent {
                    read: sum(&[&usage["input_tokens"]]),
                    written: sum(&[&usage["output_tokens"]]),
                    ..said.spent
                };
            }
            Some(_) | None => {}
        }
    }
    said.answer = file.filter(|text| !text.trim().is_empty()).or(message).filter(|_| said.failure.is_none());
    said
}

/// One object: <https://geminicli.com/docs/cli/headless>
fn gemini_cli(printed: &str) -> Said {
    let result = object(printed);
    let failure = text(&result["error"]["message"]);
    let models = result["stats"]["models"].as_object();
    let models: Vec<&Value> = models.into_iter().flat_map(|models| models.values()).collect();
    let of_all = |of: fn(&Value) -> &Value| sum(&models.iter().map(|model| of(model)).collect::<Vec<_>>());
    Said {
        answer: text(&result["response"]).filter(|_| failure.is_none()),
        failure,
        spent: Spent {
            money: None,
            turns: of_all(|model| &model["api"]["totalRequests"]),
            read: of_all(|model| &model["tokens"]["prompt"]),
            written: of_all(|model| &model["tokens"]["candidates"]),
        },
    }
}

/// Events: <https://opencode.ai/docs/cli>
fn open_code(printed: &str) -> Said {
    let mut said = Said::default();
    let mut words = String::new();
    for event in events(printed) {
        let part = &event["part"];
        match event["type"].as_str() {
            // What was said before it looked further isn't the answer.
            Some("step_start") => words.clear(),
            Some("text") => words.push_str(part["text"].as_str().unwrap_or_default()),
            Some("error") => {
                let error = &event["error"];
                said.failure =
                    text(&error["data"]["message"]).or_else(|| text(&error["name"])).or(Some(error.to_string()));
            }
            Some("step_finish") => {
                let (tokens, spent) = (&part["tokens"], &mut said.spent);
                let more = |sum: Option<u64>, value: Option<u64>| match (sum, value) {
                    (Some(sum), Some(value)) => Some(sum.saturating_add(value)),
                    (sum, value) => sum.or(value),
                };
                spent.turns = more(spent.turns, Some(1));
                spent.read = more(
                    spent.read,
                    self::sum(&[&tokens["input"], &tokens["cache"]["read"], &tokens["cache"]["write"]]),
                );
                spent.written = more(spent.written, self::sum(&[&tokens["output"], &tokens["reasoning"]]));
                // A model of whose price it knows nothing costs nothing there, too.
                let cost = part["cost"].as_f64().filter(|cost| *cost > 0.0).map(Money::of_dollars);
                spent.money = cost.map(|cost| cost.plus(spent.money.unwrap_or_default())).or(spent.money);
            }
            Some(_) | None => {}
        }
    }
    said.answer = Some(words).filter(|words| !words.trim().is_empty() && said.failure.is_none());
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(program: Program, printed: &str) -> (Option<String>, Option<String>) {
        let said = said(program, printed, None);
        (said.answer, said.failure)
    }

    #[test]
    fn money_is_written_as_programs_take_it() {
        for (dollars, text) in
            [(0.5, "0.50"), (1.0, "1.00"), (0.00175, "0.00175"), (12.3456789, "12.345679"), (-1.0, "0.00")]
        {
            assert_eq!(Money::of_dollars(dollars).to_string(), text);
        }
    }

    #[test]
    fn claude_code_s_result() {
        let printed = r#"warning: something
{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"I approve","total_cost_usd":0.00175,
"usage":{"input_tokens":100,"cache_creation_input_tokens":7,"cache_read_input_tokens":3,"output_tokens":50},
"structured_output":{"decision":"approved"}}"#;
        let spent = Spent { money: Some(Money(1750)), turns: Some(2), read: Some(110), written: Some(50) };
        let expected = Said { answer: Some(r#"{"decision":"approved"}"#.to_owned()), failure: None, spent };
        assert_eq!(said(Program::ClaudeCode, printed, None), expected);
        let signed_out = r#"{"type":"result","subtype":"success","is_error":true,"result":"Not logged in"}"#;
        assert_eq!(answer(Program::ClaudeCode, signed_out), (None, Some("Not logged in".to_owned())));
        let too_long = r#"{"type":"result","subtype":"error_max_turns","is_error":false}"#;
        assert_eq!(answer(Program::ClaudeCode, too_long), (None, Some("error_max_turns".to_owned())));
        assert_eq!(answer(Program::ClaudeCode, "{\"type\":\"other\",\"result\":\"x\"}").0, None);
    }

    #[test]
    fn codex_s_events_and_file() {
        let events = r#"{"type":"thread.started","thread_id":"1"}
{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"I look"}}
{"type":"error","message":"Reconnecting"}
{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"{}"}}
{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":10,"output_tokens":50}}"#;
        assert_eq!(answer(Program::Codex, events), (Some("{}".to_owned()), None), "the last message, and it went on");
        let said = said(Program::Codex, events, Some("{\"a\":1}".to_owned()));
        assert_eq!(said.answer.as_deref(), Some("{\"a\":1}"), "the file has the answer");
        assert_eq!((said.spent.read, said.spent.written), (Some(100), Some(50)));
        let failed = r#"{"type":"turn.failed","error":{"message":"no credit"}}"#;
        assert_eq!(answer(Program::Codex, failed), (None, Some("no credit".to_owned())));
    }

    #[test]
    fn gemini_cli_s_object() {
        let printed = r#"{
  "response": "{}",
  "stats": {"models": {
    "a": {"api": {"totalRequests": 1}, "tokens": {"prompt": 100, "candidates": 50}},
    "b": {"api": {"totalRequests": 2}, "tokens": {"prompt": 10, "candidates": 5}}
  }}
}"#;
        let spent = Spent { money: None, turns: Some(3), read: Some(110), written: Some(55) };
        assert_eq!(
            said(Program::GeminiCli, printed, None),
            Said { answer: Some("{}".to_owned()), failure: None, spent }
        );
        let failed = r#"{"error": {"type": "Error", "message": "no quota", "code": 1}}"#;
        assert_eq!(answer(Program::GeminiCli, failed), (None, Some("no quota".to_owned())));
    }

    #[test]
    fn opencode_s_events() {
        let printed = r#"{"type":"step_start","part":{}}
{"type":"text","part":{"text":"I look at it."}}
{"type":"step_finish","part":{"tokens":{"input":100,"output":20,"reasoning":1,"cache":{"read":5,"write":0}},"cost":0.25}}
{"type":"step_start","part":{}}
{"type":"text","part":{"text":"{\"a\":"}}
{"type":"text","part":{"text":"1}"}}
{"type":"step_finish","part":{"tokens":{"input":10,"output":5},"cost":0.5}}"#;
        let spent = Spent { money: Some(Money::of_dollars(0.75)), turns: Some(2), read: Some(115), written: Some(26) };
        let expected = Said { answer: Some("{\"a\":1}".to_owned()), failure: None, spent };
        assert_eq!(said(Program::OpenCode, printed, None), expected);
        let failed = r#"{"type":"error","error":{"name":"APIError","data":{"message":"no key"}}}"#;
        assert_eq!(answer(Program::OpenCode, failed), (None, Some("no key".to_owned())));
    }

    #[test]
    fn what_is_no_such_output_is_no_answer() {
        for program in Program::ALL {
            for printed in ["", "{", "approved", "{}", "[]", "null", "{\"type\":\"text\"}"] {
                assert_eq!(answer(program, printed).0, None, "{}: {printed}", program.name());
            }
        }
    }
}
