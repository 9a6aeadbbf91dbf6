//! A file of records that only grows.

use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    marker::PhantomData,
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

use super::{StoreError, write_atomically};

/// One record a line, as JSON. A batch is written whole and synced before `append` returns; a last
/// line without its end, left by a process that was killed, is cut off when the file is opened.
#[derive(Debug)]
pub struct Journal<T> {
    path: PathBuf,
    file: File,
    kind: PhantomData<T>,
}

impl<T: Serialize + DeserializeOwned> Journal<T> {
    /// Opens or creates a journal; gives the records that it holds.
    pub fn open(path: &Path) -> Result<(Self, Vec<T>), StoreError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(StoreError::io("create the folder", folder))?;
        }
        let held = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(StoreError::io("read", path)(error)),
        };
        let whole = held.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let records = parse(&held[..whole], path)?;
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(StoreError::io("open", path))?;
        file.set_len(whole as u64).map_err(StoreError::io("shorten", path))?;
        Ok((Self { path: path.to_owned(), file, kind: PhantomData }, records))
    }

    /// Replaces all records by others, or by the same in another order.
    pub fn replace(&mut self, records: &[T]) -> Result<(), StoreError> {
        let bytes = self.lines(records)?;
        write_atomically(&self.path, &bytes)?;
        let mut options = OpenOptions::new();
        self.file =
            options.append(true).open(&self.path).map_err(StoreError::io("open", &self.path))?;
        Ok(())
    }

    /// The records of a journal that is only read.
    pub fn read(path: &Path) -> Result<Vec<T>, StoreError> {
        let held = fs::read(path).map_err(StoreError::io("read", path))?;
        let whole = held.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        parse(&held[..whole], path)
    }

    /// Adds a batch; it is on disk when this returns.
    pub fn append(&mut self, batch: &[T]) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        let bytes = self.lines(batch)?;
        self.file.write_all(&bytes).map_err(StoreError::io("write", &self.path))?;
        self.file.sync_data().map_err(StoreError::io("sync", &self.path))
    }

    fn lines(&self, records: &[T]) -> Result<Vec<u8>, StoreError> {
        let mut bytes = Vec::new();
        for record in records {
            serde_json::to_writer(&mut bytes, record).map_err(|error| StoreError::Unwritable {
                path: self.path.clone(),
                what: error.to_string(),
            })?;
            bytes.push(b'\n');
        }
        Ok(bytes)
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8], path: &Path) -> Result<Vec<T>, StoreError> {
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .enumerate()
        .map(|(index, line)| {
            serde_json::from_slice(line).map_err(|error| StoreError::Corrupt {
                path: path.to_owned(),
                line: index + 1,
                what: error.to_string(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_cut_of_the_file_keeps_the_whole_records_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        let (mut journal, held) = Journal::<Vec<u32>>::open(&path).unwrap();
        assert!(held.is_empty());
        journal.append(&[vec![1], vec![2, 3]]).unwrap();
        journal.append(&[vec![]]).unwrap();
        let whole = fs::read(&path).unwrap();
        for cut in 0..=whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let (mut journal, held) = Journal::<Vec<u32>>::open(&path).unwrap();
            let ends = String::from_utf8_lossy(&whole[..cut]).matches('\n').count();
            assert_eq!(held, [vec![1], vec![2, 3], vec![]][..ends], "cut at {cut}");
            journal.append(&[vec![9]]).unwrap();
            assert_eq!(Journal::<Vec<u32>>::read(&path).unwrap().last(), Some(&vec![9]));
            journal.replace(&[vec![7]]).unwrap();
            journal.append(&[vec![8]]).unwrap();
            assert_eq!(Journal::<Vec<u32>>::read(&path).unwrap(), [vec![7], vec![8]]);
        }
    }
}
