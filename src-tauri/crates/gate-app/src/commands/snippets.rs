//! The templates for replies.

use gate_api::commands::snippets::{DeleteSnippet, Handler, ListSnippets, SaveSnippet, Snippets, UseSnippet};
use gate_api::{Done, Origin};
use gate_core::{Fault, SnippetId};

use crate::gate::Gate;

impl Handler for Gate {
    async fn snippets(&self, _: ListSnippets, _: Origin) -> Result<Snippets, Fault> {
        self.listed_snippets().await
    }

    async fn save_snippet(&self, saved: SaveSnippet, _: Origin) -> Result<Snippets, Fault> {
        let new = SnippetId(self.inner.bus.new_id());
        self.inner.store.save_snippet(saved.snippet_id, new, &saved.name, &saved.text, self.inner.bus.now()).await?;
        self.listed_snippets().await
    }

    async fn delete_snippet(&self, deleted: DeleteSnippet, _: Origin) -> Result<Snippets, Fault> {
        self.inner.store.delete_snippet(deleted.snippet_id).await?;
        self.listed_snippets().await
    }

    async fn use_snippet(&self, used: UseSnippet, _: Origin) -> Result<Done, Fault> {
        self.inner.store.use_snippet(used.snippet_id, self.inner.bus.now()).await?;
        Ok(Done {})
    }
}

impl Gate {
    async fn listed_snippets(&self) -> Result<Snippets, Fault> {
        Ok(Snippets { snippets: self.inner.store.snippets(self.inner.bus.now()).await? })
    }
}
