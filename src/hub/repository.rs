//! One repository at one revision: its addresses and what refusals of it mean.

use std::fmt::Write as _;

use super::{
    client::Reply,
    error::HubError,
    name::{HubName, MAIN},
};

/// What a repository holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepositoryKind {
    /// A checkpoint, an adapter or GGUF files.
    Model,
    /// Rows.
    Dataset,
}

/// A repository at a revision.
#[derive(Clone, Debug)]
pub(super) struct Repository {
    pub(super) kind: RepositoryKind,
    pub(super) name: HubName,
}

impl Repository {
    /// The address that tells commit and files, with sizes and checksums.
    pub(super) fn listing_url(&self, endpoint: &str) -> String {
        let kind = match self.kind {
            RepositoryKind::Model => "models",
            RepositoryKind::Dataset => "datasets",
        };
        let HubName { repository, revision, .. } = &self.name;
        format!("{endpoint}/api/{kind}/{repository}/revision/{}?blobs=true", escaped(revision))
    }

    /// The address of a file at a commit.
    pub(super) fn file_url(&self, endpoint: &str, commit: &str, file: &str) -> String {
        let file = file.split('/').map(escaped).collect::<Vec<_>>().join("/");
        format!("{}/resolve/{commit}/{file}", self.page(endpoint))
    }

    /// The address of its page.
    fn page(&self, endpoint: &str) -> String {
        let kind = match self.kind {
            RepositoryKind::Model => "",
            RepositoryKind::Dataset => "datasets/",
        };
        format!("{endpoint}/{kind}{}", self.name.repository)
    }

    /// The same in the terms of the `hf-hub` crate, which knows the layout of the cache.
    pub(super) fn in_cache(&self) -> hf_hub::Repo {
        let kind = match self.kind {
            RepositoryKind::Model => hf_hub::RepoType::Model,
            RepositoryKind::Dataset => hf_hub::RepoType::Dataset,
        };
        let HubName { repository, revision, .. } = &self.name;
        hf_hub::Repo::with_revision(repository.clone(), kind, revision.clone())
    }

    /// The command of the Python library that fetches it.
    pub(super) fn download_command(&self) -> String {
        let HubName { repository, revision, file } = &self.name;
        let mut command = format!("hf download {repository}");
        if let Some(file) = file {
            let _ = write!(command, " {file}");
        }
        if self.kind == RepositoryKind::Dataset {
            command += " --repo-type dataset";
        }
        if revision != MAIN {
            let _ = write!(command, " --revision {revision}");
        }
        command
    }

    /// What it means that the hub did not give the listing, or the named file. The hub says more in a
    /// header than in its status: to strangers, a repository that does not exist is one that is
    /// private.
    pub(super) fn refusal(
        &self,
        reply: &Reply,
        endpoint: &str,
        has_token: bool,
        file: Option<&str>,
    ) -> HubError {
        let HubName { repository: name, revision, .. } = self.name.clone();
        let status = reply.status;
        match (status, reply.header("x-error-code")) {
            (_, Some("GatedRepo")) => HubError::Gated { name, page: self.page(endpoint), status },
            (_, Some("RevisionNotFound")) => HubError::NoRevision { name, revision },
            (404, code) if code == Some("EntryNotFound") || file.is_some() => {
                HubError::NoFile { name, file: file.unwrap_or("README.md").to_owned(), revision }
            }
            (401 | 403, _) => {
                let token = if has_token {
                    "use a token in HF_TOKEN that is valid and may read it"
                } else {
                    "set HF_TOKEN to a token that may read it"
                };
                HubError::Denied { name, token, status }
            }
            (404, _) => {
                let kind = match self.kind {
                    RepositoryKind::Model => "model",
                    RepositoryKind::Dataset => "data set",
                };
                HubError::NoRepository { kind, name, endpoint: endpoint.to_owned() }
            }
            _ => {
                let after = reply.after();
                HubError::Status { url: reply.url.clone(), status, after }
            }
        }
    }
}

/// A part of a path as it stands in an address.
fn escaped(part: &str) -> String {
    let mut escaped = String::with_capacity(part.len());
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}
