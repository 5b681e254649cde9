//! Making one tree of another. `git write-tree` needs the whole index, and touches objects that are there already.

use crate::error::Error;
use crate::oid::Oid;
use crate::process::Call;
use crate::repository::Repository;

/// What is done to a tree, as a stream for `git fast-import`. Whatever goes is said before what comes, since it may make
/// room for it.
pub(crate) struct NewTree(Vec<u8>);

impl NewTree {
    pub(crate) fn of(base: &Oid) -> Self {
        let text = format!("commit refs/gate/tree\ncommitter gate <> 0 +0000\ndata 0\nM 040000 {base} \"\"\n");
        Self(text.into_bytes())
    }

    pub(crate) fn without(&mut self, path: &[u8]) {
        self.0.extend_from_slice(b"D ");
        self.quote(path);
    }

    pub(crate) fn with(&mut self, path: &[u8], mode: &str, oid: &str) {
        self.0.extend_from_slice(format!("M {mode} {oid} ").as_bytes());
        self.quote(path);
    }

    /// With a file that holds this.
    pub(crate) fn with_contents(&mut self, path: &[u8], mode: &str, holds: &[u8]) {
        self.with(path, mode, "inline");
        self.0.extend_from_slice(format!("data {}\n", holds.len()).as_bytes());
        self.0.extend_from_slice(holds);
        self.0.push(b'\n');
    }

    /// A path as fast-import reads it, and the end of its line.
    fn quote(&mut self, path: &[u8]) {
        self.0.push(b'"');
        for byte in path {
            match byte {
                b' '..=b'~' if !matches!(byte, b'"' | b'\\') => self.0.push(*byte),
                _ => self.0.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
            }
        }
        self.0.extend_from_slice(b"\"\n");
    }

    /// Writes it by this run of git, which is told what to do.
    ///
    /// # Errors
    /// [`Error::Missing`] where a tree on the way isn't there.
    pub(crate) async fn written(
        mut self,
        repository: &Repository,
        call: Call,
        until: crate::process::Until,
    ) -> Result<Oid, Error> {
        // `040000 tree OID\t`
        self.0.extend_from_slice(b"ls \"\"\ndone\n");
        let call =
            call.argument("fast-import").argument("--quiet").argument("--done").argument("--force").input(self.0);
        let said = repository.git.run(call, until).await?;
        let line = repository.lacking(said)?;
        let words = || Error::Git { command: "fast-import".to_owned(), words: "it made no tree".to_owned() };
        line.split(u8::is_ascii_whitespace).nth(2).and_then(Oid::of_bytes).ok_or_else(words)
    }
}
