//! The prompts: parse, one call, one conversion.

use gate_api::Origin;
use gate_api::subjects::prompts::{
    DeletePrompt, Handler, ImportPrompts, ListPromptVersions, ListPrompts, OpenPrompt, OpenedPrompt, PreviewPrompt,
    PreviewPromptImport, PreviewedPrompt, PromptImportPlan, PromptSync, PromptVersions, Prompts, RestorePrompt,
    SavePrompt, SyncPrompts,
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

    async fn sync_prompts(&self, _: SyncPrompts, _: Origin) -> Result<PromptSync, Fault> {
        Ok(PromptSync { sync: self.inner.prompts.sync_prompts()? })
    }

    async fn preview_prompt_import(&self, asked: PreviewPromptImport, _: Origin) -> Result<PromptImportPlan, Fault> {
        Ok(PromptImportPlan { import: self.inner.prompts.preview_prompt_import(asked.path).await? })
    }

    async fn import_prompts(&self, imported: ImportPrompts, _: Origin) -> Result<PromptImportPlan, Fault> {
        Ok(PromptImportPlan { import: self.inner.prompts.import_prompts(imported.path, imported.ids).await? })
    }
}
