//! What of a question its digest is made of.
//!
//! A front end names the digest of the question that it shows with each answer, so that no answer is taken for another
//! question. Knows neither who asks nor what became of it.

use serde::Serialize;

use crate::ask::{Ask, Choice};
use crate::digest::Digest;
use crate::fault::Fault;
use crate::git::{Oid, QuestionGit};

impl Digest {
    /// Of a question as it is stored: with its defaults, and without what is absent and how urgent it is.
    ///
    /// # Errors
    /// As [`Digest::of`].
    pub fn of_question(ask: &Ask) -> Result<Self, Fault> {
        Self::of(&Question::of(ask))
    }
}

/// What a question's digest is made of. A change of any of it is another question.
#[derive(Serialize)]
struct Question<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a str>,
    options: Vec<Offered<'a>>,
    allow_multiple: bool,
    approval: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<Held<'a>>,
}

/// What git holds of it. Of one diff there may be several: the same change on another base is another question.
#[derive(Serialize)]
struct Held<'a> {
    repository: &'a str,
    what: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<&'a Oid>,
    base_tree: &'a Oid,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'a Oid>,
    tree: &'a Oid,
    manifest: Digest,
}

#[derive(Serialize)]
struct Offered<'a> {
    label: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    recommended: bool,
}

impl<'a> Question<'a> {
    fn of(ask: &'a Ask) -> Self {
        // How urgent it is says when it is read, not what is asked.
        let Ask { message, title, context, urgent: _, options, allow_multiple, approval, diff, git } = ask;
        Self {
            message,
            title: title.as_deref(),
            context: context.as_deref(),
            options: options.iter().map(Offered::of).collect(),
            allow_multiple: *allow_multiple,
            approval: *approval,
            diff: diff.as_deref(),
            git: git.as_deref().map(Held::of),
        }
    }
}

impl<'a> Held<'a> {
    fn of(git: &'a QuestionGit) -> Self {
        let QuestionGit { repository, what, base, base_tree, commit, tree, manifest } = git;
        let (base, commit) = (base.as_ref(), commit.as_ref());
        Self { repository, what, base, base_tree, commit, tree, manifest: *manifest }
    }
}

