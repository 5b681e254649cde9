//! Edits of real agents: the diff that the person is shown is, byte for byte, what the agent then does to the files; what is denied
//! changes none. And rules, which the agent keeps itself.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use gate_tests::{NoNetwork, Program, Turn};
use serde_json::{Value, json};

use super::scene::{Scene, at, runs};

pub(super) const FILE: &str = "code.txt";
const NEW: &str = "new.txt";
/// Blanks at the ends of lines, a tab, other alphabets, no line feed at the end, and lines that are all indented around what is
/// changed, as code is.
const BEFORE: &str = "first  \n\tsecond\nüñí → 漢字\n    fn four() {\n        five\n        six\n        seven\n        \
                      eight\n        nine\n        ten\n        eleven\n        twelve \n\t  thirteen\n        \
                      fourteen\n        last";
/// Texts of the file, and what the model wants in their place.
const CHANGED: (&str, &str) = ("        nine\n", "        NINE\n\n\t  nine and a half: \u{202e}\u{200b}x\n");
const DENIED: (&str, &str) = ("        last", "        DENIED");
const AT_END: (&str, &str) = ("        last", "    FINISH \n        }");
/// A file that is all indented.
const CONTENT: &str = "  - one\n    - two\n";
const REASON: &str = "Leave the last line alone.";
/// What is asked twice, and allowed once and for all.
const COMMAND: &str = "sh count.sh";

/// An agent, and what its model edits files by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    ClaudeCode,
    /// A patch in a command, which Codex takes out and makes itself.
    Codex,
    OpenCode,
    /// The tool that opencode gives models of OpenAI's in the place of its others.
    OpenCodePatch,
}

impl Way {
    pub(super) fn program(self) -> Program {
        match self {
            Self::ClaudeCode => Program::ClaudeCode,
            Self::Codex => Program::Codex,
            Self::OpenCode | Self::OpenCodePatch => Program::OpenCode,
        }
    }

    /// Codex's hook offers no rules, and opencode's are tried once.
    fn tries_a_rule(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::OpenCode)
    }

    /// The model wants to replace a text of the file.
    pub(super) fn edits(self, folder: &Path, (old, new): (&str, &str)) -> Turn {
        let file = folder.join(FILE);
        match self {
            Self::ClaudeCode => Turn::Call("Edit", json!({"file_path": file, "old_string": old, "new_string": new})),
            Self::OpenCode => Turn::Call("edit", json!({"filePath": file, "oldString": old, "newString": new})),
            Self::Codex | Self::OpenCodePatch => {
                let chunk = format!("@@\n{}{}", marked('-', old), marked('+', new));
                self.patches(&format!("*** Update File: {FILE}\n{chunk}"))
            }
        }
    }

    /// The model wants to make a file.
    fn writes(self, folder: &Path) -> Turn {
        let file = folder.join(NEW);
        let added = format!("*** Add File: {NEW}\n{}", marked('+', CONTENT));
        match self {
            Self::ClaudeCode => Turn::Call("Write", json!({"file_path": file, "content": CONTENT})),
            Self::OpenCode => Turn::Call("write", json!({"filePath": file, "content": CONTENT})),
            Self::Codex => self.patches(&format!("{added}*** Delete File: old.txt\n")),
            Self::OpenCodePatch => self.patches(&added),
        }
    }

    fn patches(self, patch: &str) -> Turn {
        let patch = format!("*** Begin Patch\n{patch}*** End Patch\n");
        match self {
            Self::OpenCodePatch => Turn::Call("apply_patch", json!({"patchText": patch})),
            _ => Turn::Call("exec_command", json!({"cmd": format!("apply_patch <<'EOF'\n{patch}EOF\n")})),
        }
    }
}

fn marked(mark: char, text: &str) -> String {
    text.lines().map(|line| format!("{mark}{line}\n")).collect()
}

/// What the files of an edit are to become, by the diff that the person is shown; absent for one that goes.
pub(crate) fn shown(folder: &Path, request: &Value) -> Result<Vec<(PathBuf, Option<String>)>> {
    let files = request["diff"]["files"].as_array();
    let files = files.with_context(|| format!("what it would do is shown: {}", request["permission"]))?;
    let read = |file: &Value| {
        let name = |side: &str| file[side].as_str().filter(|path| !path.is_empty()).map(|path| folder.join(path));
        let (old, new) = (name("old_path"), name("new_path"));
        let before = old.as_ref().map(fs::read_to_string).transpose()?.unwrap_or_default();
        let after = becomes(&before, file)?;
        match (old, new) {
            (_, Some(path)) => Ok((path, Some(after))),
            (Some(path), None) if after.is_empty() => Ok((path, None)),
            _ => bail!("a diff of nothing: {file}"),
        }
    };
    files.iter().map(read).collect()
}

/// A text as the rows of a file's diff change it; each row that isn't new has to be in it, byte for byte.
fn becomes(before: &str, file: &Value) -> Result<String> {
    let lines: Vec<&str> = before.split_inclusive('\n').collect();
    let (mut after, mut at) = (String::new(), 0);
    let hunks = file["hunks"].as_array().into_iter().flatten();
    for row in hunks.filter_map(|hunk| hunk["rows"].as_array()).flatten() {
        let pieces = row["segments"].as_array().into_iter().flatten();
        let mut text: String = pieces.filter_map(|piece| piece["text"].as_str()).collect();
        match row["end"].as_str() {
            None => text.push('\n'),
            Some("nothing") => {}
            Some(other) => bail!("an end of a line that no file here has: {other}"),
        }
        if let Some(old) = row["old"].as_u64() {
            let old = usize::try_from(old)?.checked_sub(1).context("lines are counted from 1")?;
            after.extend(lines.get(at..old).context("rows are in the file's order")?.iter().copied());
            ensure!(lines.get(old) == Some(&text.as_str()), "{text:?} isn't line {old} of {before:?}");
            at = old + 1;
        }
        if !row["new"].is_null() {
            after.push_str(&text);
        }
    }
    after.extend(lines.get(at..).unwrap_or_default().iter().copied());
    Ok(after)
}

