//! One archive on its way: appended to a file, resumed where it broke off, compared with its md5.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::Path,
};

use md5::Md5;

use super::{
    super::{
        checksum::checksum,
        client::{Client, Reply, Request, pause},
        progress::DownloadProgress,
        settings::HubSettings,
        steady::Steady,
    },
    ArchiveAddress, ArchiveError,
};

/// Bytes that are read at once.
const CHUNK_BYTES: usize = 128 * 1024;

/// What brings an archive into a file.
pub(super) struct Transfer<'a> {
    pub(super) client: &'a Client,
    pub(super) settings: &'a HubSettings,
    pub(super) archive: &'a ArchiveAddress,
    pub(super) url: &'a str,
    /// Where the bytes go; some may be there.
    pub(super) incomplete: &'a Path,
    pub(super) progress: &'a dyn DownloadProgress,
}

/// Where a request left the file.
struct Outcome {
    total_bytes: u64,
    /// Why no more came.
    problem: String,
}

/// The file as far as it came.
struct Arrived {
    file: File,
    bytes: u64,
    /// Whether it is told how far it is.
    is_shown: bool,
}

impl Transfer<'_> {
    /// Fetches what the file lacks; its md5 is right afterwards.
    pub(super) fn run(&self) -> Result<(), ArchiveError> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.incomplete)
            .map_err(ArchiveError::disk("open", self.incomplete))?;
        let bytes = file.metadata().map_err(ArchiveError::disk("read", self.incomplete))?.len();
        let mut arrived = Arrived { file, bytes, is_shown: false };
        let mut outcome = self.complete(&mut arrived);
        if bytes > 0 && matches!(outcome, Err(ArchiveError::Checksum { .. })) {
            // What an earlier process left may be what is wrong.
            self.empty(&mut arrived)?;
            outcome = self.complete(&mut arrived);
        }
        if matches!(outcome, Err(ArchiveError::Checksum { .. })) {
            fs::remove_file(self.incomplete)
                .map_err(ArchiveError::disk("delete", self.incomplete))?;
        }
        outcome?;
        arrived.file.sync_all().map_err(ArchiveError::disk("write", self.incomplete))
    }

    fn complete(&self, arrived: &mut Arrived) -> Result<(), ArchiveError> {
        let outcome = self.append(arrived);
        if arrived.is_shown {
            self.progress.end_file();
            arrived.is_shown = false;
        }
        outcome?;
        let found = checksum::<Md5>(self.incomplete)
            .map_err(ArchiveError::disk("read", self.incomplete))?;
        if found == self.archive.md5() {
            return Ok(());
        }
        Err(ArchiveError::Checksum {
            name: self.archive.name().to_owned(),
            url: self.url.to_owned(),
            expected: self.archive.md5().to_owned(),
            found,
        })
    }

    /// Asks until the file has its length. Only tries that bring nothing are counted.
    fn append(&self, arrived: &mut Arrived) -> Result<(), ArchiveError> {
        let mut waits = self.client.waits().iter();
        loop {
            let before_bytes = arrived.bytes;
            let Outcome { total_bytes, problem } = self.request(arrived)?;
            if arrived.bytes == total_bytes {
                return Ok(());
            }
            if arrived.bytes > before_bytes {
                waits = self.client.waits().iter();
            }
            let Some(wait) = waits.next() else {
                return Err(self.interrupted(arrived, total_bytes, problem));
            };
            pause(*wait, &format!("{}: {problem}", self.archive.name()), self.progress);
        }
    }

    /// Sends one request and appends what it brings.
    fn request(&self, arrived: &mut Arrived) -> Result<Outcome, ArchiveError> {
        let start = arrived.bytes;
        let mut reply = self.client.ask(self.url, &Request::Content { start }, self.progress)?;
        let total_bytes = match (reply.status, total_bytes(&reply, start)) {
            (200 | 206, Some(total_bytes)) => total_bytes,
            (416, _) if start > 0 => {
                let range = reply.range();
                let total_bytes = range.and_then(|range| range.total_bytes);
                if total_bytes != Some(start) {
                    self.empty(arrived)?;
                }
                let problem = "the server has another file".to_owned();
                return Ok(Outcome { total_bytes: total_bytes.unwrap_or(u64::MAX), problem });
            }
            (206, None) if start > 0 => {
                self.empty(arrived)?;
                let problem = "the server continued another file".to_owned();
                return Ok(Outcome { total_bytes: u64::MAX, problem });
            }
            (200 | 206, None) => {
                let problem = "the reply does not tell how long the archive is".to_owned();
                return Err(ArchiveError::Reply { url: self.url.to_owned(), problem });
            }
            _ => return Err(ArchiveError::of_reply(self.url, &reply)),
        };
        if reply.status == 200 && start > 0 {
            self.empty(arrived)?;
        }
        if !arrived.is_shown {
            self.progress.begin_file(self.archive.name(), total_bytes, arrived.bytes);
            arrived.is_shown = true;
        }
        let problem = self.take(&mut reply, arrived, total_bytes)?;
        Ok(Outcome { total_bytes, problem })
    }

    /// Appends what a reply brings; why it brought no more.
    fn take(
        &self,
        reply: &mut Reply,
        arrived: &mut Arrived,
        total_bytes: u64,
    ) -> Result<String, ArchiveError> {
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut body = Steady::new(reply.body.as_reader(), self.settings.slow);
        loop {
            let count = match body.read(&mut chunk) {
                Ok(0) => return Ok("the connection ended early".to_owned()),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if body.is_too_slow() => {
                    return Err(self.interrupted(arrived, total_bytes, error.to_string()));
                }
                Err(error) => return Ok(error.to_string()),
            };
            if arrived.bytes + count as u64 > total_bytes {
                self.empty(arrived)?;
                let problem = format!("more than the promised {total_bytes} bytes arrived");
                return Err(ArchiveError::Reply { url: self.url.to_owned(), problem });
            }
            let bytes = chunk.get(..count).unwrap_or_default();
            let write = ArchiveError::disk("write", self.incomplete);
            arrived.file.write_all(bytes).map_err(write)?;
            arrived.bytes += count as u64;
            self.progress.bytes(count as u64);
        }
    }

    fn interrupted(&self, arrived: &Arrived, total_bytes: u64, problem: String) -> ArchiveError {
        let name = self.archive.name().to_owned();
        ArchiveError::Interrupted { name, got_bytes: arrived.bytes, total_bytes, problem }
    }

    fn empty(&self, arrived: &mut Arrived) -> Result<(), ArchiveError> {
        arrived.bytes = 0;
        arrived.file.set_len(0).map_err(ArchiveError::disk("write", self.incomplete))
    }
}

/// How long the whole file is, if a reply begins where it was asked to.
fn total_bytes(reply: &Reply, start: u64) -> Option<u64> {
    match reply.status {
        200 => reply.length_bytes(),
        206 => reply.range().filter(|range| range.start == Some(start))?.total_bytes,
        _ => None,
    }
}
