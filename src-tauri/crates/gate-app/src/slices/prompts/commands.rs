//! The prompts: parse, one call, one conversion.

use gate_api::Origin;
use gate_api::subjects::prompts::{
    CancelPromptSync, DeletePrompt, DeletedPrompts, Handler, ImportPrompts, ListDeletedPrompts, ListPromptVersions,
    ListPrompts, ListSyncedPrompts, OpenPrompt, OpenedPrompt, PreviewPrompt, PreviewPromptImport, PreviewedPrompt,
    PromptImportPlan, PromptSync, PromptVersions, Prompts, RestorePrompt, SavePrompt, SyncPrompts, SyncedPrompts,
    UndoPromptImport, UndonePromptImport,
};
use gate_core::Fault;

use crate::slices::Gate;

impl Handler for Gate {
    async fn prompts(&self, _: ListPrompts, _: Origin) -> Result<Prompts, Fault> {
        Ok(Prompts { library: self.inner.prompts.prompts().await? })
    }

    async fn prompt(&self, opened: OpenPrompt, _: Origin) -> Result<OpenedPrompt, Fault> {
        Ok(OpenedPrompt { prompt: self.inner.prompts.prompt_view(&opened.prompt_id).await? })
    }

    async fn preview_prompt(&self, asked: PreviewPrompt, _: Origin) -> Result<PreviewedPrompt, Fault> {
        let preview = self.inner.prompts.preview_prompt(asked.prompt_id, asked.unsaved, asked.arguments).await?;
        Ok(PreviewedPrompt { preview })
    }

    async fn save_prompt(&self, saved: SavePrompt, _: Origin) -> Result<OpenedPrompt, Fault> {
        Ok(OpenedPrompt { prompt: self.inner.prompts.save_prompt(saved.prompt_id, saved.prompt, saved.seen).await? })
    }

    async fn delete_prompt(&self, deleted: DeletePrompt, _: Origin) -> Result<Prompts, Fault> {
        Ok(Prompts { library: self.inner.prompts.delete_prompt(deleted.prompt_id, deleted.seen).await? })
    }

    async fn prompt_versions(&self, asked: ListPromptVersions, _: Origin) -> Result<PromptVersions, Fault> {
        Ok(PromptVersions { versions: self.inner.prompts.prompt_versions(&asked.prompt_id).await? })
    }

    async fn restore_prompt(&self, restored: RestorePrompt, _: Origin) -> Result<OpenedPrompt, Fault> {
        Ok(OpenedPrompt { prompt: self.inner.prompts.restore_prompt(restored.prompt_id, restored.version_id).await? })
    }

    async fn deleted_prompts(&self, _: ListDeletedPrompts, _: Origin) -> Result<DeletedPrompts, Fault> {
        Ok(DeletedPrompts { deleted: self.inner.prompts.deleted_prompts().await? })
    }

    async fn sync_prompts(&self, _: SyncPrompts, _: Origin) -> Result<PromptSync, Fault> {
        Ok(PromptSync { sync: self.inner.prompts.sync_prompts()? })
    }

    async fn cancel_prompt_sync(&self, _: CancelPromptSync, _: Origin) -> Result<PromptSync, Fault> {
        Ok(PromptSync { sync: self.inner.prompts.cancel_prompt_sync() })
    }

    async fn synced_prompts(&self, _: ListSyncedPrompts, _: Origin) -> Result<SyncedPrompts, Fault> {
        self.inner.prompts.synced_prompts().await
    }

    async fn preview_prompt_import(&self, asked: PreviewPromptImport, _: Origin) -> Result<PromptImportPlan, Fault> {
        Ok(PromptImportPlan { import: self.inner.prompts.preview_prompt_import(asked.path, asked.files).await? })
    }

    async fn import_prompts(&self, asked: ImportPrompts, _: Origin) -> Result<PromptImportPlan, Fault> {
        let import = self.inner.prompts.import_prompts(asked.path, asked.files, asked.ids).await?;
        Ok(PromptImportPlan { import })
    }

    async fn undo_prompt_import(&self, undone: UndoPromptImport, _: Origin) -> Result<UndonePromptImport, Fault> {
        Ok(UndonePromptImport { kept: self.inner.prompts.undo_prompt_import(undone.imported).await? })
    }
}
