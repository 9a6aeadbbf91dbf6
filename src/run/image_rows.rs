//! What towers made of images, videos and sounds, kept in the working folder for later runs.
//!
//! A file for each image and model, named by all that decides its rows: the model's files, where and in what it is computed, the image's content. The tower
//! of a model whose images are all there is not even loaded. Only who asks for it gets them: rows of an image take a hundred times the image.

use std::{
    fmt::Write as _,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
};

use crate::{answer::ModelKey, engine::RowKeeper, store::KeptFile};

/// Where rows lie in the working folder, and how their names end.
const KIND: (&str, &str) = ("image_rows", "rows");

/// The rows of one model's images.
#[derive(Debug)]
pub(super) struct ImageRowFiles {
    folder: PathBuf,
    model: ModelKey,
    read: AtomicUsize,
    written: AtomicUsize,
    damaged: AtomicUsize,
    /// Those that could not be written.
    lost: AtomicUsize,
}

impl ImageRowFiles {
    /// Those of a model in a working folder.
    pub(super) fn new(folder: PathBuf, model: ModelKey) -> Self {
        let [read, written, damaged, lost] = Default::default();
        Self { folder, model, read, written, damaged, lost }
    }

    fn path(&self, key: &str) -> PathBuf {
        let key = ModelKey::of([self.model.as_bytes(), key.as_bytes()]);
        KeptFile::path(&self.folder, KIND, &key.to_string())
    }

    /// What was done, for people; nothing where there was no image.
    pub(super) fn line(&self) -> Option<String> {
        let of = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let (read, written) = (of(&self.read), of(&self.written));
        let (damaged, lost) = (of(&self.damaged), of(&self.lost));
        let mut line = format!("rows of images: {read} read, {written} written");
        if damaged > 0 {
            // A text takes whatever is written to it.
            _ = write!(line, ", {damaged} damaged and made again");
        }
        if lost > 0 {
            let folder = self.folder.join(KIND.0);
            _ = write!(line, ", {lost} that could not be written to {}", folder.display());
        }
        (read + written + damaged + lost > 0).then_some(line)
    }
}

impl RowKeeper for ImageRowFiles {
    fn kept(&self, key: &str) -> Option<Vec<u8>> {
        let (count, bytes) = match KeptFile::read(&self.path(key)) {
            // What cannot be read cannot be written either, and is told then.
            Ok(KeptFile::Missing) | Err(_) => return None,
            Ok(KeptFile::Bytes(bytes)) => (&self.read, Some(bytes)),
            Ok(KeptFile::Damaged) => (&self.damaged, None),
        };
        count.fetch_add(1, Ordering::Relaxed);
        bytes
    }

    fn keep(&self, key: &str, bytes: &[u8]) {
        let count = match KeptFile::write(&self.path(key), bytes) {
            Ok(()) => &self.written,
            Err(_) => &self.lost,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}
