//! A question as a program's arguments, its input, and the files that go with these. Arguments only: nothing here is read by
//! a shell.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::installed::Installed;
use crate::programs::Program;
use crate::reading::Money;
use crate::refusal::Refusal;
use crate::variables::variable;

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
    /// The person's MCP servers that aren't to be started, by their names. opencode alone starts any: the others are told to
    /// start none.
    pub servers_off: Vec<String>,
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

/// Where programs find what their machine's administrator has set, on each system.
const GEMINI_SYSTEM: [&str; 3] = [
    "/etc/gemini-cli/settings.json",
    "/Library/Application Support/GeminiCli/settings.json",
    r"C:\ProgramData\gemini-cli\settings.json",
];
const CODEX_SYSTEM: [&str; 2] = ["/etc/codex", r"C:\ProgramData\OpenAI\Codex"];

/// Whether a call may bring settings of its own: not where an administrator has set the program up for all who use this
/// machine.
pub(crate) fn may_set(program: Program, is_in_sandbox: bool) -> bool {
    let places: &[&str] = match program {
        Program::Codex => &CODEX_SYSTEM,
        Program::GeminiCli => &GEMINI_SYSTEM,
        Program::ClaudeCode | Program::OpenCode => &[],
    };
    // Root has no right to a sandbox in ours, and Codex with a profile doesn't start without its own.
    let has_no_sandbox = program == Program::Codex && is_in_sandbox && is_root();
    !has_no_sandbox && !places.iter().any(|place| Path::new(place).exists())
}

#[cfg(target_os = "linux")]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Nobody is in a sandbox.
#[cfg(not(target_os = "linux"))]
fn is_root() -> bool {
    false
}

const GEMINI_SYSTEM_VARIABLE: &str = "GEMINI_CLI_SYSTEM_SETTINGS_PATH";
/// None of the person's hooks, and tools that read alone.
const GEMINI_SETTINGS: &str = r#"{"hooksConfig":{"enabled":false},"tools":{"core":["list_directory","read_file","grep_search","glob"]},"privacy":{"usageStatisticsEnabled":false},"general":{"enableAutoUpdate":false}}"#;

/// The first version of Codex with profiles of permissions: <https://developers.openai.com/codex/permissions>
const CODEX_PROFILES: (u64, u64) = (0, 138);

