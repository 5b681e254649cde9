//! The prompts that the program itself brings.

use std::sync::Arc;

use gate_core::{PromptFormat, PromptOrigin, Timestamp};
use sha2::{Digest as _, Sha256};

use crate::file;
use crate::set::{Layer, LayerFile, LayerPartial};

/// When what is below was last changed: 2026-11-28.
pub const CHANGED: Timestamp = Timestamp(1_795_824_000_000);

const PROMPTS: [(&str, &str); 5] = [
    ("code_review", include_str!("../prompts/code_review.yaml")),
    ("documentation_check", include_str!("../prompts/documentation_check.yaml")),
    ("performance_review", include_str!("../prompts/performance_review.yaml")),
    ("security_review", include_str!("../prompts/security_review.yaml")),
    ("testing_review", include_str!("../prompts/testing_review.yaml")),
];

/// What the built-in prompts share, and others may put in as well.
const PARTIALS: [(&str, &str); 3] = [
    ("review/ask", include_str!("../prompts/_partials/review/ask.md")),
    ("review/proposal", include_str!("../prompts/_partials/review/proposal.md")),
    ("review/scope", include_str!("../prompts/_partials/review/scope.md")),
];

/// Names a text: SHA-256 in hexadecimal.
pub(crate) fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn layer() -> Layer {
    let files = PROMPTS.iter().map(|(id, text)| LayerFile {
        id: (*id).to_owned(),
        file: String::new(),
        format: PromptFormat::Yaml,
        text: Arc::from(*text),
        sha256: sha256(text),
        read: Arc::new(file::read(text, PromptFormat::Yaml)),
        good: None,
    });
    let partials = PARTIALS.iter().map(|(name, text)| {
        let (compiled, troubles) = file::read_partial(text);
        let file = format!("_partials/{name}.md");
        LayerPartial {
            name: (*name).to_owned(),
            file,
            compiled: compiled.map(Arc::new),
            troubles,
            sha256: sha256(text),
        }
    });
    Layer { origin: PromptOrigin::BuiltIn, files: files.collect(), partials: partials.collect(), troubles: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names what the prompts and their parts say since [`CHANGED`].
    const SAID: &str = "f10bb59e32287f8e68061d1aeec8bcee805cb877f927ec47b16ca7b6e60497a2";

    #[test]
    fn a_change_of_the_prompts_has_its_date() {
        let all: String = PROMPTS.iter().chain(&PARTIALS).map(|(id, text)| format!("{id}\n{text}\n")).collect();
        assert_eq!(sha256(&all), SAID, "agents are told when they changed: `CHANGED` is that day, and this its digest");
    }
}
