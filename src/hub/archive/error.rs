//! Why an archive cannot be had, and what to do about it.

use std::{
    io,
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::super::{client::Reply, error::HubError};

/// Why an archive cannot be had.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// No connection may be made.
    #[error(
        "{name} is not here, and HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE forbids to fetch it; unset it, or put {name} \
         into the folder data where data sets are looked for and run the command again"
    )]
    Offline {
        /// The archive.
        name: String,
    },
    /// The mirror has no address that can be asked.
    #[error(
        "SURPRISAL_DATA_MIRROR makes {url:?} of an address; it must begin with http:// or https://"
    )]
    Mirror {
        /// What it makes.
        url: String,
    },
    /// No connection, or one that broke.
    #[error(
        "cannot reach {server}: {problem}; check the network and proxies, or set SURPRISAL_DATA_MIRROR to the address \
         of a mirror"
    )]
    Unreachable {
        /// Scheme and host.
        server: String,
        /// What happened.
        problem: String,
    },
    /// The server has no such file.
    #[error(
        "{url}: the server has no such archive (HTTP {status}); set SURPRISAL_DATA_MIRROR to the address of a mirror \
         that has it, or put the data into place by hand"
    )]
    Missing {
        /// What was asked.
        url: String,
        /// HTTP status.
        status: u16,
    },
    /// The server answered with an error that no further try cured.
    #[error("{url}: the server answered HTTP {status}{after}; try again later")]
    Status {
        /// What was asked.
        url: String,
        /// HTTP status.
        status: u16,
        /// How often it was tried, or how long the server wants to be left alone.
        after: String,
    },
    /// The server's answer makes no sense.
    #[error("{url}: {problem}; check the address, and SURPRISAL_DATA_MIRROR if it is set")]
    Reply {
        /// What was asked.
        url: String,
        /// What is odd.
        problem: String,
    },
    /// It could not be downloaded to its end.
    #[error(
        "{name}: only {got_bytes} of {total_bytes} bytes arrived: {problem}; run the command again to go on"
    )]
    Interrupted {
        /// The archive.
        name: String,
        /// Bytes that are there.
        got_bytes: u64,
        /// Bytes of the whole file.
        total_bytes: u64,
        /// What happened last.
        problem: String,
    },
    /// What arrived is something else.
    #[error(
        "{name}: what arrived from {url} has md5 {found}, but {expected} is expected; it was deleted and nothing of it \
         unpacked; run the command again, or set SURPRISAL_DATA_MIRROR to another mirror"
    )]
    Checksum {
        /// The archive.
        name: String,
        /// Where it came from.
        url: String,
        /// That of the table.
        expected: String,
        /// That of what arrived.
        found: String,
    },
    /// What is in it is not unpacked.
    #[error("{name}: {problem}; nothing of it was unpacked")]
    Contents {
        /// The archive.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The disk refuses.
    #[error("cannot {action} {}: {source}", path.display())]
    Disk {
        /// What was tried.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl ArchiveError {
    /// An error of the disk, for `map_err`.
    pub(super) fn disk(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Disk { action, path: path.to_owned(), source }
    }

    /// What it means that a server did not give a file.
    pub(super) fn of_reply(url: &str, reply: &Reply) -> Self {
        let (url, status) = (url.to_owned(), reply.status);
        match status {
            // Aliyun's servers say 403 for what is not there.
            403 | 404 | 410 => Self::Missing { url, status },
            300..400 => Self::Reply { url, problem: format!("HTTP {status} is no file") },
            _ => Self::Status { url, status, after: reply.after() },
        }
    }
}

/// What the client says of any server.
impl From<HubError> for ArchiveError {
    fn from(error: HubError) -> Self {
        match error {
            HubError::Unreachable { endpoint, problem } => {
                Self::Unreachable { server: endpoint, problem }
            }
            HubError::Reply { url, problem } => Self::Reply { url, problem },
            other => Self::Reply { url: "the archive".to_owned(), problem: other.to_string() },
        }
    }
}
