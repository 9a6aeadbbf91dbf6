//! Asking a shard: everything is made ready, a share of it is asked, and a record says what came of it.

use std::path::PathBuf;

use serde::Serialize;

use super::{
    Shard, Sharing,
    record::{
        FailedQuestion, RecordError, RecordedFile, RecordedModel, ShardEnd, ShardRecord, hex,
    },
    share::Share,
    sharing::StopSign,
};
use crate::{
    kept_run::{RunError, RunFacts, WorkDone},
    plan::RunPlan,
    prepare::{Progress, ReadyRun},
    run::{
        RunOptions,
        execute::{Execution, tell_warnings},
        fleet,
        identity::{self, KnownModel, RunParts},
        inputs::Inputs,
    },
    store::{OtherAnswers, RunRow, ShardFolder, Store, StoreError},
};

/// Which shard is asked, and what its record says of the command.
#[derive(Clone, Debug)]
pub struct ShardOptions {
    /// Which.
    pub shard: Shard,
    /// What was typed, without the choice of a shard.
    pub command: Vec<String>,
    /// In which folder.
    pub directory: PathBuf,
    /// Raised when the process is to end.
    pub stop: StopSign,
}

/// What has come of a shard.
#[derive(Debug, Serialize)]
pub struct ShardOutcome {
    /// Which shard, from 1.
    pub number: usize,
    /// Of how many.
    pub count: usize,
    /// Its folder.
    pub folder: PathBuf,
    /// Samples that it asks.
    pub samples: usize,
    /// Those without an answer.
    pub failed_samples: usize,
    /// Whether it had ended before: then nothing was asked.
    pub is_from_store: bool,
    /// What was asked.
    pub work: WorkDone,
}

/// Asks a shard of a run to its end.
///
/// # Errors
/// The run cannot be asked in parts, something of it cannot be made ready, another process asks the shard, or `stop` was
/// raised: what is answered is kept.
pub fn ask_shard(
    plan: &RunPlan,
    options: &RunOptions,
    asked: &ShardOptions,
    progress: &dyn Progress,
) -> Result<ShardOutcome, RunError> {
    let inputs = Inputs::of(plan);
    refuse(plan, options, inputs.as_ref())?;
    let shard = asked.shard;
    let folder = ShardFolder::new(&options.work_dir, shard.number(), shard.count());
    let _asked = folder.lock()?;
    let before = ended_before(&folder, shard, progress)?;
    let mut record = blank(options, asked);
    // Whoever opens the database from now on knows by the record that it is a shard's.
    record.write(&folder)?;
    let devices = fleet::open_devices(options)?;
    let ready = ReadyRun::prepare(plan, options.limit, Some(folder.path()), options.now, progress)?;
    let mut warnings = ready.warnings(plan);
    tell_warnings(plan, options, &mut warnings, progress)?;
    let (store, note) = Store::open(folder.path())?;
    if let Some(note) = note {
        progress.note(&note);
    }
    let models: Vec<KnownModel> = ready
        .models
        .iter()
        .map(|model| KnownModel::of(model, options, &store))
        .collect::<Result<_, _>>()?;
    if let Some(inputs) = &inputs {
        inputs.check(plan)?;
    }
    let parts = RunParts::of(plan, options, &ready);
    let share = Share::new(plan, &ready, shard);
    let (samples, of_samples) = share.samples();
    record.config = hex(&parts.config.0);
    record.rows = hex(&parts.rows.0);
    record.questions = hex(&parts.questions.0);
    record.models = recorded(&ready, &models, &store)?;
    record.samples = samples;
    let outcome = |failed_samples, is_from_store, work| ShardOutcome {
        number: shard.number(),
        count: shard.count(),
        folder: folder.path().to_owned(),
        samples,
        failed_samples,
        is_from_store,
        work,
    };
    let computed_before = match before {
        Some((ended, end)) if ended.difference(&record).is_none() => {
            if end.failed.is_empty() {
                drop(store);
                let failed_samples = end.failed_samples;
                let end = ShardEnd { database: digest(&folder)?, ..end };
                let mut ended = ShardRecord { end: Some(end), ..ended };
                ended.write(&folder)?;
                return Ok(outcome(failed_samples, true, WorkDone::default()));
            }
            end.computed_tokens
        }
        _ => 0,
    };
    record.write(&folder)?;
    if asked.stop.is_raised() {
        return Err(RunError::ShardStopped);
    }
    let mut others: Vec<PathBuf> = Vec::new();
    for other in ShardFolder::found_in(&options.work_dir)? {
        if other != folder {
            others.push(other.path().to_owned());
        }
    }
    let (others, notes) = OtherAnswers::look(&others);
    for note in &notes {
        progress.note(note);
    }
    progress.note(&format!("shard {shard}: {samples} of {of_samples} samples"));
    let work = identity::work(plan, options, &record.device_kinds, &ready, &models, &[]);
    let mut execution = Execution {
        plan,
        options,
        progress,
        store,
        run: RunRow::of_shard(work),
        facts: RunFacts::default(),
        warnings,
        work: WorkDone::default(),
        sharing: Some(Sharing::of_shard(share, others, asked.stop.clone())),
    };
    execution.answer(ready, &models, &devices)?;
    let (work, sharing) = (execution.work, execution.sharing.take());
    // The database is closed before it is hashed.
    drop(execution);
    let (failed, failed_samples) =
        sharing.map(|own| (own.failed, own.failed_samples)).unwrap_or_default();
    record.end = Some(ShardEnd {
        finished: (options.clock)().to_string(),
        questions: work.questions,
        computed_tokens: computed_before + work.computed_tokens,
        database: digest(&folder)?,
        failed_samples,
        failed: failed
            .into_iter()
            .map(|(question, error)| FailedQuestion { question: hex(question.as_bytes()), error })
            .collect(),
    });
    record.write(&folder)?;
    Ok(outcome(failed_samples, false, work))
}