impl Call {
    /// Of this program, which is to work in `work`; `own` is a folder of its own beside that. `environment` is what the run
    /// has of the person's, and `may_set` as [`may_set`] says.
    ///
    /// # Errors
    /// Where the schema is none.
    pub(crate) fn of(
        installed: &Installed,
        question: &Question,
        work: &Path,
        own: &Path,
        environment: &[(OsString, OsString)],
        may_set: bool,
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
        match installed.program {
            Program::ClaudeCode => call.claude_code(question),
            Program::Codex => {
                let sign_in = codex_sign_in(environment).filter(|_| may_set && has_profiles(installed));
                call.codex(question, work, own, sign_in);
            }
            Program::GeminiCli => call.gemini_cli(question, own, environment, may_set),
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

    /// `sign_in` is the file that its commands are kept from, where they can be. Whoever reads could have it told.
    fn codex(&mut self, question: &Question, work: &Path, own: &Path, sign_in: Option<String>) {
        self.words(["exec", "--ephemeral", "--ignore-user-config", "--ignore-rules"]);
        match sign_in {
            Some(file) => {
                let profile = format!("permissions.run={{extends=\":read-only\",filesystem={{{file}=\"deny\"}}}}");
                self.words(["--config", "default_permissions=\"run\"", "--config", &profile]);
            }
            // Which would count in place of a profile.
            None => self.words(["--sandbox", "read-only"]),
        }
        // Its commands would have the keys, and what is searched for leaves this machine.
        self.words(["--config", "shell_environment_policy.inherit=\"core\"", "--config", "web_search=\"disabled\""]);
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

    fn gemini_cli(&mut self, question: &Question, own: &Path, environment: &[(OsString, OsString)], may_set: bool) {
        self.words(["--prompt", "", "--approval-mode", "plan", "--output-format", "json", "--skip-trust"]);
        // Of neither is there one by that name.
        self.words(["--allowed-mcp-server-names", "no-server-at-all", "--extensions", "none"]);
        self.more(question);
        self.tell_schema(question);
        let is_set = variable(environment, GEMINI_SYSTEM_VARIABLE).is_some();
        // What an administrator has set isn't ours to take away.
        if !is_set && may_set {
            let file = own.join("gemini.json");
            self.variables.push((GEMINI_SYSTEM_VARIABLE.into(), file.clone().into()));
            self.files.push((file, GEMINI_SETTINGS.to_owned()));
        }
    }

    fn open_code(&mut self, question: &Question) {
        self.words(["run", "--pure", "--agent", "plan", "--format", "json"]);
        self.more(question);
        self.tell_schema(question);
        if !question.servers_off.is_empty() {
            let off = |name: &String| (name.clone(), json!({"enabled": false}));
            let off: serde_json::Map<_, _> = question.servers_off.iter().map(off).collect();
            self.variables.push(("OPENCODE_CONFIG_CONTENT".into(), json!({"mcp": off}).to_string().into()));
        }
    }
}

/// The file that Codex is signed in by, quoted for its configuration.
fn codex_sign_in(environment: &[(OsString, OsString)]) -> Option<String> {
    let person = variable(environment, "HOME").or_else(|| variable(environment, "USERPROFILE"))?;
    let file = Program::Codex.row().sign_in.first()?.path(Path::new(person), environment);
    // JSON's quotes are TOML's.
    serde_json::to_string(file.to_str()?).ok()
}

fn has_profiles(installed: &Installed) -> bool {
    let version = installed.version.as_deref().unwrap_or_default();
    let mut parts = version.split('.').map(|part| part.parse::<u64>().ok());
    let version = parts.next().flatten().zip(parts.next().flatten());
    version.is_some_and(|version| version >= CODEX_PROFILES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed(program: Program) -> Installed {
        Installed { program, path: "/bin/agent".into(), version: Some("0.169.0".to_owned()) }
    }

    fn call(program: Program, question: &Question) -> Call {
        let environment = [(OsString::from("HOME"), OsString::from("/me"))];
        Call::of(&installed(program), question, Path::new("/run/work"), Path::new("/run/own"), &environment, true)
            .expect("a call")
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
            servers_off: vec!["gate".to_owned()],
        }
    }

    #[test]
    fn each_is_called_as_it_was_tried() {
        let question = question();
        let claude = "--print --output-format json --tools Read,Grep,Glob --strict-mcp-config --no-session-persistence \
                      --safe-mode --json-schema {\"type\":\"object\"} --max-budget-usd 0.50 --model large --more";
        assert_eq!(words(&call(Program::ClaudeCode, &question)).join(" "), claude);
        let codex = "exec --ephemeral --ignore-user-config --ignore-rules --config default_permissions=\"run\" --config \
                     permissions.run={extends=\":read-only\",filesystem={\"/me/.codex/auth.json\"=\"deny\"}} --config \
                     shell_environment_policy.inherit=\"core\" --config web_search=\"disabled\" --skip-git-repo-check \
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
    fn codex_is_kept_from_its_sign_in_where_it_can_be_and_always_from_writing() {
        let me = [(OsString::from("HOME"), OsString::from("/me"))];
        for (version, environment) in
            [(Some("0.137.9"), &me[..]), (Some("nightly"), &me), (None, &me), (Some("1.0.0"), &[])]
        {
            let older = Installed { version: version.map(str::to_owned), ..installed(Program::Codex) };
            let call =
                Call::of(&older, &question(), Path::new("/w"), Path::new("/o"), environment, true).expect("a call");
            let words = words(&call).join(" ");
            assert!(words.contains("--sandbox read-only") && !words.contains("permissions"), "{version:?}: {words}");
        }
        let newer = Installed { version: Some("1.0.0".to_owned()), ..installed(Program::Codex) };
        assert!(has_profiles(&newer), "and each later one");
    }

    #[test]
    fn servers_of_opencode_s_that_are_not_to_be_started_are_switched_off() {
        let call = call(Program::OpenCode, &question());
        let off = OsString::from(r#"{"mcp":{"gate":{"enabled":false}}}"#);
        assert_eq!(call.variables, [("OPENCODE_CONFIG_CONTENT".into(), off)]);
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
        assert!(Call::of(&installed(Program::Codex), &none, Path::new("/"), Path::new("/"), &[], true).is_err());
    }

    #[test]
    fn what_an_administrator_has_set_stays() {
        let of = |program, environment: &[(OsString, OsString)], may_set| {
            let (work, own) = (Path::new("/w"), Path::new("/o"));
            Call::of(&installed(program), &question(), work, own, environment, may_set).expect("a call")
        };
        let set = [(OsString::from(GEMINI_SYSTEM_VARIABLE), OsString::from("/set.json"))];
        for call in [of(Program::GeminiCli, &set, true), of(Program::GeminiCli, &[], false)] {
            assert!(call.variables.is_empty() && call.files.is_empty(), "{call:?}");
        }
        let me = [(OsString::from("HOME"), OsString::from("/me"))];
        let codex = of(Program::Codex, &me, false);
        assert!(words(&codex).contains(&"--sandbox"), "a mode that is set for all would count in place of a profile");
    }
}
