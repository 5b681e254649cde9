//! What `review_gate_chat` takes. Bounds are checked later, by [`Ask::checked`].

use gate_core::ask::at_most_chars;
use gate_core::{Ask, Assurance, Choice, Code, Fault, RequestId, SessionUuid, bounds};

use serde_json::{Value, json};

use super::port::NamedRepository;
use crate::input::{Brief, FLAG, Id, Kind, List, Named, Object, SESSION, TEXT, fields, wrong_type};

#[cfg(test)]
mod fuzz;

fields! {
    /// What `review_gate_chat` takes.
    pub(super) struct Question needs message {
        /// What the person reads. Markdown.
        message: String = TEXT.at_least(1).at_most(bounds::MESSAGE_BYTES),
        /// The headline: the question in one line.
        title: Option<String> = TEXT.at_most(bounds::TITLE_CHARS),
        /// What you are doing right now; shown folded.
        context: Option<String> = TEXT,
        /// Comes before everything else. Use it rarely.
        urgent: bool = FLAG,
        session_uuid: Option<SessionUuid> = SESSION,
        /// The request of a `pending` result: waits on for its answer instead of asking anew.
        request_id: Option<RequestId> = Id::<RequestId>::new(),
        /// Quick replies to choose from.
        options: Vec<Offered> = List::of(Brief::<Offered>::new(), bounds::OPTIONS),
        /// Whether several options may be chosen.
        allow_multiple: bool = FLAG,
        /// Whether you need the person to approve or request changes.
        approval: bool = FLAG,
        /// A unified diff (`git diff`), to be commented line by line.
        diff: Option<String> = TEXT.at_most(bounds::DIFF_BYTES),
        /// In place of `diff`: the person's gate itself reads the change from git and shows it. Use it for approvals of
        /// commits: an approval is then for exactly the tree that was shown, and the result names it in `git`.
        repository: Option<Repository> = Object::<Repository>::new(),
        /// How sure an approval has to be: `L1` the person in a window, on a page or at a terminal, `L2` confirmed by the
        /// system, `L3` with a touch of a security key. Never less than the person's own rules ask for.
        require: Option<Assurance> = Required,
    }
}

fields! {
    /// What of a repository is shown.
    pub(super) struct Repository needs path {
        /// A folder of the repository: the one that your MCP client runs in, or one below it; relative to that, e.g. `.`
        path: String = TEXT.at_least(1).at_most(bounds::REPOSITORY_PATH_CHARS),
        /// `worktree` (all that `git add --all` would take in; the default), `staged`, a commit, or a range `A..B`.
        what: Option<String> = TEXT.at_most(bounds::REVISION_CHARS),
        /// The commit that it is compared with: by default `HEAD`, and for a commit its first parent. A range has none.
        base: Option<String> = TEXT.at_most(bounds::REVISION_CHARS),
    }
}

fields! {
    /// One of the options.
    pub(super) struct Offered needs label {
        label: String = TEXT.at_most(bounds::OPTION_LABEL_CHARS),
        description: Option<String> = TEXT.at_most(bounds::OPTION_DESCRIPTION_CHARS),
        recommended: bool = FLAG,
    }
}

/// How sure an approval has to be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Required;

/// What may be asked for. Less than the first says nothing.
const LEVELS: [Assurance; 3] = [Assurance::L1, Assurance::L2, Assurance::L3];

impl Kind for Required {
    type Value = Assurance;

    fn schema(&self) -> Value {
        json!({ "type": "string", "enum": LEVELS.map(Assurance::as_str) })
    }

    fn read(&self, path: &str, value: Value) -> Result<Assurance, Fault> {
        let named = value.as_str().and_then(Assurance::parse).filter(|level| LEVELS.contains(level));
        named.ok_or_else(|| wrong_type(path, "L1, L2 or L3", &value))
    }
}

impl From<String> for Offered {
    fn from(label: String) -> Self {
        Self { label, ..Self::default() }
    }
}

impl Named for Offered {
    const KEY: &'static str = "label";
    const ONE: &'static str = "option";
}

impl Question {
    /// The repository that it names in place of a diff.
    ///
    /// # Errors
    /// `invalid_input` where it has both; `too_large` for a name beyond its bound.
    pub(super) fn repository(&self, folder: Option<String>) -> Result<Option<NamedRepository>, Fault> {
        let Some(Repository { path, what, base }) = &self.repository else { return Ok(None) };
        if self.diff.as_deref().is_some_and(|diff| !diff.trim().is_empty()) {
            return Err(Fault::new(
                Code::InvalidInput,
                "`diff` and `repository` both say what is shown.",
                "Pass `repository` to have the gate make the diff, or `diff` with one that you made.",
            ));
        }
        at_most_chars("repository.path", path, bounds::REPOSITORY_PATH_CHARS)?;
        for (field, text) in [("repository.what", what), ("repository.base", base)] {
            at_most_chars(field, text.as_deref().unwrap_or_default(), bounds::REVISION_CHARS)?;
        }
        Ok(Some(NamedRepository { path: path.clone(), what: what.clone(), base: base.clone(), folder }))
    }

