//! How much a server takes on.

/// What is refused above these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Sequences that wait or are computed: each prompt of a body counts as often as it is continued.
    pub sequences: usize,
    /// Bytes of a body.
    pub body_bytes: usize,
    /// Seconds from a request's first byte to its answer's last.
    pub request_seconds: u64,
    /// Open connections; further ones wait until one closes.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { sequences: 1024, body_bytes: 16 << 20, request_seconds: 600, connections: 1024 }
    }
}

/// Seconds that a client has for the head of a request, and again for its body.
pub(super) const CLIENT_SECONDS: u64 = 60;
/// Likeliest tokens that are named beside a token.
pub(super) const MOST_RANKED: usize = 20;
/// Strings that end a continuation.
pub(super) const MOST_STOPS: usize = 32;
/// Bytes of each of them.
pub(super) const MOST_STOP_BYTES: usize = 1024;
