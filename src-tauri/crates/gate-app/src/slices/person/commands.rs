//! How the person is there.

use gate_api::subjects::person::{Handler, SetAway, SetDoNotDisturb};
use gate_api::{Done, Origin};
use gate_core::Fault;

use crate::slices::Gate;

impl Handler for Gate {
    async fn set_away(&self, SetAway { away }: SetAway, _: Origin) -> Result<Done, Fault> {
        self.inner.person.set_away(away).await?;
        Ok(Done {})
    }

    async fn set_do_not_disturb(&self, asked: SetDoNotDisturb, _: Origin) -> Result<Done, Fault> {
        self.inner.person.set_do_not_disturb(asked.on, asked.until).await?;
        Ok(Done {})
    }
}
