//! The snippets that the person keeps. Knows no request.

use gate_api::subjects::snippets::{DeleteSnippet, Handler, ListSnippets, SaveSnippet, Snippets as Listed, UseSnippet};
use gate_api::{Done, Origin};
use gate_core::{Fault, SnippetId};
use gate_store::Store;

use crate::bus::Bus;
use crate::slices::Gate;

/// The person's snippets.
#[derive(Debug)]
pub(crate) struct Snippets {
    store: Store,
    bus: Bus,
}

impl Snippets {
    /// The snippets in this record.
    pub(crate) fn new(store: Store, bus: Bus) -> Self {
        Self { store, bus }
    }

    async fn all(&self) -> Result<Listed, Fault> {
        Ok(Listed { snippets: self.store.snippets(self.bus.now()).await? })
    }

    async fn save(&self, saved: SaveSnippet) -> Result<Listed, Fault> {
        let new = SnippetId(self.bus.new_id());
        self.store.save_snippet(saved.snippet_id, new, &saved.name, &saved.text, self.bus.now()).await?;
        self.all().await
    }

    async fn delete(&self, snippet: SnippetId) -> Result<Listed, Fault> {
        self.store.delete_snippet(snippet).await?;
        self.all().await
    }

    async fn was_used(&self, snippet: SnippetId) -> Result<(), Fault> {
        Ok(self.store.use_snippet(snippet, self.bus.now()).await?)
    }
}

impl Handler for Gate {
    async fn snippets(&self, _: ListSnippets, _: Origin) -> Result<Listed, Fault> {
        self.inner.snippets.all().await
    }

    async fn save_snippet(&self, saved: SaveSnippet, _: Origin) -> Result<Listed, Fault> {
        self.inner.snippets.save(saved).await
    }

    async fn delete_snippet(&self, deleted: DeleteSnippet, _: Origin) -> Result<Listed, Fault> {
        self.inner.snippets.delete(deleted.snippet_id).await
    }

    async fn use_snippet(&self, used: UseSnippet, _: Origin) -> Result<Done, Fault> {
        self.inner.snippets.was_used(used.snippet_id).await?;
        Ok(Done {})
    }
}
