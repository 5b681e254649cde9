//! What the gate offers real agents besides its tools: a prompt is called by its slash command, a resource is read and
//! mentioned, and the model is told the gate's instructions.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail};
use gate_tests::{Agent, Program, Ran, RealAgent, Section, Turn};
use serde_json::{Value, json};

/// A prompt that comes with the program, the file that it is called for, and what it then says.
pub(crate) const PROMPT: &str = "code_review";
pub(crate) const FILE: &str = "src/parser.rs";
const SAID: &str = "Look at `src/parser.rs`, and at whatever else you have to read to judge it";

/// Resources that all agents are listed, and what stands in them: one that the model reads, one that the person mentions.
const READ: (&str, &str) =
    ("file://review-gate/templates/security_review", "who wants to misuse it and has its source");
const MENTIONED: (&str, &str) = ("file://review-gate/templates/testing_review", "would they fail if it were wrong?");

/// The agent's own tools that list resources and read one, and what the latter is asked.
fn tools(program: Program) -> (&'static str, &'static str, Value) {
    let of_a_server = json!({"server": "review-gate", "uri": READ.0});
    match program {
        Program::ClaudeCode => ("ListMcpResourcesTool", "ReadMcpResourceTool", of_a_server),
        Program::Codex | Program::OpenCode => ("list_mcp_resources", "read_mcp_resource", of_a_server),
        Program::Gemini => ("list_mcp_resources", "read_mcp_resource", json!({"uri": READ.0})),
    }
}

/// The model lists the resources, and reads one.
pub(crate) fn turns(program: Program) -> [Turn; 2] {
    let (list, read, asked) = tools(program);
    [Turn::Call(list, json!({})), Turn::Call(read, asked)]
}

/// Looks at what the model got of the list and of the resource.
pub(crate) fn were_read(program: Program, list: &str, resource: &str) {
    assert!(list.contains(READ.0), "{program:?} lists the prompts: {list}");
    assert!(resource.contains(READ.1), "{program:?} reads one: {resource}");
}

/// The gate's instructions, as every client is told them when it connects. Starts the gate.
pub(crate) async fn instructions(agent: &RealAgent) -> Result<String> {
    let server = Agent::spawn(&agent.home)?.initialize("one").await?;
    Ok(server["instructions"].as_str().context("the gate has instructions")?.to_owned())
}

/// The cells of an agent that was started on the prompt: what the gate offers has reached the model, as far as the agent
/// knows of such things where nobody is at its terminal.
pub(crate) async fn row(program: Program, agent: &RealAgent, instructions: &str, ended: &Ran) -> Result<String> {
    let in_conversation = BTreeSet::from([Section::Conversation]);
    let command = agent.slash_command(PROMPT);
    let prompt = if agent.model.sections(SAID).is_empty() {
        let plain = agent.model.sections(&format!("{command} {FILE}"));
        assert_eq!(plain, in_conversation, "{program:?} hands on the prompt, or the words that call it: {ended:?}");
        "has none".to_owned()
    } else {
        assert_eq!(agent.model.sections(SAID), in_conversation, "{program:?}: the person said it");
        format!("`{command}`")
    };

    agent.model.says(vec![Turn::Say("I have seen it.")]);
    let mention = format!("@review-gate:{}", MENTIONED.0);
    let ended = agent.ended(agent.start_on(&format!("{mention} What is asked there?"))?).await?;
    assert_eq!(agent.model.sections(&mention), in_conversation, "{program:?} hands on what mentions it: {ended:?}");
    let mention = match agent.model.sections(MENTIONED.1) {
        sections if sections.is_empty() => "has none",
        sections => {
            assert_eq!(sections, in_conversation, "{program:?}: beside what the person said");
            "yes"
        }
    };

    let sections: Vec<Section> = agent.model.sections(instructions).into_iter().collect();
    let section = match sections[..] {
        [Section::System] => "system prompt",
        [Section::Conversation] => "conversation",
        [Section::Tools] => "tools",
        _ => bail!("{program:?} hands on the instructions in one section, not in {sections:?}"),
    };
    let (_, tool, _) = tools(program);
    Ok(format!("{prompt} | `{tool}` | {mention} | {section}"))
}
