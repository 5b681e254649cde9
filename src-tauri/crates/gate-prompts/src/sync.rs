//! Prompts from a git repository.