/// A rule where the agent offers one; edits in the middle and at the end, one that is denied, and a new file.
async fn what_is_shown_is_done(way: Way) -> Result<()> {
    let program = way.program();
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let Some(scene) = Scene::new(program, Vec::new()).await? else { return Ok(()) };
    let folder = scene.folder();
    fs::write(folder.join(FILE), BEFORE)?;
    fs::write(folder.join("old.txt"), "old\n")?;
    fs::write(folder.join("count.sh"), "echo once more >> count.txt\n")?;
    let mut turns = Vec::new();
    if way.tries_a_rule() {
        turns.extend([runs(program, COMMAND), runs(program, COMMAND)]);
    }
    if program == Program::ClaudeCode {
        // It edits nothing that it hasn't read, which it may without asking.
        turns.push(Turn::Call("Read", json!({"file_path": folder.join(FILE)})));
    }
    let before = turns.len();
    turns.extend([CHANGED, DENIED, AT_END].map(|texts| way.edits(&folder, texts)));
    turns.extend([way.writes(&folder), Turn::Say("Done.")]);
    scene.agent.model.says(turns);
    if way == Way::OpenCodePatch {
        let settings = scene.agent.home.folder().join("person/.config/opencode/opencode.json");
        fs::write(&settings, fs::read_to_string(&settings)?.replace("scripted", "gpt-5.1"))?;
    }
    let terminal = scene.starts().await?;
    let tried = async {
        if way.tries_a_rule() {
            rule(program, &scene).await?;
        }
        edited(&scene, before).await
    };
    tried.await.map_err(|error| at(&terminal, error))
}

/// A command that is allowed by the rule that the agent offers isn't asked again.
async fn rule(program: Program, scene: &Scene) -> Result<()> {
    let request = scene.asked(COMMAND, "count.txt").await?;
    let rules = &request["permission"]["rules"];
    let (what, kept) = match program {
        Program::ClaudeCode => ("Bash(sh count.sh)", "localSettings"),
        _ => ("sh *", "session"),
    };
    assert_eq!((&rules[0]["what"], &rules[0]["kept"]), (&json!([what]), &json!(kept)), "it is said in words: {rules}");
    scene.answers(&request, json!({"answer": "rule", "id": rules[0]["id"]})).await?;
    scene.given(2).await?;
    assert_eq!(fs::read_to_string(scene.file("count.txt"))?, "once more\nonce more\n", "it is done both times");
    let asked =
        scene.agent.home.rows("SELECT count(*) AS asked FROM review_requests WHERE permission LIKE '%count.sh%'");
    assert_eq!(asked.await?, [json!({"asked": 1})], "and asked once");
    let settings = scene.file(".claude/settings.local.json");
    if program == Program::ClaudeCode {
        let kept: Value = serde_json::from_str(&fs::read_to_string(settings)?)?;
        assert_eq!(kept["permissions"]["allow"], json!([what]), "Claude Code keeps it, where it keeps its rules");
    }
    Ok(())
}

async fn edited(scene: &Scene, before: usize) -> Result<()> {
    let folder = scene.folder();
    let does = async |marker: &str, results: usize| {
        let request = scene.asks(marker).await?;
        let kind = &request["permission"]["kind"];
        assert!(kind == "edit" || kind == "write", "it is shown for what it is: {}", request["permission"]);
        let shown = shown(&folder, &request)?;
        scene.answers(&request, json!({"answer": "once"})).await?;
        scene.given(before + results).await?;
        for (path, text) in shown {
            let done = fs::read_to_string(&path).ok();
            assert_eq!(done, text, "what was shown is what was done to {}", path.display());
        }
        anyhow::Ok(())
    };
    does("NINE", 1).await?;
    let now = fs::read_to_string(folder.join(FILE))?;
    assert!(now.contains(CHANGED.1) && !now.contains(CHANGED.0), "it is what the model wanted: {now}");

    let request = scene.asks("DENIED").await?;
    scene.answers(&request, json!({"answer": "deny", "reason": REASON})).await?;
    let given = scene.given(before + 2).await?;
    assert!(given.last().is_some_and(|last| last.contains(REASON)), "the model is told why: {given:?}");
    assert_eq!(fs::read_to_string(folder.join(FILE))?, now, "what was denied isn't done");

    does("FINISH", 3).await?;
    does("- two", 4).await?;
    assert_eq!(fs::read_to_string(folder.join(NEW))?, CONTENT, "with each blank");
    let now = fs::read_to_string(folder.join(FILE))?;
    assert!(now.contains("FINISH") && !now.contains("DENIED"), "what was denied isn't done later either: {now}");
    scene.nothing_waits().await
}

#[tokio::test]
async fn claude_code_does_the_edit_that_is_shown_and_keeps_its_rule() -> Result<()> {
    what_is_shown_is_done(Way::ClaudeCode).await.context("Claude Code")
}

#[tokio::test]
async fn codex_does_the_patch_that_is_shown() -> Result<()> {
    what_is_shown_is_done(Way::Codex).await.context("Codex")
}

#[tokio::test]
async fn opencode_does_the_edit_that_is_shown_and_keeps_its_rule() -> Result<()> {
    what_is_shown_is_done(Way::OpenCode).await.context("opencode")
}

#[tokio::test]
async fn opencode_does_the_patch_that_is_shown() -> Result<()> {
    what_is_shown_is_done(Way::OpenCodePatch).await.context("opencode")
}
