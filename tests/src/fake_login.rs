//! logind, as the app asks it on the system bus who is logged in where: one session of this user, at a seat.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use zbus::{Connection, OwnedObjectPath, connection, interface};

use crate::home::Home;
use crate::window::Display;

const MANAGER: (&str, &str) = ("org.freedesktop.login1", "/org/freedesktop/login1");
const SESSION: &str = "/org/freedesktop/login1/session/one";

/// A login session in the making.
#[derive(Debug)]
pub struct FakeLogin {
    _bus: Connection,
    at: Arc<Mutex<String>>,
}

struct Manager(u32);

#[interface(name = "org.freedesktop.login1.Manager")]
impl Manager {
    async fn list_sessions(&self) -> Vec<(String, u32, String, String, OwnedObjectPath)> {
        let path = OwnedObjectPath::try_from(SESSION).ok();
        path.into_iter().map(|path| ("1".to_owned(), self.0, "me".to_owned(), "seat0".to_owned(), path)).collect()
    }
}

struct Session(Arc<Mutex<String>>);

#[interface(name = "org.freedesktop.login1.Session")]
impl Session {
    #[zbus(property)]
    async fn active(&self) -> bool {
        true
    }

    #[zbus(property)]
    async fn display(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl FakeLogin {
    /// Says on a display's bus that the owner of a home is logged in at this display. To be called before the app starts.
    ///
    /// # Errors
    /// When the bus doesn't let it.
    pub async fn start(display: &Display, home: &Home, at: &str) -> Result<Self> {
        let user = fs::metadata(home.path())?.uid();
        let at = Arc::new(Mutex::new(at.to_owned()));
        let bus = connection::Builder::address(display.bus())
            .serve_at(MANAGER.1, Manager(user))
            .serve_at(SESSION, Session(Arc::clone(&at)))
            .name(MANAGER.0)
            .build()
            .await
            .context("nobody can be logged in")?;
        Ok(Self { _bus: bus, at })
    }

    /// From now on they sit at this one.
    pub fn sits_at(&self, at: &str) {
        at.clone_into(&mut self.at.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
