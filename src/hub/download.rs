//! One file of a repository, from the hub into the cache.
//!
//! Large files have the sha256 of their content for an etag: they are resumed, by this process or the
//! next, and compared with it when they are complete. The etag of small files is no checksum of their
//! content, so they are fetched anew rather than resumed, and only their length is compared. Weights of
//! which the hub tells no sha256 are refused. What the list of files says of a file binds its replies.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::Path,
    process,
};

use sha2::Sha256;

use super::{
    Promise,
    cache::{CacheFolder, is_key, make_parent},
    checksum::checksum,
    client::{Client, Reply, Request, pause},
    error::HubError,
    progress::DownloadProgress,
    repository::Repository,
    settings::HubSettings,
    steady::Steady,
};
use crate::folder_sync;

/// Bytes that are read at once.
const CHUNK_BYTES: usize = 128 * 1024;

/// Fetches the files of one commit.
pub(super) struct Download<'a> {
    pub(super) client: &'a Client,
    pub(super) cache: &'a CacheFolder,
    pub(super) repository: &'a Repository,
    pub(super) commit: &'a str,
    /// What the hub's list of files says about them.
    pub(super) promises: &'a BTreeMap<String, Promise>,
    pub(super) settings: &'a HubSettings,
    pub(super) progress: &'a dyn DownloadProgress,
}

/// What the hub says about a file before it is fetched.
struct Content {
    file: String,
    url: String,
    etag: String,
    /// In lower case, if it is known.
    sha256: Option<String>,
    total_bytes: u64,
}

impl Content {
    /// Whether it can be compared when it is there.
    fn is_checked(&self) -> bool {
        self.sha256.is_some()
    }
}

