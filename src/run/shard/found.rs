//! Shards that are there, as their records have it, and whether they are what these say.

use std::path::PathBuf;

use rayon::prelude::*;

use super::{
    Shard,
    command::shell_text,
    record::{RecordError, ShardRecord, hex},
};
use crate::{kept_run::RunError, store::ShardFolder};

/// A shard with its record.
#[derive(Clone, Debug)]
pub struct FoundShard {
    /// Its folder.
    pub folder: ShardFolder,
    /// What it says of itself.
    pub record: ShardRecord,
    /// Which it is.
    pub shard: Shard,
}

/// What is awaited before a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingFor {
    /// Shards that have ended.
    pub ended: usize,
    /// How many there are.
    pub count: usize,
}

impl FoundShard {
    /// Every shard in these folders, which are those of shards or working folders with some, by their numbers.
    ///
    /// # Errors
    /// There is none, or a record cannot be used.
    pub fn all(folders: &[PathBuf]) -> Result<Vec<Self>, RunError> {
        let (mut found, mut wrong) = (Vec::new(), Vec::new());
        for folder in folders {
            let shards = ShardFolder::found_in(folder)?;
            if shards.is_empty() {
                wrong.push(format!(
                    "{}: there are no shards here; `surprisal run CONFIG -w {0} --shard 1/N` asks one",
                    folder.display()
                ));
            }
            let read: Vec<_> =
                shards.into_par_iter().map(|folder| (ShardRecord::read(&folder), folder)).collect();
            for (record, folder) in read {
                match record {
                    Ok(Some(record)) => {
                        let shard =
                            record.shard().ok_or_else(|| RunError::ShardsRefused(Vec::new()))?;
                        found.push(Self { folder, record, shard });
                    }
                    // It was taken away meanwhile.
                    Ok(None) => (),
                    Err(RecordError::Store(error)) => return Err(error.into()),
                    Err(error) => wrong.push(refusal(&folder, &error.to_string())),
                }
            }
        }
        if !wrong.is_empty() {
            return Err(RunError::ShardsRefused(wrong));
        }
        found.sort_by(|one, other| {
            (one.shard, one.folder.path()).cmp(&(other.shard, other.folder.path()))
        });
        found.dedup_by(|one, other| one.folder == other.folder);
        Ok(found)
    }

    /// The shard that all are held against: of the run that most are of, and of these the one that was begun last.
    pub fn reference(shards: &[Self]) -> Option<&Self> {
        let alike = |own: &Self| {
            shards.iter().filter(|other| own.record.difference(&other.record).is_none()).count()
        };
        // One that was stopped before it had read its rows says nothing of a run.
        shards
            .iter()
            .max_by_key(|own| (!own.record.questions.is_empty(), alike(own), &own.record.begun))
    }

    /// What is still awaited; nothing once all shards of a number have ended.
    pub fn waiting(shards: &[Self]) -> Option<WaitingFor> {
        let mut counts: Vec<usize> = shards.iter().map(|own| own.shard.count()).collect();
        counts.dedup();
        let tallies = counts.into_iter().map(|count| {
            let ended =
                shards.iter().filter(|own| own.shard.count() == count && own.record.end.is_some());
            let mut numbers: Vec<usize> = ended.map(|own| own.shard.number()).collect();
            numbers.dedup();
            WaitingFor { ended: numbers.len(), count }
        });
        let nearest = tallies.min_by_key(|own| own.count - own.ended);
        nearest.filter(|own| own.ended < own.count)
    }

    /// Why shards cannot be merged with `reference`: they are of another run, or their databases are not what their records
    /// say. Every byte of these is read.
    pub(super) fn refusals(
        shards: &[Self],
        reference: &ShardRecord,
    ) -> Result<Vec<String>, RunError> {
        let found: Vec<Option<String>> = shards
            .par_iter()
            .map(|own| {
                // One that was stopped before it had read its rows says nothing of them, and has asked nothing.
                let is_blank = own.record.end.is_none() && own.record.questions.is_empty();
                if let Some(what) = own.record.difference(reference).filter(|_| !is_blank) {
                    let mut why =
                        format!("it was asked with {what} than shard {}", Shard::of(reference));
                    if own.record.command != reference.command {
                        let [one, other] =
                            [&own.record, reference].map(|own| shell_text(&own.command));
                        why = format!("{why}, namely by `{one}` and not by `{other}`");
                    }
                    return Ok(Some(refusal(&own.folder, &why)));
                }
                let Some(end) = &own.record.end else { return Ok(None) };
                let digest = own.folder.digest()?.map(|digest| hex(&digest));
                let is_it = digest.as_ref() == Some(&end.database);
                Ok((!is_it)
                    .then(|| refusal(&own.folder, "its database is not what its record says")))
            })
            .collect::<Result<_, RunError>>()?;
        Ok(found.into_iter().flatten().collect())
    }
}

impl Shard {
    /// The name of a record's shard.
    fn of(record: &ShardRecord) -> String {
        format!("{}/{}", record.number, record.count)
    }
}

fn refusal(folder: &ShardFolder, why: &str) -> String {
    format!("{}: {why}; ask that shard once more, or remove the folder", folder.path().display())
}
