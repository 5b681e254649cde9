//! Edits of real agents that aren't simply allowed at the gate: changed by the person and allowed, answered at the agent's own
//! prompt first, and left to that prompt, where the hook or the gate was killed or the person is away. No byte of the file changes
//! before somebody has allowed it.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use gate_tests::{AgentTerminal, NoNetwork, Process, Program, Turn};
use serde_json::json;

use super::clock::{Clock, notes};
use super::edits::{FILE, Way};
use super::scene::{Moment, Scene, at, draws_again, own_prompt_of_edits, presses, times};

/// The lines of the file. Each is to become the same in capitals; some of it at the gate, the rest elsewhere.
const BEFORE: &str = "edited\nhook\ngate\naway\nthere\nlast";

fn turns(way: Way, folder: &Path) -> Vec<Turn> {
    let is_claude = way == Way::ClaudeCode;
    // It edits nothing that it hasn't read, which it may without asking.
    let reads = is_claude.then(|| Turn::Call("Read", json!({"file_path": folder.join(FILE)})));
    let words = BEFORE.lines().filter(|word| match *word {
        "edited" => is_claude,
        // Codex has no prompt of its own beside the hook.
        "there" => way != Way::Codex,
        _ => true,
    });
    let edits = words.map(|word| way.edits(folder, (word, &word.to_uppercase())));
    reads.into_iter().chain(edits).chain([Turn::Say("Done.")]).collect()
}

async fn edits_are_answered_elsewhere(way: Way) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let Some(scene) = Scene::new(way.program(), Vec::new()).await? else { return Ok(()) };
    scene.agent.forget_the_server()?;
    notes(&scene.agent)?;
    let folder = scene.folder();
    fs::write(folder.join(FILE), BEFORE)?;
    scene.agent.model.says(turns(way, &folder));
    let terminal = scene.starts().await?;
    let mut edits = Edits { scene, terminal, expected: BEFORE.to_owned(), drawn: 0 };
    edits.tried().await.map_err(|error| at(&edits.terminal, error))
}

struct Edits {
    scene: Scene,
    terminal: AgentTerminal,
    /// What the file holds by what was allowed so far.
    expected: String,
    /// How often the agent's own prompt had been drawn when the last question was answered.
    drawn: usize,
}

impl Edits {
    async fn tried(&mut self) -> Result<()> {
        let program = self.scene.agent.program();
        if program == Program::ClaudeCode {
            self.changed_by_the_person().await.context("edited and allowed")?;
        }
        self.hook_killed().await.context("the hook killed")?;
        self.gate_killed().await.context("the gate killed")?;
        self.person_away().await.context("the person away")?;
        if program != Program::Codex {
            self.answered_there().await.context("allowed at its own prompt first")?;
        }
        self.refused_there().await.context("refused at its own prompt first")?;
        let query = "SELECT q.status, r.decision FROM review_requests q LEFT JOIN replies r USING (request_id) ORDER BY q.created_at";
        let (cancelled, edited) =
            (json!({"status": "cancelled", "decision": null}), json!({"status": "answered", "decision": "approved"}));
        let expected = match program {
            Program::ClaudeCode => [vec![edited], vec![cancelled.clone(); 4]].concat(),
            Program::Codex => vec![cancelled.clone(); 3],
            _ => vec![cancelled.clone(); 4],
        };
        let mut record = self.scene.agent.home.rows(query).await?;
        // The agent's own prompt may come before a hook that starts late: that one finds the person back again, and asks.
        if record.len() > expected.len() {
            assert_eq!(record.pop(), Some(cancelled), "what it asked was answered there as well");
        }
        assert_eq!(record, expected, "the gate allowed what was allowed there, and who is away wasn't asked");
        Ok(())
    }

    async fn changed_by_the_person(&mut self) -> Result<()> {
        let request = self.scene.asks("EDITED").await?;
        self.is_as_expected()?;
        draws_again(&self.terminal, self.shows(), 0).await?;
        self.drawn = times(&self.terminal, self.shows());
        let editable = &request["permission"]["editable"];
        assert_eq!(editable["text"], "EDITED", "what may be changed is the new text: {}", request["permission"]);
        self.scene.answers(&request, json!({"answer": "edited", "text": "changed by the person\n\t"})).await?;
        self.scene.given(2).await?;
        self.expected = self.expected.replace("edited", "changed by the person\n\t");
        self.is_as_expected()?;
        let told = self.scene.agent.model.sections("The person changed the input of this tool");
        assert!(!told.is_empty(), "a model that asked for something else is told so");
        Ok(())
    }