impl Download<'_> {
    /// Fetches files unless they are there. They get their names together in the end, so that of files
    /// that belong together there are none or all.
    pub(super) fn fetch<'f>(
        &self,
        files: impl IntoIterator<Item = &'f str>,
    ) -> Result<(), HubError> {
        let snapshot = self.cache.snapshot(self.commit);
        let mut fetched = Vec::new();
        for file in files {
            if !snapshot.join(file).is_file() {
                fetched.push((self.content(file)?, file));
            }
        }
        fetched.iter().try_for_each(|(etag, file)| self.cache.link(etag, self.commit, file))
    }

    /// Fetches the content of a file; its etag.
    fn content(&self, file: &str) -> Result<String, HubError> {
        let content = self.describe(file)?;
        let blob = self.cache.blob(&content.etag);
        let lock = self.cache.lock(&content.etag, self.progress)?;
        if !blob.is_file() {
            self.fetch_blob(&content, &blob)?;
        }
        drop(lock);
        Ok(content.etag)
    }

    fn describe(&self, file: &str) -> Result<Content, HubError> {
        let url = self.repository.file_url(self.client.endpoint(), self.commit, file);
        let reply = self.client.ask(&url, &Request::Describe, self.progress)?;
        if reply.status >= 400 {
            return Err(self.refusal(&reply, file));
        }
        let odd = |problem: &str| HubError::Reply { url: url.clone(), problem: problem.to_owned() };
        let etag = reply.header("x-linked-etag").or_else(|| reply.header("etag"));
        let etag = etag.ok_or_else(|| odd("the reply has no etag"))?;
        let etag = etag.trim_start_matches("W/").trim_matches('"').to_owned();
        if !is_key(&etag) {
            return Err(odd("the reply's etag is no name of a content"));
        }
        let length = reply.header("x-linked-size").or_else(|| reply.header("content-length"));
        let total_bytes = length
            .and_then(|length| length.trim().parse().ok())
            .ok_or_else(|| odd("the reply does not tell the length of the file"))?;
        let sha256 = self.check(file, &etag, total_bytes)?;
        Ok(Content { file: file.to_owned(), url, etag, sha256, total_bytes })
    }

    /// Compares what a reply says of a file with what the list said of it; the sha256 of the file, if the
    /// hub tells it.
    fn check(&self, file: &str, etag: &str, total_bytes: u64) -> Result<Option<String>, HubError> {
        let promise = self.promises.get(file).cloned().unwrap_or_default();
        let contradiction = |promised: String, found: String| {
            Err(HubError::Contradiction { file: file.to_owned(), promised, found })
        };
        if let Some(bytes) = promise.bytes.filter(|bytes| *bytes != total_bytes) {
            return contradiction(format!("{bytes} bytes"), format!("{total_bytes} bytes"));
        }
        let own = Some(etag.to_ascii_lowercase()).filter(|etag| is_sha256(etag));
        let promised = promise.sha256.map(|sum| sum.to_ascii_lowercase());
        match (promised.filter(|sum| is_sha256(sum)), own) {
            (Some(promised), Some(own)) if promised != own => {
                contradiction(format!("sha256 {promised}"), format!("sha256 {own}"))
            }
            (None, None)
                if (promise.is_large || is_weights(file)) && !self.settings.allow_unverified =>
            {
                Err(HubError::Unverified { file: file.to_owned() })
            }
            (promised, own) => Ok(promised.or(own)),
        }
    }

    /// Fetches a content to its place.
    fn fetch_blob(&self, content: &Content, blob: &Path) -> Result<(), HubError> {
        make_parent(blob)?;
        let resumable = content.is_checked();
        let own = if resumable { String::new() } else { format!(".{}", process::id()) };
        let partial = blob.with_file_name(format!("{}{own}.incomplete", content.etag));
        let found_bytes = fs::metadata(&partial).map_or(0, |found| found.len());
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .truncate(false)
            .open(&partial)
            .map_err(HubError::cache("open", &partial))?;
        if !resumable || found_bytes > content.total_bytes {
            empty(&mut file, &partial)?;
        }
        let resumed = resumable && (1..=content.total_bytes).contains(&found_bytes);
        let mut outcome = self.complete(content, &mut file, &partial);
        if resumed && matches!(outcome, Err(HubError::Checksum { .. })) {
            // What an earlier process left may be what is wrong.
            empty(&mut file, &partial)?;
            outcome = self.complete(content, &mut file, &partial);
        }
        let failed = match &outcome {
            Ok(()) => false,
            Err(HubError::Checksum { .. }) => true,
            Err(_) => !resumable,
        };
        if failed {
            fs::remove_file(&partial).map_err(HubError::cache("delete", &partial))?;
        }
        outcome?;
        file.sync_all().map_err(HubError::cache("write", &partial))?;
        fs::rename(&partial, blob)
            .and_then(|()| folder_sync::sync_name(blob))
            .map_err(HubError::cache("rename a file to", blob))
    }

    /// Appends what the file lacks, and compares.
    fn complete(&self, content: &Content, file: &mut File, partial: &Path) -> Result<(), HubError> {
        let mut got_bytes = file.metadata().map_err(HubError::cache("read", partial))?.len();
        self.progress.begin_file(&content.file, content.total_bytes, got_bytes);
        let outcome = self.append(content, file, partial, &mut got_bytes);
        self.progress.end_file();
        outcome?;
        let Some(expected) = content.sha256.clone() else { return Ok(()) };
        let found = checksum::<Sha256>(partial).map_err(HubError::cache("read", partial))?;
        if found == expected {
            return Ok(());
        }
        Err(HubError::Checksum { file: content.file.clone(), expected, found })
    }

    /// Asks until the file has its length. Only tries that bring nothing are counted.
    fn append(
        &self,
        content: &Content,
        file: &mut File,
        partial: &Path,
        got_bytes: &mut u64,
    ) -> Result<(), HubError> {
        let mut waits = self.client.waits().iter();
        while *got_bytes < content.total_bytes {
            let before_bytes = *got_bytes;
            let problem = self.request(content, file, partial, got_bytes)?;
            if *got_bytes >= content.total_bytes {
                break;
            }
            if *got_bytes > before_bytes {
                waits = self.client.waits().iter();
            }
            let Some(wait) = waits.next() else {
                return Err(HubError::Interrupted {
                    file: content.file.clone(),
                    got_bytes: *got_bytes,
                    total_bytes: content.total_bytes,
                    problem,
                });
            };
            pause(*wait, &format!("{}: {problem}", content.file), self.progress);
        }
        Ok(())
    }

    /// Sends one request and appends what it brings; why it brought no more.
    fn request(
        &self,
        content: &Content,
        file: &mut File,
        partial: &Path,
        got_bytes: &mut u64,
    ) -> Result<String, HubError> {
        // Only a content that is compared in the end may be put together from several replies.
        if !content.is_checked() && *got_bytes > 0 {
            empty(file, partial)?;
            *got_bytes = 0;
        }
        let start = *got_bytes;
        let mut reply =
            self.client.ask(&content.url, &Request::Content { start }, self.progress)?;
        match reply.status {
            206 if continues(&reply, start, content.total_bytes) => {}
            200 | 206 | 416 if start > 0 => {
                empty(file, partial)?;
                *got_bytes = 0;
                if reply.status != 200 {
                    return Ok("the hub continued another file".to_owned());
                }
            }
            200 => {}
            206 | 300..400 | 416 => {
                let problem = format!("HTTP {} is no file", reply.status);
                return Err(HubError::Reply { url: reply.url, problem });
            }
            _ => return Err(self.refusal(&reply, &content.file)),
        }
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut body = Steady::new(reply.body.as_reader(), self.settings.slow);
        loop {
            let count = match body.read(&mut chunk) {
                Ok(0) => return Ok("the connection ended early".to_owned()),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if body.is_too_slow() => {
                    return Err(HubError::TooSlow {
                        file: content.file.clone(),
                        got_bytes: *got_bytes,
                        total_bytes: content.total_bytes,
                        problem: error.to_string(),
                    });
                }
                Err(error) => return Ok(error.to_string()),
            };
            if *got_bytes + count as u64 > content.total_bytes {
                empty(file, partial)?;
                let problem =
                    format!("more than the promised {} bytes arrived", content.total_bytes);
                return Err(HubError::Reply { url: content.url.clone(), problem });
            }
            let bytes = chunk.get(..count).unwrap_or_default();
            file.write_all(bytes).map_err(HubError::cache("write", partial))?;
            *got_bytes += count as u64;
            self.progress.bytes(count as u64);
        }
    }

    fn refusal(&self, reply: &Reply, file: &str) -> HubError {
        let (endpoint, has_token) = (self.client.endpoint(), self.client.has_token());
        self.repository.refusal(reply, endpoint, has_token, Some(file))
    }
}

/// Whether a text can be a sha256.
fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a file holds weights, by its name.
fn is_weights(file: &str) -> bool {
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["safetensors", "gguf"].contains(&ending.to_ascii_lowercase().as_str())
}

/// Whether a partial reply goes on where the file ends.
fn continues(reply: &Reply, start: u64, total_bytes: u64) -> bool {
    let Some(range) = reply.range() else { return false };
    range.start == Some(start) && range.total_bytes.is_none_or(|bytes| bytes == total_bytes)
}

fn empty(file: &mut File, path: &Path) -> Result<(), HubError> {
    file.set_len(0).map_err(HubError::cache("write", path))
}
