//! `surprisal serve`: the built binary, asked over HTTP.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod bench;
mod chats;
mod completions;
mod connections;
mod refusals;
mod server;
