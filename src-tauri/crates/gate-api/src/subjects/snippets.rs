//! The person's snippets.

use gate_core::{Snippet, SnippetId};
use serde::{Deserialize, Serialize};

use crate::commands;
use crate::done::Done;

commands! {
    /// The person's snippets, the likeliest first.
    snippets: ListSnippets {} -> Snippets, by Anyone, Look;

    /// Stores a snippet. `name_taken` where another has the name.
    save_snippet: SaveSnippet {
        /// Which one is changed; absent for a new one.
        #[serde(default)]
        snippet_id: Option<SnippetId>,
        /// What it is called.
        name: String,
        /// What it puts into a reply.
        text: String,
    } -> Snippets, by Answerer, Act;

    /// Deletes a snippet.
    delete_snippet: DeleteSnippet {
        /// Which one.
        snippet_id: SnippetId,
    } -> Snippets, by Answerer, Act;

    /// Counts that a snippet was put into a reply.
    use_snippet: UseSnippet {
        /// Which one.
        snippet_id: SnippetId,
    } -> Done, by Answerer, Act;
}

/// The person's snippets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Snippets {
    /// The likeliest first.
    pub snippets: Vec<Snippet>,
}
