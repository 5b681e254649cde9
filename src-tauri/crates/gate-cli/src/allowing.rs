//! Permission for agents to ask, where a person at a terminal connects their client and didn't say whether to give it:
//! they are shown what it would write, and asked.

use std::io::{self, IsTerminal as _};

use gate_clients::{Change, Client, Connector, Options, Scope};
use gate_core::{Code, Fault};
use gate_link::Home;

use crate::{agents, output};

/// Whether somebody is here to be asked: a person who types at this terminal and reads what is said beside the output.
pub(crate) async fn is_heard(home: &Home) -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal() && !agents::is_above(home).await
}

/// Asks once for all of these clients whether their agents get permission. Nobody is asked where there is nothing to
/// write: it is there already, or is given in the client alone.
///
/// # Errors
/// `unreadable_file` where the terminal can't be read; nothing has been changed then.
pub(crate) fn is_given(
    connector: &Connector,
    clients: &[Client],
    scope: Scope,
    options: Options,
) -> Result<bool, Fault> {
    let plan = |client, allow| connector.plan_connect(client, scope, Options { allow, ..options });
    // What stands in the way of a client's plan is said when that is carried out.
    let beyond = |client: &Client| {
        let changes = plan(*client, true).ok()?.beyond(&plan(*client, false).ok()?);
        (!changes.is_empty()).then_some((client.title(), changes))
    };
    let (names, changes): (Vec<&str>, Vec<Vec<Change>>) = clients.iter().filter_map(beyond).unzip();
    if names.is_empty() {
        return Ok(false);
    }
    output::aside(&format!(
        "With your permission, agents in {} call this server's tools, and read what you attach, without asking you before \
         each call. It would write:",
        names.join(", ")
    ));
    for change in changes.iter().flatten() {
        output::aside(change.diff(&connector.folders().shown(&change.path)).trim_end());
    }
    output::aside("Allow that? Type yes; anything else connects without it:");
    let mut line = String::new();
    io::stdin().read_line(&mut line).map_err(|error| {
        let mend = "Add --allow or --no-allow; nothing was changed.";
        Fault::new(Code::UnreadableFile, format!("The terminal can't be read: {error}."), mend)
    })?;
    Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}
