//! The agent that shows polkit's prompts in the person's session, as every desktop has one, without a window: a person of
//! the test types the password, which `polkit-agent-helper-1` has PAM check.

use std::collections::HashMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Command;
use tokio::sync::{Notify, mpsc};
use zbus::{Connection, OwnedVariant, Variant, interface};

use crate::machine::{PASSWORD, PERSON};

const HELPERS: [&str; 2] = ["/usr/lib/polkit-1/polkit-agent-helper-1", "/usr/libexec/polkit-agent-helper-1"];
const PATH: &str = "/agent";

/// What the person does at the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Person {
    /// Types the password.
    Types,
    /// Types another.
    Mistypes,
    /// Closes it.
    Closes,
    /// Leaves it there.
    IsAway,
}

/// What polkit told the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Told {
    /// Show this.
    Prompt {
        action: String,
        message: String,
        /// Who may authenticate.
        users: Vec<u32>,
    },
    /// Close it.
    Close,
}

/// What an agent says when its prompt was closed.
#[derive(Debug, zbus::DBusError)]
#[zbus(prefix = "org.freedesktop.PolicyKit1.Error")]
enum Closed {
    #[zbus(error)]
    Bus(zbus::Error),
    Cancelled(String),
}

struct Prompts {
    person: Person,
    told: mpsc::UnboundedSender<Told>,
    close: Arc<Notify>,
}

#[interface(name = "org.freedesktop.PolicyKit1.AuthenticationAgent")]
impl Prompts {
    async fn begin_authentication(
        &self,
        action: String,
        message: String,
        _icon: String,
        _details: HashMap<String, String>,
        cookie: String,
        identities: Vec<(String, HashMap<String, OwnedVariant>)>,
    ) -> Result<(), Closed> {
        let user = |of: &HashMap<String, OwnedVariant>| of.get("uid").and_then(|uid| u32::try_from(uid).ok());
        let users = identities.iter().filter_map(|(_, details)| user(details)).collect();
        let _ = self.told.send(Told::Prompt { action, message, users });
        match self.person {
            Person::Types => typed(&cookie, PASSWORD).await,
            Person::Mistypes => typed(&cookie, "wrong horse").await,
            Person::Closes => return Err(Closed::Cancelled("closed".to_owned())),
            Person::IsAway => {
                self.close.notified().await;
                return Err(Closed::Cancelled("closed".to_owned()));
            }
        }
        Ok(())
    }

    async fn cancel_authentication(&self, _cookie: String) {
        let _ = self.told.send(Told::Close);
        self.close.notify_one();
    }
}

/// Has PAM check a password, as an agent of a desktop does: the helper is root, and tells polkit.
async fn typed(cookie: &str, password: &str) {
    let helper = HELPERS.into_iter().find(|path| Path::new(path).is_file()).expect("polkitd brings it");
    let mut command = Command::new(helper);
    command.arg(PERSON.0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn().expect("it starts");
    let mut to = child.stdin.take().expect("it is a pipe");
    let mut from = BufReader::new(child.stdout.take().expect("it is a pipe")).lines();
    to.write_all(format!("{cookie}\n").as_bytes()).await.expect("it reads");
    while let Ok(Some(line)) = from.next_line().await {
        if line.starts_with("PAM_PROMPT_ECHO_OFF") {
            to.write_all(format!("{password}\n").as_bytes()).await.expect("it reads");
        }
    }
    let _ = child.wait().await;
}

/// An agent for this process, until it is taken away.
pub(crate) struct Agent {
    bus: Connection,
    pub(crate) told: mpsc::UnboundedReceiver<Told>,
}

impl Agent {
    pub(crate) async fn begin(person: Person, locale: &str) -> Self {
        let (tell, told) = mpsc::unbounded_channel();
        let bus = Connection::system().await.expect("there is a bus");
        let prompts = Prompts { person, told: tell, close: Arc::new(Notify::new()) };
        bus.object_server().at(PATH, prompts).await.expect("nothing is there");
        let agent = Self { bus, told };
        agent.says("RegisterAuthenticationAgent", &(subject(), locale, PATH)).await;
        agent
    }

    pub(crate) async fn end(self) -> Vec<Told> {
        self.says("UnregisterAuthenticationAgent", &(subject(), PATH)).await;
        let mut told = self.told;
        std::iter::from_fn(|| told.try_recv().ok()).collect()
    }

    async fn says(&self, method: &str, body: &(impl Serialize + zbus::DynamicType)) {
        let name = "org.freedesktop.PolicyKit1";
        let said = self.bus.call_method(
            Some(name),
            "/org/freedesktop/PolicyKit1/Authority",
            Some("org.freedesktop.PolicyKit1.Authority"),
            method,
            body,
        );
        said.await.expect("polkit takes it");
    }
}

/// This process, as polkit names it.
fn subject() -> (&'static str, HashMap<&'static str, Variant<'static>>) {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("it is there");
    let fields = stat.rsplit_once(')').expect("the name is in brackets").1;
    let start: u64 = fields.split_whitespace().nth(19).expect("it has 52").parse().expect("it is a number");
    let process = [("pid", Variant::from(std::process::id())), ("start-time", Variant::from(start))];
    ("unix-process", HashMap::from(process))
}
