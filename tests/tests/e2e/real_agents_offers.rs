//! Real agents and what the gate offers besides its tools: a prompt is called by its slash command, a resource is read
//! and mentioned, and the model is told the gate's instructions.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail};
use gate_tests::{Agent, NoNetwork, Place, Program, RealAgent, Turn};
use serde_json::{Value, json};

use crate::real_agents::stands_in_the_table;
use crate::real_agents_waiting::given;

/// What the table of this module's tests stands under.
const TABLE: &str = "## Prompts, resources and instructions";

/// A prompt that comes with the program, the file that it is called for, and what it then says.
const PROMPT: &str = "code_review";
const FILE: &str = "src/parser.rs";
const SAID: &str = "Look at `src/parser.rs`, and at whatever else you have to read to judge it";

/// The agent's own tools that list resources and read one, and what the latter is asked.
fn tools(program: Program, uri: &str) -> (&'static str, &'static str, Value) {
    let of_a_server = json!({"server": "review-gate", "uri": uri});
    match program {
        Program::ClaudeCode => ("ListMcpResourcesTool", "ReadMcpResourceTool", of_a_server),
        Program::Codex | Program::OpenCode => ("list_mcp_resources", "read_mcp_resource", of_a_server),
        Program::Gemini => ("list_mcp_resources", "read_mcp_resource", json!({"uri": uri})),
    }
}

/// Resources that all agents are listed, and what stands in them: one that the model reads, one that the person mentions.
const READ: (&str, &str) =
    ("file://review-gate/templates/security_review", "who wants to misuse it and has its source");
const MENTIONED: (&str, &str) = ("file://review-gate/templates/testing_review", "would they fail if it were wrong?");

/// What the gate offers reaches the model of an agent, as far as the agent knows of such things where nobody is at its
/// terminal.
async fn what_is_offered_arrives(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let Some(agent) = RealAgent::new(program, Vec::new()).await? else { return Ok(()) };
    agent.install(&["--allow"]).await?;
    let server = Agent::spawn(&agent.home)?.initialize("one").await?;
    let instructions = server["instructions"].as_str().context("the gate has instructions")?;
    let in_conversation = BTreeSet::from([Place::Conversation]);

    let (list, read, asked) = tools(program, READ.0);
    agent.model.says(vec![Turn::Call(list, json!({})), Turn::Call(read, asked), Turn::Say("I have read it.")]);
    let ended = agent.ended(agent.start_on_prompt(PROMPT, FILE)?).await?;
    let told = given(&agent);
    assert_eq!(told.len(), 2, "{program:?} has tools for resources: {:?}; {ended:?}", agent.model.offered());
    assert!(told[0].contains(READ.0), "{program:?} lists the prompts: {told:?}");
    assert!(told[1].contains(READ.1), "{program:?} reads one: {told:?}");
    let command = agent.slash_command(PROMPT);
    let prompt = if agent.model.places(SAID).is_empty() {
        let plain = agent.model.places(&format!("{command} {FILE}"));
        assert_eq!(plain, in_conversation, "{program:?} hands on the prompt, or the words that call it: {ended:?}");
        "has none".to_owned()
    } else {
        assert_eq!(agent.model.places(SAID), in_conversation, "{program:?}: the person said it");
        format!("`{command}`")
    };

    agent.model.says(vec![Turn::Say("I have seen it.")]);
    let mention = format!("@review-gate:{}", MENTIONED.0);
    let ended = agent.ended(agent.start_on(&format!("{mention} What is asked there?"))?).await?;
    assert_eq!(agent.model.places(&mention), in_conversation, "{program:?} hands on what mentions it: {ended:?}");
    let mention = match agent.model.places(MENTIONED.1) {
        places if places.is_empty() => "has none",
        places => {
            assert_eq!(places, in_conversation, "{program:?}: beside what the person said");
            "yes"
        }
    };

    let places: Vec<Place> = agent.model.places(instructions).into_iter().collect();
    let place = match places[..] {
        [Place::System] => "system prompt",
        [Place::Conversation] => "conversation",
        [Place::Tools] => "tools",
        _ => bail!("{program:?} hands on the instructions in one place, not in {places:?}"),
    };
    stands_in_the_table(TABLE, &agent.name()?, &format!("{prompt} | `{read}` | {mention} | {place}"))
}

#[tokio::test]
async fn claude_code_hands_on_what_is_offered() -> Result<()> {
    what_is_offered_arrives(Program::ClaudeCode).await
}

#[tokio::test]
async fn codex_hands_on_what_is_offered() -> Result<()> {
    what_is_offered_arrives(Program::Codex).await
}

#[tokio::test]
async fn gemini_cli_hands_on_what_is_offered() -> Result<()> {
    what_is_offered_arrives(Program::Gemini).await
}

#[tokio::test]
async fn opencode_hands_on_what_is_offered() -> Result<()> {
    what_is_offered_arrives(Program::OpenCode).await
}
