//! Changes of guards as lines of the receipts: what `guards.json` says makes none weaker unless a line says it, too.

use std::collections::BTreeMap;
use std::sync::Arc;

use gate_core::{AnsweredFrom, Fault};
use gate_receipts::Guard;
use gate_settings::{Changed, Values, check, entry};
use serde_json::Value;

use super::{Configured, InForce};
use crate::slices::receipts::planted_guards;
use crate::work::blocking;

impl InForce {
    /// What is confirmed of guards, as JSON: what was so before there were receipts.
    pub(crate) fn confirmed(&self) -> Vec<(String, String)> {
        let said = self.file().said_confirmed().into_iter();
        said.map(|(key, value)| (key.to_owned(), value.to_string())).collect()
    }
}

impl Configured {
    /// Holds what is confirmed of guards against the receipts, and tells of what isn't there. Reads them only where
    /// there is anything to compare.
    pub(super) async fn vouch(self: &Arc<Self>) -> Result<(), Fault> {
        let settings = Arc::clone(self);
        let is_said = blocking(move || Ok(!settings.in_force.file().said_confirmed().is_empty())).await?;
        match is_said {
            true => self.vouch_for_all().await,
            false => self.vouch_for(Ok(BTreeMap::new())).await,
        }
    }

    /// The same, and holds what is confirmed next against them, too.
    async fn vouch_for_all(self: &Arc<Self>) -> Result<(), Fault> {
        self.vouch_for(self.receipts.guards().await).await
    }

    async fn vouch_for(self: &Arc<Self>, vouched: Result<BTreeMap<String, Guard>, Fault>) -> Result<(), Fault> {
        let vouched = match vouched {
            Ok(vouched) => vouched,
            Err(fault) => {
                // What nobody can vouch for doesn't hold.
                let settings = Arc::clone(self);
                let nothing = blocking(move || {
                    settings.in_force.file().vouch(Values::new());
                    Ok(())
                });
                nothing.await?;
                return Err(fault);
            }
        };
        let said = vouched.into_values().filter_map(|guard| {
            let known = entry(&guard.setting)?;
            Some((known.key, guard.now.and_then(|now| serde_json::from_str(&now).ok()).unwrap_or_else(known.default)))
        });
        let vouched: Values = said.collect();
        let settings = Arc::clone(self);
        let planted = blocking(move || {
            let file = settings.in_force.file();
            file.vouch(vouched);
            Ok(file.unvouched().into_iter().map(|key| format!("`{key}`")).collect::<Vec<_>>())
        });
        let planted = planted.await?;
        if !planted.is_empty() {
            self.bus.warn(planted_guards(&planted));
        }
        Ok(())
    }

    /// As [`Self::vouch`], of settings that were read before the receipts were.
    pub(super) async fn vouch_and_read_again(self: &Arc<Self>) -> Result<(), Fault> {
        self.vouch().await?;
        self.read_settings().await.map(drop)
    }

    /// Writes that the person has confirmed a weaker value of a guard, before it holds. What is no guard, or no value of
    /// it, has no line: it is refused behind this.
    pub(super) async fn note_weaker(
        self: &Arc<Self>,
        key: &str,
        value: &Value,
        given: AnsweredFrom,
    ) -> Result<(), Fault> {
        let Some(known) = entry(key).filter(|known| known.guard.is_some()) else { return Ok(()) };
        let value = check(known, value).value.filter(|value| !value.is_null()).unwrap_or_else(known.default);
        let was = self.loaded().values.get(known.key).map(Value::to_string);
        self.receipts.guard(known.key, was, Some(value.to_string()), given).await?;
        // Nothing may be confirmed yet: what is, a moment later, is what that line says.
        self.vouch_for_all().await
    }

    /// Writes which guards were made safer: what was confirmed before holds no more, whoever writes it again.
    pub(super) async fn note_safer(self: &Arc<Self>, changed: &[Changed], given: AnsweredFrom) {
        for Changed { key, from, to } in changed {
            let Some((known, guard)) = entry(key).and_then(|known| Some((known, known.guard?))) else { continue };
            let or_default = |value: &Value| if value.is_null() { (known.default)() } else { value.clone() };
            if guard.is_weaker(&or_default(to), &or_default(from)) {
                continue;
            }
            let json = |value: &Value| (!value.is_null()).then(|| value.to_string());
            self.receipts.guard_is_safer(known.key, json(from), json(to), given).await;
            self.vouch_or_warn().await;
        }
    }

    /// Writes that a guard stays as it was, although the person has confirmed a weaker value a moment ago.
    pub(super) async fn note_unchanged(self: &Arc<Self>, key: &str, value: &Value, given: AnsweredFrom) {
        let Some(known) = entry(key).filter(|known| known.guard.is_some()) else { return };
        let now = if value.is_null() { (known.default)() } else { value.clone() };
        self.receipts.guard_is_safer(known.key, None, Some(now.to_string()), given).await;
        self.vouch_or_warn().await;
    }

    async fn vouch_or_warn(self: &Arc<Self>) {
        if let Err(fault) = self.vouch().await {
            self.bus.warn(fault);
        }
    }
}
