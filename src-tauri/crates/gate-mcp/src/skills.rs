//! Each prompt as a skill (SEP-2640): `skills/list`, `skills/get`, and the one file that a skill has,
//! `skill://<name>/SKILL.md`.
//!
//! A skill's name is a part of its URI, of few letters, and no skill may lie in the folder of another. So
//! every prompt has a name of its own, made from its whole id. `skill://index.json` is what the drafts of
//! the extension had in the place of `skills/list`; there are clients that read it.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use gate_core::ask::excerpt;
use gate_core::{Code, Fault, Prompt, PromptList};
use rmcp::model::{
    GetSkillResult, ListSkillsResult, ReadResourceResult, ResourceContents, Skill, SkillFrontmatter, SkillResource,
    SkillResources, sha256_digest,
};
use serde_json::{Value, json};

use crate::cursor;
use crate::gate::Gate;
use crate::prompts::{begin, described};
use crate::uri::Target;

/// The list that `skills/list` pages through.
const LIST: &str = "skills";
/// Most skills on a page.
const PAGE: usize = 100;
/// A page ends with the skill that brings the texts whose digests it has over so many bytes.
const PAGE_BYTES: usize = 1024 * 1024;
/// Most skills of the index, which has no pages.
const INDEXED: usize = 1000;
/// Longest name and description of a skill, in characters (Agent Skills).
const NAME_CHARS: usize = 64;
const DESCRIPTION_CHARS: usize = 1024;
/// Letters of a digest that tell names apart.
const DIGEST_CHARS: usize = 8;

/// Whether a skill may have this name.
pub(crate) fn is_name(name: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=NAME_CHARS).contains(&name.len()) && name.bytes().all(good)
}

/// `skills/list`.
///
/// # Errors
/// `invalid_cursor`.
pub(crate) fn list(gate: &dyn Gate, cursor: Option<&str>) -> Result<ListSkillsResult, Fault> {
    let all = gate.prompts();
    let names = known_names(&all);
    let mut rest = all.prompts.iter().zip(names.iter()).skip(begin(gate, &all, LIST, cursor)?);
    let (mut skills, mut bytes, mut last) = (Vec::new(), 0, None);
    for (prompt, name) in rest.by_ref().take(PAGE) {
        last = Some(&prompt.id);
        // One that is gone meanwhile is none.
        let Some(file) = File::of(gate, prompt, name) else { continue };
        bytes += file.text.len();
        skills.push(file.skill());
        if bytes > PAGE_BYTES {
            break;
        }
    }
    let last = last.filter(|_| rest.next().is_some());
    let mut result = ListSkillsResult::with_all_items(skills);
    result.next_cursor = last.map(|last| cursor::seal_id(gate, LIST, last)).transpose()?;
    Ok(result)
}

/// `skills/get`.
///
/// # Errors
/// `unknown_prompt`.
pub(crate) fn get(gate: &dyn Gate, uri: &str) -> Result<GetSkillResult, Fault> {
    let file = match Target::of(uri) {
        Some((Target::Skill(name), "")) => find(gate, &name),
        _ => None,
    };
    let file = file.ok_or_else(|| {
        let message = format!("No skill has the URI {:?}.", excerpt(uri, 200));
        Fault::new(Code::UnknownPrompt, message, "skills/list names all of them.")
    })?;
    Ok(GetSkillResult::new(file.skill()))
}

/// The file of the skill of this name; absent where there is none.
pub(crate) fn read(gate: &dyn Gate, name: &str, uri: String) -> Option<ReadResourceResult> {
    let contents = ResourceContents::text(find(gate, name)?.text, uri).with_mime_type("text/markdown");
    Some(ReadResourceResult::new(vec![contents]))
}

/// Whether there is a skill of this name.
pub(crate) fn exists(gate: &dyn Gate, name: &str) -> bool {
    known_names(&gate.prompts()).iter().any(|known| known == name)
}

