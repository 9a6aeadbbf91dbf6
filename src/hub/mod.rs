//! Checkpoints and data sets from the Hugging Face hub; archives of data, and images that rows name, from wherever they are.
//!
//! This is the only place that touches the network. A repository that is complete in the local cache
//! is used as it lies there, without a connection; else what is needed is downloaded into that cache,
//! which the Python library shares. Pickles are never fetched.
//!
//! The layout of the cache is that of the `hf-hub` crate; the transport is ours, because its own
//! appends a whole file to a part of it when a server does not resume, compares neither length nor
//! checksum, and neither heeds `Retry-After` nor knows `HF_HUB_OFFLINE`.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it keeps the cache, and is the only room that uses the network"
)]

mod address;
mod archive;
mod cache;
mod checkpoint;
mod checksum;
mod client;
mod download;
mod error;
mod file_lock;
mod name;
mod progress;
mod repository;
mod settings;
mod steady;
mod web_file;

use std::{collections::BTreeMap, io::Read as _, path::PathBuf};

use serde::Deserialize;

pub use self::{
    archive::{ArchiveAddress, ArchiveError, Archives, KeptFiles},
    checkpoint::CheckpointPart,
    error::HubError,
    name::HubName,
    progress::{DownloadProgress, Silent},
    repository::RepositoryKind,
    settings::HubSettings,
    web_file::{WebFileError, allow_web_files_from_now_on},
};
pub(crate) use self::{
    cache::files_below,
    client::{proxy_to, tls},
    web_file::{check_web_file, fetch_web_file, is_on_web},
};
use self::{
    cache::{CacheFolder, is_key},
    client::{Client, Request},
    download::Download,
    name::is_plain,
    repository::Repository,
    steady::Steady,
};

/// Most bytes of a listing that are read: some thousands of times the usual.
const MOST_LISTING_BYTES: u64 = 64 << 20;

/// One hub and the cache of what came from it.
pub struct Hub<'a> {
    settings: HubSettings,
    client: Client,
    progress: &'a dyn DownloadProgress,
}

/// A repository, seen through a hub and its cache.
pub struct HubRepository<'a> {
    hub: &'a Hub<'a>,
    repository: Repository,
    cache: CacheFolder,
}

/// A repository at one commit.
pub struct Snapshot<'a> {
    from: &'a HubRepository<'a>,
    commit: String,
    /// The paths of its files: all of them on the hub, or those that are in the cache.
    pub files: Vec<String>,
    /// What the hub's list says about them.
    promises: BTreeMap<String, Promise>,
}

/// What a list of files says about one of them; old hubs say nothing.
#[derive(Clone, Debug, Default)]
struct Promise {
    bytes: Option<u64>,
    /// Whether it is kept apart from the repository, as large files are.
    is_large: bool,
    /// Of a large one.
    sha256: Option<String>,
}

/// What the hub tells about a repository; the rest is not read.
#[derive(Deserialize)]
struct Listing {
    sha: String,
    #[serde(default)]
    siblings: Vec<Sibling>,
}

#[derive(Deserialize)]
struct Sibling {
    rfilename: String,
    size: Option<u64>,
    lfs: Option<LargeFile>,
}

#[derive(Deserialize)]
struct LargeFile {
    size: Option<u64>,
    #[serde(alias = "oid")]
    sha256: Option<String>,
}

impl Sibling {
    fn promise(self) -> (String, Promise) {
        let is_large = self.lfs.is_some();
        let (bytes, sha256) = self.lfs.map_or((None, None), |large| (large.size, large.sha256));
        (self.rfilename, Promise { bytes: bytes.or(self.size), is_large, sha256 })
    }
}

impl<'a> Hub<'a> {
    /// The hub that the environment names.
    pub fn from_env(progress: &'a dyn DownloadProgress) -> Self {
        Self::new(HubSettings::from_env(), progress)
    }

    /// A hub with these settings.
    pub fn new(settings: HubSettings, progress: &'a dyn DownloadProgress) -> Self {
        Self { client: Client::new(&settings), settings, progress }
    }

