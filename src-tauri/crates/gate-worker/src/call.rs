//! A question as a program's arguments, its input, and the files that go with these. Arguments only: nothing here is read by
//! a shell.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::environment::variable;
use crate::programs::Program;
use crate::reading::Money;
use crate::refusal::Refusal;

/// What a run is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// The prompt, which the program reads as its input.
    pub words: String,
    /// The JSON Schema of the answer. Codex and Claude Code hold the model to it; the others are told it. Codex' provider
    /// takes only schemas whose objects require all of their fields and no others (`additionalProperties: false`).
    pub schema: Option<String>,
    /// The model, as the program calls it; the person's own choice where it is absent.
    pub model: Option<String>,
    /// What it may cost. Only Claude Code can be told.
    pub money: Option<Money>,
    /// Further arguments of the person's.
    pub more: Vec<String>,
}

/// How a program is asked.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) arguments: Vec<OsString>,
    /// What it reads.
    pub(crate) input: String,
    /// Files that have to be there.
    pub(crate) files: Vec<(PathBuf, String)>,
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// The file that it writes its answer to, where it does.
    pub(crate) answer: Option<PathBuf>,
}

/// Where Gemini CLI finds what its machine's administrator has set, on each system.
const GEMINI_SYSTEM: [&str; 3] = [
    "/etc/gemini-cli/settings.json",
    "/Library/Application Support/GeminiCli/settings.json",
    r"C:\ProgramData\gemini-cli\settings.json",
];
const GEMINI_SYSTEM_VARIABLE: &str = "GEMINI_CLI_SYSTEM_SETTINGS_PATH";
/// None of the person's hooks, and tools that read alone.
const GEMINI_SETTINGS: &str = r#"{"hooksConfig":{"enabled":false},"tools":{"core":["list_directory","read_file","grep_search","glob"]},"privacy":{"usageStatisticsEnabled":false},"general":{"enableAutoUpdate":false}}"#;

impl Call {
    /// Of this program, which is to work in `work`; `own` is a folder of its own beside that. `environment` is what the run
    /// has of the person's.
    ///
    /// # Errors
    /// Where the schema is none.
    pub(crate) fn of(
        program: Program,
        question: &Question,
        work: &Path,
        own: &Path,
        environment: &[(OsString, OsString)],
    ) -> Result<Self, Refusal> {
        let schema = question.schema.as_deref();
        if schema.is_some_and(|schema| !matches!(serde_json::from_str(schema), Ok(Value::Object(_)))) {
            return Err(Refusal::new("The answer's JSON Schema is no JSON object.", "Report it with the log file."));
        }
        let mut call = Self {
            arguments: Vec::new(),
            input: question.words.clone(),
            files: Vec::new(),
            variables: Vec::new(),
            answer: None,
        };
        match program {
            Program::ClaudeCode => call.claude_code(question),
            Program::Codex => call.codex(question, work, own),
            Program::GeminiCli => call.gemini_cli(question, own, environment),
            Program::OpenCode => call.open_code(question),
        }
        Ok(call)
    }

    fn words<const N: usize>(&mut self, words: [&str; N]) {
        self.arguments.extend(words.map(OsString::from));
    }

    fn more(&mut self, question: &Question) {
        if let Some(model) = &question.model {
            self.words(["--model", model]);
        }
        self.arguments.extend(question.more.iter().map(OsString::from));
    }

    /// The schema as words, for programs that can't be held to one.
    fn tell_schema(&mut self, question: &Question) {
        if let Some(schema) = &question.schema {
            self.input.push_str(
                "\n\nAnswer with one JSON object and nothing else, neither before nor after it. It conforms to this JSON \
                 Schema:\n\n",
            );
            self.input.push_str(schema);
            self.input.push('\n');
        }
    }

    fn claude_code(&mut self, question: &Question) {
        self.words(["--print", "--output-format", "json", "--tools", "Read,Grep,Glob"]);
        self.words(["--strict-mcp-config", "--no-session-persistence", "--safe-mode"]);
        if let Some(schema) = &question.schema {
            self.words(["--json-schema", schema]);
        }
        if let Some(money) = question.money {
            self.words(["--max-budget-usd", &money.to_string()]);
        }
        self.more(question);
    }

    fn codex(&mut self, question: &Question, work: &Path, own: &Path) {
        self.words(["exec", "--sandbox", "read-only", "--ephemeral", "--ignore-user-config", "--ignore-rules"]);
        self.words(["--skip-git-repo-check", "--color", "never", "--json"]);
        self.arguments.extend(["--cd".into(), work.into()]);
        let answer = own.join("answer");
        self.arguments.extend(["--output-last-message".into(), answer.clone().into()]);
        self.answer = Some(answer);
        if let Some(schema) = &question.schema {
            let file = own.join("schema.json");
            self.arguments.extend(["--output-schema".into(), file.clone().into()]);
            self.files.push((file, schema.clone()));
        }
        self.more(question);
        self.words(["-"]);
    }

