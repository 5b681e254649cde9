//! The prompts as they are served over MCP.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use gate_core::{Caller, Fault, PromptList, PromptSource, RenderedPrompt};
use gate_mcp::{PromptPort, PromptTimes};

use crate::slices::Gate;

#[async_trait]
impl PromptPort for Gate {
    fn prompts(&self) -> Arc<PromptList> {
        Arc::clone(&self.inner.prompts.current().list)
    }

    fn prompt_times(&self) -> Arc<PromptTimes> {
        self.inner.prompts.times()
    }

    async fn prompt(
        &self,
        caller: &Caller,
        id: &str,
        arguments: &BTreeMap<String, String>,
    ) -> Result<RenderedPrompt, Fault> {
        self.inner.prompts.render_prompt(caller, id, arguments).await
    }

    fn prompt_source(&self, id: &str) -> Option<PromptSource> {
        self.inner.prompts.current().source(id)
    }

    async fn workspace_files(&self, caller: &Caller, like: &str) -> Result<(Vec<String>, bool), Fault> {
        let (files, more) = self.inner.requests.files_where_it_works(&caller.workspace, like).await?;
        Ok((files.into_iter().map(|file| file.path).collect(), more))
    }
}
