//! Each prompt as a skill (SEP-2640): `skills/list`, `skills/get`, and the one file that a skill has,
//! `skill://<name>/SKILL.md`.
//!
//! A skill's name is a part of its URI, of few letters, and no skill may lie in the folder of another. So
//! every prompt has a name of its own, made from its whole id. `skill://index.json` is what the drafts of
//! the extension had in the place of `skills/list`; there are clients that read it.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use async_trait::async_trait;
use gate_core::ask::excerpt;
use gate_core::{Code, Fault, Owner, Prompt, PromptList};
use rmcp::model::{
    GetSkillResult, ListSkillsResult, Skill, SkillFrontmatter, SkillResource, SkillResources, sha256_digest,
};
use serde_json::{Value, json};

use crate::cursor;
use crate::port::{Change, ConnectionPort};
use crate::prompts::{PromptPort, begin, described};
use crate::resource::{Contents, JSON, PRIORITY_HISTORY, Page, Resource, Resources, annotations, listed};
use crate::uri::Query;

/// How the URIs of skills begin and end (SEP-2640), and what lists them.
const SKILL: &str = "skill://";
const SKILL_FILE: &str = "/SKILL.md";
const SKILL_INDEX: &str = "skill://index.json";
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
fn is_name(name: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=NAME_CHARS).contains(&name.len()) && name.bytes().all(good)
}

/// `skills/list`.
///
/// # Errors
/// `invalid_cursor`.
pub(crate) fn list(
    port: &dyn PromptPort,
    gate: &dyn ConnectionPort,
    cursor: Option<&str>,
) -> Result<ListSkillsResult, Fault> {
    let all = port.prompts();
    let names = known_names(&all);
    let mut rest = all.prompts.iter().zip(names.iter()).skip(begin(gate, &all, LIST, cursor)?);
    let (mut skills, mut bytes, mut last) = (Vec::new(), 0, None);
    for (prompt, name) in rest.by_ref().take(PAGE) {
        last = Some(&prompt.id);
        // One that is gone meanwhile is none.
        let Some(file) = File::of(port, prompt, name) else { continue };
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
pub(crate) fn get(port: &dyn PromptPort, uri: &str) -> Result<GetSkillResult, Fault> {
    // No skill has a query, but an empty one is none.
    let file = name_of(uri.strip_suffix('?').unwrap_or(uri)).and_then(|name| find(port, name)).ok_or_else(|| {
        let message = format!("No skill has the URI {:?}.", excerpt(uri, 200));
        Fault::new(Code::UnknownPrompt, message, "skills/list names all of them.")
    })?;
    Ok(GetSkillResult::new(file.skill()))
}

/// The skills as resources: their index, which is listed, and their files, which `skills/list` names.
pub(crate) struct Skills(pub(crate) Arc<dyn PromptPort>);

/// What a URI names of them.
enum Target {
    /// What skills there are.
    Index,
    /// The file of the skill of this name.
    File(String),
}

#[async_trait]
impl Resources for Skills {
    fn at(&self, uri: &str) -> Option<Box<dyn Resource>> {
        let target = match uri {
            SKILL_INDEX => Target::Index,
            uri => Target::File(name_of(uri)?.to_owned()),
        };
        Some(Box::new(Named { target, port: Arc::clone(&self.0) }))
    }

    async fn page(&self, _gate: &dyn ConnectionPort, _client: &Owner, cursor: Option<&str>) -> Result<Page, Fault> {
        let about = "The index of the person's prompts as Agent Skills.";
        let index = listed(SKILL_INDEX, "skills", "Prompts as skills", about);
        let changed = self.0.prompt_times().latest;
        Page::whole(cursor, vec![index.with_annotations(annotations(PRIORITY_HISTORY, changed))])
    }
}

/// A target with the port.
struct Named {
    target: Target,
    port: Arc<dyn PromptPort>,
}

#[async_trait]
impl Resource for Named {
    fn uri(&self) -> String {
        match &self.target {
            Target::Index => SKILL_INDEX.to_owned(),
            Target::File(name) => uri(name),
        }
    }

    async fn exists(&self, _client: &Owner) -> Result<bool, Fault> {
        Ok(match &self.target {
            Target::Index => true,
            Target::File(name) => known_names(&self.port.prompts()).contains(name),
        })
    }

    async fn read(
        &self,
        _gate: &dyn ConnectionPort,
        _client: &Owner,
        _query: Query,
    ) -> Result<Option<Contents>, Fault> {
        Ok(match &self.target {
            Target::Index => Some(Contents::text(index(self.port.as_ref()), JSON)),
            Target::File(name) => find(self.port.as_ref(), name).map(|file| Contents::text(file.text, "text/markdown")),
        })
    }

    fn reads_otherwise(&self, change: &Change) -> bool {
        *change == Change::Prompts
    }
}

/// The URI of the skill of this name.
fn uri(name: &str) -> String {
    format!("{SKILL}{name}{SKILL_FILE}")
}

/// The name of the skill that a URI may name.
fn name_of(uri: &str) -> Option<&str> {
    uri.strip_prefix(SKILL)?.strip_suffix(SKILL_FILE).filter(|name| is_name(name))
}

/// What `skill://index.json` reads as.
fn index(port: &dyn PromptPort) -> String {
    let all = port.prompts();
    let entry = |(prompt, name): (&Arc<Prompt>, &String)| json!({ "name": name, "type": "skill-md", "description": description(prompt), "url": uri(name) });
    let skills: Vec<Value> = all.prompts.iter().zip(known_names(&all).iter()).take(INDEXED).map(entry).collect();
    json!({ "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": skills }).to_string()
}

fn find(port: &dyn PromptPort, name: &str) -> Option<File> {
    let all = port.prompts();
    let at = known_names(&all).iter().position(|known| known == name)?;
    File::of(port, all.prompts.get(at)?, name)
}

/// The names of one version of the list.
type KnownNames = (Weak<PromptList>, Arc<Vec<String>>);

/// [`names`], made once for each version of the list: every page and every file needs them all.
fn known_names(all: &Arc<PromptList>) -> Arc<Vec<String>> {
    static LATEST: Mutex<Option<KnownNames>> = Mutex::new(None);
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
    fn of(port: &dyn PromptPort, prompt: &Prompt, name: &str) -> Option<Self> {
        let source = port.prompt_source(&prompt.id)?;
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
        Some(Self { uri: uri(name), frontmatter, text })
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