impl<'a> Offered<'a> {
    fn of(choice: &'a Choice) -> Self {
        let Choice { label, description, recommended } = choice;
        Self { label, description: description.as_deref(), recommended: *recommended }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::digest::canonical_json;
    use crate::fault::Code;

    /// A question with something in each of its fields. A new one belongs here and in the table below.
    fn full() -> Ask {
        Ask {
            message: "May I?".to_owned(),
            title: Some("Deploy".to_owned()),
            context: Some("releasing".to_owned()),
            urgent: true,
            options: vec![Choice {
                label: "Now".to_owned(),
                description: Some("at noon".to_owned()),
                recommended: true,
            }],
            allow_multiple: true,
            approval: true,
            diff: Some("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".to_owned()),
            git: Some(Box::new(QuestionGit {
                repository: "/home/me/shop".to_owned(),
                what: "main..topic".to_owned(),
                base: Some(oid("1a")),
                base_tree: oid("2b"),
                commit: Some(oid("3c")),
                tree: oid("4d"),
                manifest: Digest::of_bytes(b"manifest"),
            })),
        }
    }

    fn oid(digits: &str) -> Oid {
        Oid::try_from(digits.repeat(20)).expect("a name has 40 digits")
    }

    /// A field, and something that changes it.
    type Change<T> = (&'static str, fn(&mut T));

    fn of(ask: &Ask) -> Digest {
        Digest::of_question(ask).expect("a question has texts and switches only")
    }

    fn names(value: &impl Serialize) -> Vec<String> {
        let value = serde_json::to_value(value).expect("it is JSON");
        value.as_object().expect("it has fields").keys().cloned().collect()
    }

    #[test]
    fn every_field_but_the_urgency_counts() {
        let changes: [Change<Ask>; 9] = [
            ("allow_multiple", |ask| ask.allow_multiple = false),
            ("approval", |ask| ask.approval = false),
            ("context", |ask| ask.context = None),
            ("diff", |ask| ask.diff = None),
            ("git", |ask| ask.git = None),
            ("message", |ask| ask.message.push(' ')),
            ("options", |ask| ask.options.clear()),
            ("title", |ask| ask.title = None),
            ("urgent", |ask| ask.urgent = false),
        ];
        assert_eq!(changes.map(|(name, _)| name.to_owned()).to_vec(), names(&full()), "each field has its row");
        for (name, change) in changes {
            let mut other = full();
            change(&mut other);
            assert_ne!(other, full(), "{name} is another one");
            assert_eq!(of(&other) == of(&full()), name == "urgent", "{name}");
        }
    }

    #[test]
    fn every_field_of_an_option_counts() {
        let changes: [Change<Choice>; 3] = [
            ("description", |choice| choice.description = None),
            ("label", |choice| choice.label.push('.')),
            ("recommended", |choice| choice.recommended = false),
        ];
        assert_eq!(changes.map(|(name, _)| name.to_owned()).to_vec(), names(&full().options[0]), "each has its row");
        for (name, change) in changes {
            let mut other = full();
            change(&mut other.options[0]);
            assert_ne!(of(&other), of(&full()), "{name}");
        }
        let mut turned = full();
        turned.options.push(Choice { label: "Later".to_owned(), description: None, recommended: false });
        let straight = of(&turned);
        turned.options.reverse();
        assert_ne!(of(&turned), straight, "their order is what the person sees");
    }

    #[test]
    fn every_name_of_git_s_counts() {
        let changes: [Change<QuestionGit>; 7] = [
            ("base", |git| git.base = None),
            ("base_tree", |git| git.base_tree = oid("5e")),
            ("commit", |git| git.commit = None),
            ("manifest", |git| git.manifest = Digest::of_bytes(b"another")),
            ("repository", |git| git.repository.push('2')),
            ("tree", |git| git.tree = oid("5e")),
            ("what", |git| git.what = "topic".to_owned()),
        ];
        let git = full().git.expect("it is full");
        assert_eq!(changes.map(|(name, _)| name.to_owned()).to_vec(), names(&git), "each has its row");
        for (name, change) in changes {
            let mut other = full();
            change(other.git.as_mut().expect("it is full"));
            assert_ne!(of(&other), of(&full()), "{name}");
        }
    }

    #[test]
    fn a_value_has_the_digest_of_its_canonical_form() {
        let value = json!({"b": 1, "a": "é"});
        let text = canonical_json(&value).expect("it has integers only");
        assert_eq!(text, r#"{"a":"é","b":1}"#);
        assert_eq!(Digest::of(&value), Ok(Digest::of_bytes(text.as_bytes())));
        // With `printf abc | sha256sum`; FIPS 180-2, B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of_bytes(b"abc").to_string(), abc);
        assert_eq!(Digest::of_bytes(b"abc").as_bytes()[..4], [0xba, 0x78, 0x16, 0xbf]);
    }

    #[test]
    fn what_is_moved_from_one_field_to_another_counts() {
        let title = Ask { message: "b".to_owned(), title: Some("a".to_owned()), ..Ask::default() };
        let context = Ask { message: "b".to_owned(), context: Some("a".to_owned()), ..Ask::default() };
        assert_ne!(of(&title), of(&context));
    }

    #[test]
    fn the_order_of_fields_and_defaults_that_are_written_do_not_count() {
        let read = |value: Value| of(&serde_json::from_value(value).expect("it is a question"));
        let short = read(json!({"message": "m"}));
        let long = r#"{"diff":null,"approval":false,"options":[],"urgent":false,"message":"m","title":null}"#;
        assert_eq!(read(serde_json::from_str(long).expect("it is JSON")), short);
        let option = read(json!({"message": "m", "options": [{"label": "a"}]}));
        let written = json!({"message": "m", "options": [{"recommended": false, "description": null, "label": "a"}]});
        assert_eq!(read(written), option);
    }

    #[test]
    fn others_make_the_same_digest() {
        // With `printf %s '…' | sha256sum`.
        let ask = Ask { message: "m".to_owned(), ..Ask::default() };
        let text = r#"{"allow_multiple":false,"approval":false,"message":"m","options":[]}"#;
        assert_eq!(canonical_json(&Question::of(&ask)).as_deref(), Ok(text), "defaults are in, what is absent isn't");
        assert_eq!(of(&ask).to_string(), "eea36fbf64b308afb8212e6f101cff957eab7b2093338d28126eed9fb80aeeaa");

        let choice = |label: &str, description: Option<&str>| Choice {
            label: label.to_owned(),
            description: description.map(str::to_owned),
            recommended: description.is_some(),
        };
        let ask = Ask {
            message: "May I deploy *now*?\n".to_owned(),
            title: Some("Deploy".to_owned()),
            urgent: true,
            options: vec![choice("Yes – 是", Some("to \"production\"")), choice("No", None)],
            approval: true,
            ..Ask::default()
        };
        let text = concat!(
            r#"{"allow_multiple":false,"approval":true,"message":"May I deploy *now*?\n","options":"#,
            r#"[{"description":"to \"production\"","label":"Yes – 是","recommended":true},"#,
            r#"{"label":"No","recommended":false}],"title":"Deploy"}"#
        );
        assert_eq!(canonical_json(&Question::of(&ask)).as_deref(), Ok(text));
        assert_eq!(of(&ask).to_string(), "898f6a5eeb05542d0c1d3edb46b6b0ece1a836d567fe4914f50812de047e5349");
        assert_eq!(of(&ask).beginning(), "898f6a5e");
    }

    #[test]
    fn a_digest_is_read_as_it_is_written_and_in_no_other_way() {
        let digest = of(&full());
        assert_eq!(digest.to_string().parse::<Digest>(), Ok(digest));
        let written = serde_json::to_value(digest).expect("it is a text");
        assert_eq!(written, json!(digest.to_string()));
        assert_eq!(serde_json::from_value::<Digest>(written).ok(), Some(digest));
        let text = "0123456789abcdef".repeat(4);
        assert!(text.parse::<Digest>().is_ok());
        let (long, upper) = (format!("{text}0"), text.to_uppercase());
        let (signed, accented) = (text.replace("0", "+"), text.replace("01", "é"));
        for wrong in ["", "0", &text[1..], &long, &upper, &signed, &accented] {
            assert_eq!(wrong.parse::<Digest>().err().map(|fault| fault.code), Some(Code::InvalidInput), "{wrong:?}");
        }
    }
}