    /// The question itself.
    pub(super) fn ask(self) -> Ask {
        let choice = |offered: Offered| Choice {
            label: offered.label,
            description: offered.description,
            recommended: offered.recommended,
        };
        Ask {
            message: self.message,
            title: self.title,
            context: self.context,
            urgent: self.urgent,
            options: self.options.into_iter().map(choice).collect(),
            allow_multiple: self.allow_multiple,
            approval: self.approval,
            diff: self.diff,
            git: None,
            require: self.require,
            permission: None,
            round: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Read, read};

    fn parsed(value: Value) -> Result<Read<Question>, Fault> {
        read(value.as_object().cloned())
    }

    #[test]
    fn a_wrong_type_names_its_field() {
        for (value, field) in [
            (json!({"message": 3}), "`message`"),
            (json!({"message": "m", "urgent": "yes"}), "`urgent`"),
            (json!({"message": "m", "options": "a,b"}), "`options`"),
            (json!({"message": "m", "options": [1]}), "`options[0]`"),
            (json!({"message": "m", "options": [{"description": "d"}]}), "`options[0]`"),
            (json!({"message": "m", "options": ["a", {"label": "b", "recommended": 1}]}), "`options[1].recommended`"),
            (json!({"message": "m", "session_uuid": "x"}), "`session_uuid`"),
            (json!({"message": "m", "request_id": 7}), "`request_id`"),
            (json!({"message": "m", "require": "L0"}), "`require`"),
            (json!({"message": "m", "require": 3}), "`require`"),
        ] {
            let fault = parsed(value.clone()).err();
            assert!(
                fault.as_ref().is_some_and(|f| f.code == Code::InvalidInput && f.message.contains(field)),
                "{value} must be refused with {field}: {fault:?}"
            );
        }
    }

    #[test]
    fn a_repository_is_named_whole_and_in_place_of_a_diff() {
        let named = |value: Value| {
            let read = parsed(json!({"message": "m", "repository": value}))?;
            read.input.repository(Some("/w".to_owned()))
        };
        let whole = named(json!({"path": ".", "what": "a..b", "base": null})).expect("it is whole");
        let (path, what, folder) = (".".to_owned(), Some("a..b".to_owned()), Some("/w".to_owned()));
        assert_eq!(whole, Some(NamedRepository { path, what, base: None, folder }));
        let long = "x".repeat(bounds::REVISION_CHARS + 1);
        for (value, code, said) in [
            (json!("."), Code::InvalidInput, "`repository` must be an object"),
            (json!({}), Code::InvalidInput, "`repository` has no `path`"),
            (json!({"path": null}), Code::InvalidInput, "`repository` has no `path`"),
            (json!({"path": 1}), Code::InvalidInput, "`repository.path`"),
            (json!({"path": ".", "commit": "HEAD"}), Code::InvalidInput, "unknown field \"commit\""),
            (json!({"path": ".", "what": long}), Code::TooLarge, "`repository.what`"),
        ] {
            let fault = named(value.clone()).expect_err("it isn't whole");
            assert!(fault.code == code && fault.message.contains(said), "{value}: {fault:?}");
        }
        let both = |diff: &str| {
            let read = parsed(json!({"message": "m", "diff": diff, "repository": {"path": "."}}));
            read.and_then(|read| read.input.repository(None))
        };
        let fault = both("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n").expect_err("only one can be shown");
        assert!(fault.message.contains("`diff` and `repository`"), "{fault:?}");
        assert!(both(" \n").is_ok(), "a blank one is none");
    }

    #[test]
    fn unknown_fields_are_kept_by_name_and_null_is_absent() {
        let arguments = parsed(json!({"message": "m", "timeout": 30, "title": null})).unwrap_or_default();
        assert_eq!(arguments.unknown, vec!["timeout"], "a stray field is named, not refused");
        assert_eq!(arguments.input.title, None, "null means that the field is not there");
    }

    #[test]
    fn an_agent_may_ask_for_a_surer_approval() {
        let asked = parsed(json!({"message": "m", "require": "L3"})).map(|read| read.input.ask().require);
        assert_eq!(asked, Ok(Some(Assurance::L3)));
        assert_eq!(parsed(json!({"message": "m"})).map(|read| read.input.ask().require), Ok(None));
    }

    #[test]
    fn options_may_be_strings_or_objects() {
        let arguments = parsed(json!({"message": "m", "options": ["a", {"label": "b", "recommended": true}]}));
        let options = arguments.map(|a| a.input.options).unwrap_or_default();
        assert_eq!(
            options.iter().map(|o| (o.label.as_str(), o.recommended)).collect::<Vec<_>>(),
            [("a", false), ("b", true)]
        );
    }
}
