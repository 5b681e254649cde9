//! The gate's end where no such service can be: it is never there.

use std::convert::Infallible;
use std::path::Path;

use gate_receipts::{Head, HomeId, Line, PublicKey};

use crate::refused::{Refused, Why};

/// Where the service would be.
#[derive(Debug, Clone, Default)]
pub struct Client(());

/// A service that is there: not here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// The program's version.
    pub version: String,
    /// Its key.
    pub key: PublicKey,
    /// The lines of the home that it remembers, newest first.
    pub heads: Vec<Head>,
}

/// A receipt that the person confirmed: there is none.
#[derive(Debug)]
pub struct Confirmed(Infallible);

impl Client {
    /// As on other systems.
    #[must_use]
    pub fn at(_socket: &Path) -> Self {
        Self(())
    }

    /// Never.
    ///
    /// # Errors
    /// Always.
    pub async fn reachable(&self, _home: Option<HomeId>) -> Result<Reached, Refused> {
        Err(absent())
    }

    /// Never.
    ///
    /// # Errors
    /// Always.
    pub async fn known(&self, _home: Option<HomeId>) -> Result<Reached, Refused> {
        Err(absent())
    }

    /// Never.
    ///
    /// # Errors
    /// Always.
    pub async fn confirm(
        &self,
        _line: &Line,
        _question: &str,
        _on_digits: impl FnOnce(&str),
    ) -> Result<Confirmed, Refused> {
        Err(absent())
    }
}

impl Confirmed {
    /// As on other systems.
    #[must_use]
    pub fn line(&self) -> &Line {
        match self.0 {}
    }

    /// As on other systems.
    #[must_use]
    pub fn key(&self) -> &PublicKey {
        match self.0 {}
    }

    /// As on other systems.
    ///
    /// # Errors
    /// None: there is none of these.
    pub async fn again(&mut self, _line: &Line) -> Result<(), Refused> {
        match self.0 {}
    }

    /// As on other systems.
    ///
    /// # Errors
    /// None: there is none of these.
    pub async fn kept(self) -> Result<(), Refused> {
        match self.0 {}
    }
}

fn absent() -> Refused {
    Refused::new(Why::Absent, "There is no review-gated on this system, only on Linux.")
}
