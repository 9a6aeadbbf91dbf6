//! Archives of data: fetched, compared with their md5, unpacked, and put where data are looked for.
//!
//! All that is unfinished lies in a folder `.fetch` beside the data, so that a process that is killed leaves
//! nothing half: bytes are appended to `NAME.incomplete`, which becomes `NAME` once its md5 is right, is unpacked
//! into `NAME.unpacking`, which becomes `NAME.unpacked` once it is whole, whose parts then move to their places. Each
//! step that was done is not done again. Files that lie there already stay.
//!
//! It knows addresses and no data set. The hub's token never goes to an archive's server.

mod address;
mod contents;
mod error;
mod move_in;
mod transfer;
mod unpack;

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
};

use md5::Md5;

pub use self::{address::ArchiveAddress, error::ArchiveError};
use self::{transfer::Transfer, unpack::unpack};
use super::{
    address::origin,
    checksum::checksum,
    client::{Client, Request},
    file_lock,
    progress::DownloadProgress,
    settings::HubSettings,
};
use crate::folder_sync;

/// The variable that names a mirror: a folder with archives of the same names and md5.
const MIRROR: &str = "SURPRISAL_DATA_MIRROR";

/// The folder of what is unfinished.
const UNFINISHED: &str = ".fetch";

/// Where archives come from.
pub struct Archives<'a> {
    settings: HubSettings,
    mirror: Option<String>,
    progress: &'a dyn DownloadProgress,
}

/// Files that lay where an archive has others, and stay.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct KeptFiles(pub Vec<String>);

/// The places of an archive that is not finished.
struct Workshop {
    folder: PathBuf,
    name: String,
}

impl Workshop {
    fn new(data: &Path, archive: &ArchiveAddress) -> Self {
        Self { folder: data.join(UNFINISHED), name: archive.name().to_owned() }
    }

    fn place(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}{ending}", self.name))
    }

    fn unpacked(&self) -> PathBuf {
        self.place(".unpacked")
    }
}

impl<'a> Archives<'a> {
    /// As the environment says.
    pub fn from_env(progress: &'a dyn DownloadProgress) -> Self {
        let mirror = env::var(MIRROR).ok().map(|url| url.trim().trim_end_matches('/').to_owned());
        let mirror = mirror.filter(|url| !url.is_empty());
        let settings = HubSettings { token: None, ..HubSettings::from_env() };
        Self { settings, mirror, progress }
    }

    /// The address that an archive is fetched from.
    pub fn url(&self, archive: &ArchiveAddress) -> String {
        match &self.mirror {
            Some(mirror) => format!("{mirror}/{}", archive.name()),
            None => archive.url().to_owned(),
        }
    }

    /// How long an archive is, as far as its server tells that without sending it.
    pub fn bytes(&self, archive: &ArchiveAddress) -> Result<Option<u64>, ArchiveError> {
        let url = self.url(archive);
        self.allow(archive)?;
        let reply = self.client(&url)?.ask(&url, &Request::Length, self.progress)?;
        match reply.status {
            // There are servers that send files and do not describe them.
            405 | 501 => Ok(None),
            200..300 => Ok(reply.length_bytes()),
            _ => Err(ArchiveError::of_reply(&url, &reply)),
        }
    }

    /// Whether an archive is unpacked and not all of it in its place.
    pub fn is_half_moved(archive: &ArchiveAddress, data: &Path) -> bool {
        Workshop::new(data, archive).unpacked().is_dir()
    }

    /// The archive itself, if it lies here with the right md5: somebody put it there, or unpacking it was stopped.
    pub fn whole_file(archive: &ArchiveAddress, data: &Path) -> Option<PathBuf> {
        let workshop = Workshop::new(data, archive);
        [data.join(archive.name()), workshop.place("")].into_iter().find(|file| {
            file.is_file() && checksum::<Md5>(file).is_ok_and(|sum| sum == archive.md5())
        })
    }

    /// Brings what an archive holds into the folder of data.
    pub fn fetch(&self, archive: &ArchiveAddress, data: &Path) -> Result<KeptFiles, ArchiveError> {
        let workshop = Workshop::new(data, archive);
        let make = ArchiveError::disk("create the folder", &workshop.folder);
        folder_sync::create_folder(&workshop.folder).map_err(make)?;
        let lock = workshop.place(".lock");
        let held: File =
            file_lock::lock(&lock, self.progress).map_err(ArchiveError::disk("lock", &lock))?;
        let (unpacked, own) = (workshop.unpacked(), workshop.place(""));
        if !unpacked.is_dir() {
            let whole = match Self::whole_file(archive, data) {
                Some(whole) => whole,
                None => self.download(archive, &workshop).map(|()| own.clone())?,
            };
            let unpacking = workshop.place(".unpacking");
            unpack(&whole, archive.name(), &unpacking, self.progress)?;
            rename(&unpacking, &unpacked)?;
        }
        if own.is_file() {
            fs::remove_file(&own).map_err(ArchiveError::disk("delete", &own))?;
        }
        let kept = move_in::move_in(&unpacked, data)?;
        drop(held);
        Ok(KeptFiles(kept))
    }

    /// Fetches an archive to its place in the workshop.
    fn download(&self, archive: &ArchiveAddress, workshop: &Workshop) -> Result<(), ArchiveError> {
        self.allow(archive)?;
        let url = self.url(archive);
        let incomplete = workshop.place(".incomplete");
        Transfer {
            client: &self.client(&url)?,
            settings: &self.settings,
            archive,
            url: &url,
            incomplete: &incomplete,
            progress: self.progress,
        }
        .run()?;
        rename(&incomplete, &workshop.place(""))
    }

    fn allow(&self, archive: &ArchiveAddress) -> Result<(), ArchiveError> {
        if self.settings.offline {
            return Err(ArchiveError::Offline { name: archive.name().to_owned() });
        }
        Ok(())
    }

    /// A client of the server of an address.
    fn client(&self, url: &str) -> Result<Client, ArchiveError> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(ArchiveError::Mirror { url: url.to_owned() });
        }
        Ok(Client::new(&HubSettings { endpoint: origin(url).to_owned(), ..self.settings.clone() }))
    }
}

/// Gives a finished thing its name.
fn rename(from: &Path, to: &Path) -> Result<(), ArchiveError> {
    fs::rename(from, to)
        .and_then(|()| folder_sync::sync_name(to))
        .map_err(ArchiveError::disk("rename a file to", to))
}