    fn gemini_cli(&mut self, question: &Question, own: &Path, environment: &[(OsString, OsString)]) {
        self.words(["--prompt", "", "--approval-mode", "plan", "--output-format", "json", "--skip-trust"]);
        // Of neither is there one by that name.
        self.words(["--allowed-mcp-server-names", "no-server-at-all", "--extensions", "none"]);
        self.more(question);
        self.tell_schema(question);
        let is_set = variable(environment, GEMINI_SYSTEM_VARIABLE).is_some();
        // What an administrator has set isn't ours to take away.
        if !is_set && !GEMINI_SYSTEM.iter().any(|file| Path::new(file).exists()) {
            let file = own.join("gemini.json");
            self.variables.push((GEMINI_SYSTEM_VARIABLE.into(), file.clone().into()));
            self.files.push((file, GEMINI_SETTINGS.to_owned()));
        }
    }

    fn open_code(&mut self, question: &Question) {
        self.words(["run", "--pure", "--agent", "plan", "--format", "json"]);
        self.more(question);
        self.tell_schema(question);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(program: Program, question: &Question) -> Call {
        Call::of(program, question, Path::new("/run/work"), Path::new("/run/own"), &[]).expect("a call")
    }

    fn words(call: &Call) -> Vec<&str> {
        call.arguments.iter().map(|word| word.to_str().expect("text")).collect()
    }

    fn question() -> Question {
        Question {
            words: "Review it; `rm -rf ~` $(id)".to_owned(),
            schema: Some(r#"{"type":"object"}"#.to_owned()),
            model: Some("large".to_owned()),
            money: Some(Money::of_dollars(0.5)),
            more: vec!["--more".to_owned()],
        }
    }

    #[test]
    fn each_is_called_as_it_was_tried() {
        let question = question();
        let claude = "--print --output-format json --tools Read,Grep,Glob --strict-mcp-config --no-session-persistence \
                      --safe-mode --json-schema {\"type\":\"object\"} --max-budget-usd 0.50 --model large --more";
        assert_eq!(words(&call(Program::ClaudeCode, &question)).join(" "), claude);
        let codex = "exec --sandbox read-only --ephemeral --ignore-user-config --ignore-rules --skip-git-repo-check \
                     --color never --json --cd /run/work --output-last-message /run/own/answer --output-schema \
                     /run/own/schema.json --model large --more -";
        assert_eq!(words(&call(Program::Codex, &question)).join(" "), codex);
        let gemini = "--prompt  --approval-mode plan --output-format json --skip-trust --allowed-mcp-server-names \
                      no-server-at-all --extensions none --model large --more";
        assert_eq!(words(&call(Program::GeminiCli, &question)).join(" "), gemini);
        let opencode = "run --pure --agent plan --format json --model large --more";
        assert_eq!(words(&call(Program::OpenCode, &question)).join(" "), opencode);
    }

    #[test]
    fn what_a_call_has_its_help_has_to_name() {
        for program in Program::ALL {
            let call = call(program, &Question { more: Vec::new(), ..question() });
            let options = words(&call).into_iter().filter(|word| word.starts_with("--") && word.len() > 2);
            for option in options.filter(|option| !option.contains('{')) {
                assert!(program.row().options.contains(&option), "{}: {option}", program.name());
            }
        }
    }

    #[test]
    fn the_question_is_read_and_is_no_argument() {
        for program in Program::ALL {
            let call = call(program, &question());
            assert!(call.input.starts_with("Review it; `rm"), "{}", program.name());
            assert!(!words(&call).iter().any(|word| word.contains("Review it")), "{}", program.name());
            let schema_is_told = call.input.contains(r#"{"type":"object"}"#);
            assert_eq!(
                schema_is_told,
                matches!(program, Program::GeminiCli | Program::OpenCode),
                "the others are held"
            );
        }
        let none = Question { schema: Some("approve".to_owned()), ..question() };
        assert!(Call::of(Program::Codex, &none, Path::new("/"), Path::new("/"), &[]).is_err());
    }

    #[test]
    fn what_an_administrator_of_gemini_has_set_stays() {
        let set = [(OsString::from(GEMINI_SYSTEM_VARIABLE), OsString::from("/set.json"))];
        let call = Call::of(Program::GeminiCli, &question(), Path::new("/w"), Path::new("/o"), &set).expect("a call");
        assert!(call.variables.is_empty() && call.files.is_empty(), "{call:?}");
    }
}
