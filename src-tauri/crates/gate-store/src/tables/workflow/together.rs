//! Acts on jobs as they wait for the writer.

use gate_core::workflow::record::{Acted, Acting, Creating, PublicationActed, PublicationActing};
use sqlx::SqliteConnection;

use super::{acting, creating, deciding};
use crate::error::StoreError;
use crate::tables::acts::{Done, Job};

impl Job for Creating {
    type Given = Acted;

    async fn run(&self, connection: &mut SqliteConnection) -> Result<Done<Acted>, StoreError> {
        creating::create(connection, self).await
    }
}

impl Job for Acting {
    type Given = Acted;

    async fn run(&self, connection: &mut SqliteConnection) -> Result<Done<Acted>, StoreError> {
        acting::act(connection, self).await
    }
}

impl Job for PublicationActing {
    type Given = PublicationActed;

    async fn run(&self, connection: &mut SqliteConnection) -> Result<Done<PublicationActed>, StoreError> {
        deciding::act(connection, self).await
    }
}
