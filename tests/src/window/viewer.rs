//! A person at a display over VNC: a viewer's end of the protocol (RFB, RFC 6143), as far as it goes for keys and a
//! pointer. The server takes what comes so for what its own keyboard and pointer do.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use super::screen::Key;

const VERSION: &[u8; 12] = b"RFB 003.008\n";
/// The kind of security that asks for nothing. The socket is the test's own.
const NONE: u8 = 1;
/// Messages of a viewer.
const KEY_EVENT: u8 = 4;
const POINTER_EVENT: u8 = 5;
const LEFT: u8 = 1;
/// How long the server may take over the beginning.
const PATIENCE: Duration = Duration::from_secs(20);

/// A viewer that is connected.
#[derive(Debug)]
pub struct Viewer {
    server: UnixStream,
}

impl Viewer {
    /// Connects to the server that listens here.
    ///
    /// # Errors
    /// When it doesn't let a viewer in.
    pub(crate) fn connect(socket: &Path) -> Result<Self> {
        let mut server = UnixStream::connect(socket).context("no VNC server listens")?;
        server.set_read_timeout(Some(PATIENCE))?;
        let mut version = [0; 12];
        server.read_exact(&mut version)?;
        server.write_all(VERSION)?;
        let mut number = [0];
        server.read_exact(&mut number)?;
        let mut kinds = vec![0; number[0].into()];
        server.read_exact(&mut kinds)?;
        ensure!(kinds.contains(&NONE), "it asks for something: {kinds:?}");
        server.write_all(&[NONE])?;
        let mut result = [0; 4];
        server.read_exact(&mut result)?;
        ensure!(result == [0; 4], "it refuses");
        // Others may be there, too.
        server.write_all(&[1])?;
        let mut screen = [0; 24];
        server.read_exact(&mut screen)?;
        let length = u32::from_be_bytes(screen[20..].try_into()?);
        server.read_exact(&mut vec![0; length.try_into()?])?;
        Ok(Self { server })
    }

    /// Presses keys together, in the order given.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn press(&mut self, keys: &[Key]) -> Result<()> {
        let down = keys.iter().map(|key| (1, key));
        let mut said = Vec::new();
        for (is_down, key) in down.chain(keys.iter().rev().map(|key| (0, key))) {
            said.extend([KEY_EVENT, is_down, 0, 0]);
            said.extend(key.sign().to_be_bytes());
        }
        Ok(self.server.write_all(&said)?)
    }

    /// Moves the pointer there, in pixels from the left and the top of the screen.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn point(&mut self, at: [i64; 2]) -> Result<()> {
        self.pointer(0, at)
    }

    /// Clicks there.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn click(&mut self, at: [i64; 2]) -> Result<()> {
        self.pointer(LEFT, at)?;
        self.pointer(0, at)
    }

    fn pointer(&mut self, buttons: u8, [x, y]: [i64; 2]) -> Result<()> {
        let [x, y] = [u16::try_from(x)?, u16::try_from(y)?].map(u16::to_be_bytes);
        Ok(self.server.write_all(&[POINTER_EVENT, buttons, x[0], x[1], y[0], y[1]])?)
    }
}