    async fn hook_killed(&mut self) -> Result<()> {
        let request = self.scene.asks("HOOK").await?;
        let asking = self.scene.hooks();
        assert_eq!(asking.len(), 1, "one process asks: {asking:?}");
        asking.iter().try_for_each(Process::kill)?;
        self.scene.nothing_waits().await?;
        self.scene.is_too_late(&request).await?;
        self.its_own_prompt_is_left().await?;
        self.says_yes("hook").await.map(drop)
    }

    async fn gate_killed(&mut self) -> Result<()> {
        let request = self.scene.asks("GATE").await?;
        self.scene.gate.kill().await?;
        self.scene.no_hook_waits().await?;
        self.its_own_prompt_is_left().await?;
        self.scene.gate = self.scene.agent.home.serve().await?;
        self.scene.finds_the_gate().await?;
        self.scene.nothing_waits().await?;
        self.scene.is_too_late(&request).await?;
        // The next question is asked as soon as this one is answered.
        self.scene.page.does(json!({"command": "set_away", "away": true})).await?;
        self.says_yes("gate").await.map(drop)
    }

    async fn person_away(&mut self) -> Result<()> {
        self.its_own_prompt_is_left().await?;
        self.scene.nothing_waits().await?;
        self.scene.page.does(json!({"command": "set_away", "away": false})).await?;
        self.says_yes("away").await.map(drop)
    }

    async fn answered_there(&mut self) -> Result<()> {
        let request = self.scene.asks("THERE").await?;
        self.its_own_prompt_is_left().await?;
        let (expected, drawn) = (self.after("there"), times(&self.terminal, self.shows()));
        let clock = Clock::of_a_yes(&self.scene, &request)?;
        let pressed = self.presses_yes("there", &expected).await?;
        clock.closed(pressed).await?;
        self.scene.is_too_late(&request).await?;
        (self.expected, self.drawn) = (expected, drawn);
        Ok(())
    }

    async fn refused_there(&mut self) -> Result<()> {
        let request = self.scene.asks("LAST").await?;
        if self.scene.agent.program() != Program::Codex {
            self.its_own_prompt_is_left().await?;
        }
        let clock = Clock::of_a_no(&self.scene, &request)?;
        let pressed = self.scene.says_no_at(&self.terminal).await?;
        clock.closed(pressed).await?;
        self.scene.is_too_late(&request).await?;
        self.is_as_expected()
    }

    /// The agent's own prompt stands there, and nothing was done.
    async fn its_own_prompt_is_left(&self) -> Result<()> {
        draws_again(&self.terminal, self.shows(), self.drawn).await?;
        self.is_as_expected()
    }

    async fn says_yes(&mut self, word: &str) -> Result<()> {
        let (expected, drawn) = (self.after(word), times(&self.terminal, self.shows()));
        self.presses_yes(word, &expected).await?;
        (self.expected, self.drawn) = (expected, drawn);
        Ok(())
    }

    async fn presses_yes(&self, word: &str, expected: &str) -> Result<Moment> {
        let (file, yes) = (self.scene.file(FILE), own_prompt_of_edits(self.scene.agent.program()).yes);
        let what = format!("the edit of {word:?}, which was allowed at the agent's own prompt");
        presses(&self.terminal, yes, &what, async || Ok(fs::read_to_string(&file)? == *expected)).await
    }

    /// What the file holds after the edit of this line. Codex ends the last one.
    fn after(&self, word: &str) -> String {
        let after = self.expected.replace(word, &word.to_uppercase());
        match self.scene.agent.program() {
            Program::Codex if !after.ends_with('\n') => after + "\n",
            _ => after,
        }
    }

    fn is_as_expected(&self) -> Result<()> {
        let holds = fs::read_to_string(self.scene.file(FILE))?;
        assert_eq!(holds, self.expected, "nothing is done but what was allowed");
        Ok(())
    }

    fn shows(&self) -> &'static str {
        own_prompt_of_edits(self.scene.agent.program()).shows
    }
}

#[tokio::test]
async fn claude_code_edits_what_is_changed_at_the_gate_or_allowed_at_its_own_prompt() -> Result<()> {
    edits_are_answered_elsewhere(Way::ClaudeCode).await.context("Claude Code")
}

#[tokio::test]
async fn codex_edits_what_is_allowed_at_its_own_prompt() -> Result<()> {
    edits_are_answered_elsewhere(Way::Codex).await.context("Codex")
}

#[tokio::test]
async fn opencode_edits_what_is_allowed_at_its_own_prompt() -> Result<()> {
    edits_are_answered_elsewhere(Way::OpenCode).await.context("opencode")
}
