//! A user's folders that belong to one test.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gate_clients::{Client, Connector, Done, Folders, Options, Platform, Scope, Start};
use gate_core::Fault;
use tempfile::TempDir;

pub(crate) struct World {
    folder: TempDir,
    pub(crate) connector: Connector,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with_program("/opt/review gate/bin/review-gate")
    }

    pub(crate) fn with_program(program: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Folders of people whose language isn't English.
        let home = folder.path().join("Zoë 家");
        let project = home.join("Projekt ü");
        fs::create_dir_all(&project).unwrap();
        let folders = Folders::below(&home, Platform::Linux).with_project(&project);
        let connector =
            Connector::new(folders, folder.path().join("gate"), Start { program: program.into(), home: None });
        Self { folder, connector }
    }

    pub(crate) fn home(&self) -> &Path {
        &self.connector.folders().home
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.connector.folders().project.clone().unwrap()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("gate")
    }

    /// The folder with the copies of what people attach.
    pub(crate) fn copies(&self) -> PathBuf {
        self.data().join(gate_clients::COPIES)
    }

    /// The file that a client reads its servers from.
    pub(crate) fn file(&self, client: Client, scope: Scope) -> Option<PathBuf> {
        let states = gate_clients::states(self.connector.folders());
        let state = states.into_iter().find(|state| state.client == client).unwrap();
        state.files.into_iter().find(|file| file.scope == scope).map(|file| file.path)
    }

    /// Writes that file.
    pub(crate) fn write(&self, client: Client, bytes: impl AsRef<[u8]>) -> PathBuf {
        let file = self.file(client, Scope::User).unwrap();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, bytes).unwrap();
        file
    }

    pub(crate) fn connect(&self, client: Client, scope: Scope, options: Options) -> Result<Done, Fault> {
        self.connector.carry_out(&self.connector.plan_connect(client, scope, options)?)
    }

    pub(crate) fn disconnect(&self, client: Client, scope: Scope) -> Result<Done, Fault> {
        self.connector.carry_out(&self.connector.plan_disconnect(client, scope)?)
    }

    /// Everything in the user's folder: files with their bytes, folders, links with where they lead.
    pub(crate) fn everything(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.home().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let kind = fs::symlink_metadata(&path).unwrap().file_type();
                let content = if kind.is_symlink() {
                    fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                } else if kind.is_dir() {
                    folders.push(path.clone());
                    b"a folder".to_vec()
                } else {
                    fs::read(&path).unwrap()
                };
                found.insert(path, content);
            }
        }
        found
    }

    /// Whether a client has our entry, and it starts this program.
    pub(crate) fn is_connected(&self, client: Client, scope: Scope) -> bool {
        let program = "/opt/review gate/bin/review-gate";
        gate_clients::configured(self.connector.folders()).into_iter().any(|found| {
            let entries = found.entries.unwrap_or_default();
            let ours = |entry: &gate_clients::Entry| {
                entry.name == gate_clients::NAME && entry.command.as_deref() == Some(program) && entry.args == ["mcp"]
            };
            found.client == client && found.scope == scope && entries.iter().any(ours)
        })
    }
}
