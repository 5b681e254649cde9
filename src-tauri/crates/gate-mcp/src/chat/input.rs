//! What `review_gate_chat` takes. Bounds are checked later, by [`Ask::checked`].

use gate_core::{Ask, Choice, RequestId, SessionUuid, bounds};

use crate::input::{Brief, FLAG, Id, List, Named, SESSION, TEXT, fields};

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
        }
    }
}

#[cfg(test)]
mod tests {
    use gate_core::{Code, Fault};
    use serde_json::{Value, json};

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
        ] {
            let fault = parsed(value.clone()).err();
            assert!(
                fault.as_ref().is_some_and(|f| f.code == Code::InvalidInput && f.message.contains(field)),
                "{value} must be refused with {field}: {fault:?}"
            );
        }
    }

    #[test]
    fn unknown_fields_are_kept_by_name_and_null_is_absent() {
        let arguments = parsed(json!({"message": "m", "timeout": 30, "title": null})).unwrap_or_default();
        assert_eq!(arguments.unknown, vec!["timeout"], "a stray field is named, not refused");
        assert_eq!(arguments.input.title, None, "null means that the field is not there");
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