/// Refuses what cannot be asked in parts.
fn refuse(plan: &RunPlan, options: &RunOptions, inputs: Option<&Inputs>) -> Result<(), RunError> {
    let refused = |what: String| Err(RunError::ShardRefused(what));
    if let Some(model) = plan.models.iter().find(|model| model.served.is_some()) {
        return refused(format!(
            "model {} is behind a server, which many processes would not ask faster; run it in one, where query_per_second \
             and concurrency bound it",
            model.abbr
        ));
    }
    if let Some(judge) = plan.judges().first() {
        return refused(format!(
            "judge {} reads predictions that are known after the merge; leave judges out of the config and ask for it then, \
             with `surprisal evaluate latest --judge MODEL`",
            judge.abbr
        ));
    }
    if options.with_posix {
        return refused(
            "--posix scores answers after the wordings of other variants, which are in other shards; leave it out".to_owned(),
        );
    }
    if options.is_fresh {
        return refused(
            "--fresh would ask everything again whenever the shard goes on; remove its folder instead".to_owned(),
        );
    }
    if inputs.is_some_and(|inputs| inputs.tells_time) {
        return refused(
            "a chat template may write today's date into prompts, so that shards that begin on different days ask different \
             things; give the model's entry a chat_template that does not"
                .to_owned(),
        );
    }
    Ok(())
}

/// The record of a shard that has ended, if its database is what that says. Another one is taken out of the way: nobody
/// knows what was changed in it.
fn ended_before(
    folder: &ShardFolder,
    shard: Shard,
    progress: &dyn Progress,
) -> Result<Option<(ShardRecord, ShardEnd)>, RunError> {
    let why = match ShardRecord::read(folder) {
        // Its answers carry what decides them, and the engine's bits are part of that.
        Ok(None) | Err(RecordError::Program(_)) => return Ok(None),
        Ok(Some(mut record)) => match record.end.take() {
            None => return Ok(None),
            Some(end) => {
                let found = folder.digest()?.map(|digest| hex(&digest));
                if found.as_ref() == Some(&end.database) {
                    return Ok(Some((record, end)));
                }
                "its database is not what its record says".to_owned()
            }
        },
        Err(RecordError::Store(error)) => return Err(error.into()),
        Err(error @ RecordError::Changed) => error.to_string(),
    };
    let aside = folder.set_aside()?;
    progress.note(&format!(
        "shard {shard}: {why}; everything is asked again, and the database is kept as {}",
        aside.display()
    ));
    Ok(None)
}

/// A record before anything is known.
fn blank(options: &RunOptions, asked: &ShardOptions) -> ShardRecord {
    let (format, version, numerics) = ShardRecord::program();
    ShardRecord {
        format,
        version,
        numerics,
        number: asked.shard.number(),
        count: asked.shard.count(),
        command: asked.command.clone(),
        directory: asked.directory.clone(),
        machine: options.machine.clone(),
        device_kinds: identity::device_kinds(&options.devices),
        devices: options.devices.iter().map(ToString::to_string).collect(),
        config: String::new(),
        rows: String::new(),
        questions: String::new(),
        models: Vec::new(),
        samples: 0,
        begun: options.now.to_string(),
        end: None,
        checksum: String::new(),
    }
}

/// What a record says of models.
fn recorded(
    ready: &ReadyRun<'_>,
    known: &[KnownModel],
    store: &Store,
) -> Result<Vec<RecordedModel>, RunError> {
    let mut models = Vec::with_capacity(known.len());
    for (model, known) in ready.models.iter().zip(known) {
        let mut files = Vec::with_capacity(known.files.len());
        for file in &known.files {
            files.push(RecordedFile::of(file.path(), Some(&store.digest(file.path())?))?);
        }
        models.push(RecordedModel {
            abbr: model.plan.abbr.clone(),
            key: known.identity.key.to_string(),
            dtype: known.dtype.clone(),
            files,
        });
    }
    Ok(models)
}

/// The digest of a database that is closed, in hexadecimal digits.
fn digest(folder: &ShardFolder) -> Result<String, RunError> {
    match folder.digest()? {
        Some(digest) => Ok(hex(&digest)),
        None => Err(StoreError::Changed { path: folder.path().to_owned() }.into()),
    }
}
