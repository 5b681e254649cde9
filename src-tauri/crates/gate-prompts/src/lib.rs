//! The prompt library: files in folders, Handlebars, watching, and fetching a folder from a git repository.

pub mod sync;
