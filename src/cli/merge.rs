//! `surprisal merge`: the run of its shards.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use clap::Parser as _;

use super::{
    args::{Arguments, Command, MergeArguments},
    chosen_datasets,
    output::talk,
    progress::TerminalProgress,
    run, shard,
};
use crate::{
    kept_run::RunError,
    plan::RunPlan,
    run::{FoundShard, MergeOptions, RunOptions, merge},
};

/// Between two looks whether shards have ended.
const POLL: Duration = Duration::from_secs(2);

/// Merges shards and prints the results of the run.
pub(super) fn merge_shards(arguments: &MergeArguments) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let folders: Vec<PathBuf> =
        arguments.folders.iter().map(|folder| absolute(folder)).collect::<Result<_, _>>()?;
    let progress = TerminalProgress::new();
    let shards = match found(&folders, arguments.wait) {
        Ok(shards) => shards,
        Err(error) => return shard::ended(error),
    };
    let Some(reference) = FoundShard::reference(&shards) else {
        return shard::ended(RunError::ShardsMissing(vec!["there are no shards yet".to_owned()]));
    };
    let work_dir = match &arguments.work_dir {
        Some(typed) => std::path::absolute(typed)?,
        None => shards[0].folder.work_dir().map(Path::to_owned).with_context(|| {
            format!(
                "{}: it lies in no working folder; name one with -w",
                shards[0].folder.path().display()
            )
        })?,
    };
    let record = &reference.record;
    // What was typed for the shards says what the run is, with the paths that it had there.
    std::env::set_current_dir(&record.directory).map_err(|error| {
        anyhow::anyhow!(
            "the shards were asked in {}, and a merge reads configs and data from there: {error}",
            record.directory.display()
        )
    })?;
    let typed = Arguments::try_parse_from(&record.command).map_err(|error| {
        anyhow::anyhow!("the command of shard {} is not understood: {error}", reference.shard)
    })?;
    let Command::Run(typed) = typed.command else {
        anyhow::bail!("shard {} was asked by another command than run", reference.shard);
    };
    let mut plan = RunPlan::load_with(&typed.sources()?)?;
    let asking = &typed.options.asking;
    chosen_datasets::keep(&mut plan, &asking.datasets)?;
    let options =
        RunOptions { work_dir: work_dir.clone(), devices: Vec::new(), ..run::options(asking) };
    let merged = MergeOptions { shards: shards.clone() };
    let outcome = match merge(&plan, &options, &merged, &progress) {
        Ok(outcome) => outcome,
        Err(error) => return shard::ended(error),
    };
    talk(&format!("shards merged: {}", shards.len()));
    let mut shown = typed.options;
    shown.asking.work_dir = work_dir;
    shown.all = arguments.all;
    shown.json = arguments.json;
    run::show(&plan, &outcome, &shown, started, &progress)
}

fn absolute(folder: &Path) -> anyhow::Result<PathBuf> {
    folder.canonicalize().map_err(|error| {
        anyhow::anyhow!(
            "there are no shards in {}: {error}; name the working folder of `run --shard`",
            folder.display()
        )
    })
}

/// The shards, once all of a number have ended or nobody waits any longer.
fn found(folders: &[PathBuf], minutes: Option<u64>) -> Result<Vec<FoundShard>, RunError> {
    let Some(minutes) = minutes else { return FoundShard::all(folders) };
    let end = Instant::now() + Duration::from_secs(minutes.saturating_mul(60));
    let mut told = None;
    loop {
        // Without a first shard there is nothing to say of the others yet.
        let found = FoundShard::all(folders);
        let waiting = match &found {
            Ok(shards) => FoundShard::waiting(shards),
            Err(RunError::ShardsRefused(_)) if !any_shard(folders) => None,
            Err(_) => return found,
        };
        if found.is_ok() && waiting.is_none() || Instant::now() >= end {
            return found;
        }
        if told != Some(waiting) {
            told = Some(waiting);
            talk(&waiting.map_or_else(
                || "waiting for the first shard".to_owned(),
                |own| format!("waiting: {} of {} shards have ended", own.ended, own.count),
            ));
        }
        std::thread::sleep(POLL);
    }
}

/// Whether there is a shard in any of the folders.
fn any_shard(folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| {
        crate::store::ShardFolder::found_in(folder).is_ok_and(|found| !found.is_empty())
    })
}