    /// Whether no connection may be made.
    pub fn is_offline(&self) -> bool {
        self.settings.offline
    }

    /// One of its repositories. Nothing is asked yet.
    pub fn repository(&self, kind: RepositoryKind, name: &HubName) -> HubRepository<'_> {
        let repository = Repository { kind, name: name.clone() };
        let cache = CacheFolder::new(&self.settings.cache, &repository);
        HubRepository { hub: self, repository, cache }
    }
}

impl HubRepository<'_> {
    /// What is in the cache of the commit that the revision meant when it was fetched.
    pub fn cached(&self) -> Option<Snapshot<'_>> {
        let commit = self.cache.commit()?;
        let files = files_below(&self.cache.snapshot(&commit));
        let promises = BTreeMap::new();
        (!files.is_empty()).then_some(Snapshot { from: self, commit, files, promises })
    }

    /// What is on the hub; `missing` is what it is asked for, to be told when it may not be asked.
    pub fn listed(&self, missing: &str) -> Result<Snapshot<'_>, HubError> {
        let Hub { settings, client, progress } = self.hub;
        if settings.offline {
            return Err(HubError::Offline {
                name: self.repository.name.to_string(),
                command: self.repository.download_command(),
                missing: missing.to_owned(),
                cache: settings.cache.clone(),
            });
        }
        let url = self.repository.listing_url(client.endpoint());
        let reply = client.ask(&url, &Request::Content { start: 0 }, *progress)?;
        if reply.status != 200 {
            return Err(self.repository.refusal(
                &reply,
                client.endpoint(),
                client.has_token(),
                None,
            ));
        }
        let odd = |problem: String| HubError::Reply { url: url.clone(), problem };
        let mut text = Vec::new();
        let mut body = reply.body;
        Steady::new(body.as_reader(), settings.slow)
            .take(MOST_LISTING_BYTES)
            .read_to_end(&mut text)
            .map_err(|error| odd(format!("the list of files broke off: {error}")))?;
        let Listing { sha, siblings } = serde_json::from_slice(&text)
            .map_err(|error| odd(format!("the answer is no list of files: {error}")))?;
        if !is_key(&sha) {
            return Err(odd(format!("{sha:?} is no commit")));
        }
        let promises: BTreeMap<String, Promise> =
            siblings.into_iter().map(Sibling::promise).collect();
        let files: Vec<String> = promises.keys().cloned().collect();
        if let Some(outside) = files.iter().find(|file| !file.split('/').all(is_plain)) {
            return Err(odd(format!("{outside:?} is no path of a file in a repository")));
        }
        Ok(Snapshot { from: self, commit: sha, files, promises })
    }
}

impl Snapshot<'_> {
    /// Where its files lie once they are fetched.
    pub fn folder(&self) -> PathBuf {
        self.from.cache.snapshot(&self.commit)
    }

    /// Whether it has this file.
    pub fn has(&self, file: &str) -> bool {
        self.files.iter().any(|known| known == file)
    }

    /// How long the list says that a file is.
    pub fn promised_bytes(&self, file: &str) -> Option<u64> {
        self.promises.get(file)?.bytes
    }

    /// Fetches one file unless it is in the cache; its path there.
    pub fn fetch(&self, file: &str) -> Result<PathBuf, HubError> {
        self.fetch_all([file])?;
        Ok(self.folder().join(file))
    }

    /// Fetches files that belong together. Until all of them are there, none is seen in the snapshot.
    pub fn fetch_all<'f>(&self, files: impl IntoIterator<Item = &'f str>) -> Result<(), HubError> {
        let HubRepository { hub, repository, cache } = self.from;
        let Hub { client, progress, settings } = hub;
        Download {
            client,
            cache,
            repository,
            commit: &self.commit,
            promises: &self.promises,
            settings,
            progress: *progress,
        }
        .fetch(files)
    }

    /// From now on the revision means this commit in the cache: all that was wanted of it is there.
    pub fn keep(&self) -> Result<(), HubError> {
        self.from.cache.set_commit(&self.commit)
    }
}
