//! Nobody is there who could allow anything.

use async_trait::async_trait;
use gate_core::{Fault, Owner, PermissionAsk, PermissionSign, PermissionVerdict};

use super::FakeGate;
use crate::permission::{PermissionCall, PermissionPort};

#[async_trait]
impl PermissionPort for FakeGate {
    async fn permit(&self, _: PermissionCall) -> Result<PermissionVerdict, Fault> {
        Ok(PermissionVerdict::Ask { why: PermissionAsk::Nobody })
    }

    async fn sign(&self, _: PermissionSign, _: Owner) -> Result<Option<String>, Fault> {
        Ok(None)
    }
}
