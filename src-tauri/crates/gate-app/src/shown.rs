//! What agents have said as a person sees it: nothing in it is hidden or turns the reading direction.

use gate_core::Progress;
use gate_core::markdown::visible;

/// The last part of a folder's path, as a person sees it.
pub(crate) fn workspace_name(workspace: &str) -> String {
    visible(workspace.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default())
}

/// Progress as a person sees it: nothing in its texts is hidden or turns the reading direction.
pub(crate) fn shown(progress: &Progress) -> Progress {
    let mut progress = progress.clone();
    progress.status_message = progress.status_message.as_deref().map(visible);
    progress.step_name = progress.step_name.as_deref().map(visible);
    for step in &mut progress.steps {
        step.name = visible(&step.name);
    }
    progress
}
