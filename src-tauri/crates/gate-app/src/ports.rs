//! The gate as the protocol side sees it, subject by subject: each a line or two that lead to the slice that knows.

mod chat;
mod config;
mod connection;
mod prompts;
mod record;