/// What `skill://index.json` reads as.
pub(crate) fn index(gate: &dyn Gate) -> String {
    let all = gate.prompts();
    let entry = |(prompt, name): (&Arc<Prompt>, &String)| {
        let url = Target::Skill(name.clone()).uri();
        json!({ "name": name, "type": "skill-md", "description": description(prompt), "url": url })
    };
    let skills: Vec<Value> = all.prompts.iter().zip(known_names(&all).iter()).take(INDEXED).map(entry).collect();
    json!({ "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": skills }).to_string()
}

fn find(gate: &dyn Gate, name: &str) -> Option<File> {
    let all = gate.prompts();
    let at = known_names(&all).iter().position(|known| known == name)?;
    File::of(gate, all.prompts.get(at)?, name)
}

/// The names of one version of the list.
type Named = (Weak<PromptList>, Arc<Vec<String>>);

/// [`names`], made once for each version of the list: every page and every file needs them all.
fn known_names(all: &Arc<PromptList>) -> Arc<Vec<String>> {
    static LATEST: Mutex<Option<Named>> = Mutex::new(None);
    let this = Arc::downgrade(all);
    let mut latest = LATEST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*latest {
        Some((of, names)) if of.ptr_eq(&this) => Arc::clone(names),
        _ => {
            let names = Arc::new(names(all));
            *latest = Some((this, Arc::clone(&names)));
            names
        }
    }
}

/// The name of every prompt as a skill, in their order: its id with hyphens. Where that says too little,
/// or is the name of a prompt before, letters of the id's digest follow.
fn names(all: &PromptList) -> Vec<String> {
    let mut taken = HashSet::with_capacity(all.prompts.len());
    let name = |id: &str| {
        let slug = slug(id);
        let says_all = id.is_ascii() && (1..=NAME_CHARS).contains(&slug.len());
        let mut salt = id.to_owned();
        let mut name = if says_all { slug.clone() } else { told_apart(&slug, &salt) };
        while !taken.insert(name.clone()) {
            name = told_apart(&slug, &salt);
            salt.push('/');
        }
        name
    };
    all.prompts.iter().map(|prompt| prompt.id.as_str()).map(name).collect()
}

