//! The commands on security keys.

use gate_api::subjects::keys::{
    AddPageKey, AddSecurityKey, BeginPageKey, GiveTouch, Handler, ListSecurityKeys, NoTouch, PageKeyBegun,
    RemoveSecurityKey, SecurityKeys,
};
use gate_api::{Done, Origin};
use gate_core::Fault;

use crate::slices::Gate;
use crate::slices::receipts::given;

impl Handler for Gate {
    async fn security_keys(&self, _: ListSecurityKeys, _: Origin) -> Result<SecurityKeys, Fault> {
        self.inner.signing.keys.list().await
    }

    async fn add_security_key(&self, added: AddSecurityKey, origin: Origin) -> Result<SecurityKeys, Fault> {
        self.inner.signing.keys.add(&added.file, given(origin)).await?;
        self.inner.signing.keys.list().await
    }

    async fn remove_security_key(&self, removed: RemoveSecurityKey, origin: Origin) -> Result<SecurityKeys, Fault> {
        self.inner.signing.keys.remove(&removed.key, given(origin)).await?;
        self.inner.signing.keys.list().await
    }

    async fn begin_page_key(&self, _: BeginPageKey, _: Origin) -> Result<PageKeyBegun, Fault> {
        self.inner.signing.page.begin()
    }

    async fn add_page_key(&self, added: AddPageKey, origin: Origin) -> Result<SecurityKeys, Fault> {
        let AddPageKey { name, authenticator, client } = added;
        self.inner.signing.page.add(&name, &authenticator, &client, given(origin)).await?;
        self.inner.signing.keys.list().await
    }

    async fn give_touch(&self, touch: GiveTouch, _: Origin) -> Result<Done, Fault> {
        self.inner.signing.page.touched(&touch)?;
        Ok(Done {})
    }

    async fn no_touch(&self, told: NoTouch, _: Origin) -> Result<Done, Fault> {
        self.inner.signing.page.not_touched(told.request_id, &told.error);
        Ok(Done {})
    }
}
