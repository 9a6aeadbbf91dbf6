//! Why something on the hub cannot be had, and what to do about it.

use std::{io, path::PathBuf};

use thiserror::Error;

/// Why something on the hub cannot be had.
#[derive(Debug, Error)]
pub enum HubError {
    /// Something is not in the cache, and no connection may be made.
    #[error(
        "{name} is not complete in the Hugging Face cache at {}: {missing} is missing, and HF_HUB_OFFLINE or \
         TRANSFORMERS_OFFLINE forbids to fetch it; unset it, or run `{command}` where there is a network and copy \
         the cache",
        cache.display()
    )]
    Offline {
        /// As the user wrote it.
        name: String,
        /// What fetches it.
        command: String,
        /// The first thing that is missing.
        missing: String,
        /// The cache that was searched.
        cache: PathBuf,
    },
    /// The repository's authors decide who reads it.
    #[error(
        "{name} is gated: accept its licence at {page} and set HF_TOKEN to a token of that account (HTTP {status})"
    )]
    Gated {
        /// The repository.
        name: String,
        /// Where the licence is.
        page: String,
        /// HTTP status.
        status: u16,
    },
    /// The hub does not say whether the repository exists.
    #[error(
        "the hub refuses {name} (HTTP {status}): check the spelling; if it is private, {token}"
    )]
    Denied {
        /// The repository.
        name: String,
        /// What to do about the token.
        token: &'static str,
        /// HTTP status.
        status: u16,
    },
    /// There is no such repository.
    #[error("there is no {kind} {name} at {endpoint}; check the spelling")]
    NoRepository {
        /// `model` or `data set`.
        kind: &'static str,
        /// The repository.
        name: String,
        /// The hub.
        endpoint: String,
    },
    /// The repository has no such branch, tag or commit.
    #[error("{name} has no revision `{revision}`; name a branch, a tag or a commit after the @")]
    NoRevision {
        /// The repository.
        name: String,
        /// The revision.
        revision: String,
    },
    /// The repository has no such file.
    #[error("{name} has no file `{file}` at revision {revision}")]
    NoFile {
        /// The repository.
        name: String,
        /// The file.
        file: String,
        /// The revision.
        revision: String,
    },
    /// The repository has nothing that can be loaded.
    #[error("{name} has no safetensors weights{hint}")]
    NoWeights {
        /// The repository.
        name: String,
        /// What it has instead and what to do about it.
        hint: String,
    },
    /// The hub answered with an error that no further try cured.
    #[error("{url}: the hub answered HTTP {status}{after}; try again later")]
    Status {
        /// What was asked.
        url: String,
        /// HTTP status.
        status: u16,
        /// How often it was tried, or how long the hub wants to be left alone.
        after: String,
    },
    /// No connection, or one that broke.
    #[error(
        "cannot reach {endpoint}: {problem}; check the network, HF_ENDPOINT and proxies, or set HF_HUB_OFFLINE=1 to \
         use only what is in the cache"
    )]
    Unreachable {
        /// Scheme and host.
        endpoint: String,
        /// What happened.
        problem: String,
    },
    /// The hub's answer makes no sense.
    #[error("{url}: {problem}; is HF_ENDPOINT the address of a hub?")]
    Reply {
        /// What was asked.
        url: String,
        /// What is odd.
        problem: String,
    },
    /// A file could not be downloaded to its end.
    #[error(
        "{file}: only {got_bytes} of {total_bytes} bytes arrived: {problem}; run the command again to go on"
    )]
    Interrupted {
        /// The file.
        file: String,
        /// Bytes that are there.
        got_bytes: u64,
        /// Bytes of the whole file.
        total_bytes: u64,
        /// What happened last.
        problem: String,
    },
    /// A file came so slowly that it would never have been complete.
    #[error(
        "{file}: the download was dropped after {got_bytes} of {total_bytes} bytes: {problem}; run the command again to \
         go on, or use another network or HF_ENDPOINT"
    )]
    TooSlow {
        /// The file.
        file: String,
        /// Bytes that are there.
        got_bytes: u64,
        /// Bytes of the whole file.
        total_bytes: u64,
        /// How slowly it came.
        problem: String,
    },
    /// Weights that nothing can be compared with.
    #[error(
        "{file}: the hub tells no sha256 of these weights, so that nobody could see whether they arrived as they are; \
         check HF_ENDPOINT, or take them as they come with --allow-unverified"
    )]
    Unverified {
        /// The file.
        file: String,
    },
    /// The hub contradicts itself about a file.
    #[error(
        "{file}: the hub promises {promised} in its list of files and {found} for the file itself; it is not fetched"
    )]
    Contradiction {
        /// The file.
        file: String,
        /// What the list says.
        promised: String,
        /// What the file's own reply says.
        found: String,
    },
    /// A downloaded file is not what the hub says it is.
    #[error(
        "{file}: what arrived has sha256 {found}, but the hub promised {expected}; it was deleted, run the command again"
    )]
    Checksum {
        /// The file.
        file: String,
        /// The hub's.
        expected: String,
        /// That of what arrived.
        found: String,
    },
    /// The cache cannot be written or read.
    #[error("cannot {action} {}: {source}", path.display())]
    Cache {
        /// What was tried.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl HubError {
    /// An error of the cache, for `map_err`.
    pub(super) fn cache(
        action: &'static str,
        path: &std::path::Path,
    ) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Cache { action, path: path.to_owned(), source }
    }
}