/// ASCII letters and digits, one hyphen for whatever stands between.
fn slug(id: &str) -> String {
    let mut slug = String::with_capacity(id.len());
    for c in id.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

fn told_apart(slug: &str, salt: &str) -> String {
    let digest = sha256_digest(salt.as_bytes());
    let letters = digest.rsplit(':').next().and_then(|hex| hex.get(..DIGEST_CHARS)).unwrap_or_default();
    let most = NAME_CHARS - DIGEST_CHARS - 1;
    let begin = slug.get(..most).unwrap_or(slug).trim_end_matches('-');
    let begin = if begin.is_empty() { "prompt" } else { begin };
    format!("{begin}-{letters}")
}

fn description(prompt: &Prompt) -> String {
    let says = if prompt.description.trim().is_empty() { &prompt.title } else { &prompt.description };
    // An ellipsis may follow.
    excerpt(says, DESCRIPTION_CHARS - 1)
}

/// The `SKILL.md` of a prompt.
struct File {
    uri: String,
    frontmatter: SkillFrontmatter,
    text: String,
}

impl File {
    fn of(gate: &dyn Gate, prompt: &Prompt, name: &str) -> Option<Self> {
        let source = gate.prompt_source(&prompt.id)?;
        let description = description(prompt);
        let mut metadata = BTreeMap::from([("prompt", prompt.id.clone())]);
        let mut text = format!("---\nname: {}\ndescription: {}\n", quoted(name), quoted(&description));
        text.push_str(&format!("metadata:\n  prompt: {}\n", quoted(&prompt.id)));
        if !prompt.version.is_empty() {
            let version = excerpt(&prompt.version, NAME_CHARS);
            text.push_str(&format!("  version: {}\n", quoted(&version)));
            metadata.insert("version", version);
        }
        text.push_str("---\n\n");
        if !prompt.arguments.is_empty() {
            text.push_str("Each `{{name}}` below stands for what the person asks for:\n\n");
            for argument in &prompt.arguments {
                let needed = if argument.required { " (required)" } else { "" };
                let about = excerpt(&described(argument), DESCRIPTION_CHARS);
                let line = format!("- `{{{{{}}}}}`{needed}: {about}", argument.name);
                text.push_str(line.trim_end_matches([' ', ':']));
                text.push('\n');
            }
            text.push('\n');
        }
        text.push_str(&source.instructions);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let frontmatter = SkillFrontmatter::new(name, description).with_field("metadata", json!(metadata));
        Some(Self { uri: Target::Skill(name.to_owned()).uri(), frontmatter, text })
    }

    fn skill(self) -> Skill {
        let file = SkillResource::from_bytes(self.uri.as_str(), self.text.as_bytes());
        Skill::new(self.uri, self.frontmatter, SkillResources::Files(vec![file]))
    }
}

/// A text as YAML in double quotes: that is JSON's way, with what YAML takes for the end of a line, or
/// doesn't allow, escaped.
fn quoted(text: &str) -> String {
    let json = Value::from(text).to_string();
    let mut quoted = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => quoted.push(c),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_gate::{FakeGate, prompts};
    use crate::prompts::PromptPort as _;

    fn all(ids: &[&str]) -> PromptList {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        PromptList { prompts: ids.into_iter().map(|id| Arc::new(prompts::prompt(id))).collect() }
    }

    #[test]
    fn every_prompt_has_a_name_of_its_own_that_a_skill_may_have() {
        let long = "a/".repeat(40) + "b";
        let all = all(&["a-b", "a_b", "a/b", "A b", "team/Code_Review", "prüfung", "prafung", "检查", "検査", &long]);
        let names = names(&all);
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "each once: {names:?}");
        assert!(names.iter().all(|name| is_name(name) && !name.contains("--")), "{names:?}");
        assert!(names.iter().all(|name| !name.starts_with('-') && !name.ends_with('-')), "{names:?}");
        let of = |id: &str| {
            let at = all.prompts.iter().position(|prompt| prompt.id == id);
            at.and_then(|at| names.get(at)).cloned().unwrap_or_default()
        };
        assert_eq!(of("team/Code_Review"), "team-code-review");
        assert_eq!(of("A b"), "a-b", "the first of those that would have the same name");
        assert!(of("a_b").starts_with("a-b-"), "the others are told apart: {}", of("a_b"));
        assert!(of("prüfung").starts_with("pr-fung-") && of("检查").starts_with("prompt-"), "{names:?}");
    }

    #[test]
    fn the_front_matter_is_yaml_whatever_a_prompt_says() {
        let gate = FakeGate::default();
        let mut prompt = prompts::prompt("team/a b");
        prompt.description = "--- \"x\": #\n- \u{2028}{{y}} \\ \u{feff}\u{85}'".to_owned();
        prompt.version = "1.10".to_owned();
        gate.serve(vec![prompt]);
        let all = gate.prompts();
        let file = File::of(&gate, &all.prompts[0], "true").unwrap();
        let head = file.text.strip_prefix("---\n").unwrap().split("\n---\n").next().unwrap();
        let mut read = serde_json::Map::new();
        for line in head.lines().filter(|line| *line != "metadata:") {
            let (key, value) = line.trim_start().split_once(": ").unwrap();
            assert!(value.chars().all(|c| !c.is_control() && !"\u{2028}\u{feff}".contains(c)), "{value:?}");
            read.insert(key.to_owned(), serde_json::from_str(value).unwrap());
        }
        let frontmatter = serde_json::to_value(&file.frontmatter).unwrap();
        assert_eq!(read["name"], "true", "quoted, or it were no text");
        assert_eq!(read["description"], frontmatter["description"], "a host compares them");
        let metadata = json!({"prompt": read["prompt"], "version": read["version"]});
        assert_eq!((&frontmatter["metadata"], &metadata["version"]), (&metadata, &json!("1.10")));
    }
}
