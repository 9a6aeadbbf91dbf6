//! A merge: the run itself, with every answer taken from shards.
//!
//! Rows and prompts are made ready as for a run, and held against what the shards have read. No weights are read, and no
//! device is opened: models are known by the keys in the records, which are hashes of their bytes.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    Shard, Sharing,
    command::shell_text,
    found::FoundShard,
    record::{RecordedFile, RecordedModel, ShardRecord, bytes, hex},
    share::Share,
};
use crate::{
    answer::{ModelKey, QuestionKey},
    kept_run::{RunError, RunOutcome, WorkDone, find},
    plan::RunPlan,
    prepare::{Progress, ReadyRun},
    report::grouped,
    run::{
        RunOptions,
        execute::{self, Execution, tell_warnings},
        identity::{self, KnownModel, RunParts},
        page::with_page,
        start::{Start, begin},
    },
    store::{OtherAnswers, Store, StoreError},
};

/// Shards that are told one by one when something of them is missing.
const TOLD_SHARDS: usize = 20;

/// Weights beyond this are only hashed where something else says that they may have changed.
const SMALL_BYTES: u64 = 64 << 20;

/// What is merged.
#[derive(Clone, Debug)]
pub struct MergeOptions {
    /// The shards, by their numbers.
    pub shards: Vec<FoundShard>,
}

/// Makes the run of its shards. `options` are those of the shards' command; the run goes into their working folder.
///
/// # Errors
/// A shard is of another run or not as it was written; answers are missing; or what a run may fail with.
pub fn merge(
    plan: &RunPlan,
    options: &RunOptions,
    merged: &MergeOptions,
    progress: &dyn Progress,
) -> Result<RunOutcome, RunError> {
    let Some(reference) = FoundShard::reference(&merged.shards) else {
        return Err(RunError::ShardsMissing(vec!["there are no shards yet".to_owned()]));
    };
    let reference = &reference.record;
    let refusals = FoundShard::refusals(&merged.shards, reference)?;
    if !refusals.is_empty() {
        return Err(RunError::ShardsRefused(refusals));
    }
    let mut machines: Vec<&str> =
        merged.shards.iter().map(|own| own.record.machine.as_str()).collect();
    machines.sort_unstable();
    machines.dedup();
    let options = RunOptions {
        machine: machines.join("; "),
        command_line: reference.command.clone(),
        ..options.clone()
    };
    find::mended(&options.work_dir, progress, || {
        attempt(plan, &options, merged, reference, progress)
    })
}

fn attempt(
    plan: &RunPlan,
    options: &RunOptions,
    merged: &MergeOptions,
    reference: &ShardRecord,
    progress: &dyn Progress,
) -> Result<RunOutcome, RunError> {
    let sandbox = execute::sandbox(plan, options, progress)?;
    let ready =
        ReadyRun::prepare(plan, options.limit, Some(&options.work_dir), options.now, progress)?;
    let mut warnings = ready.warnings(plan);
    tell_warnings(plan, options, &mut warnings, progress)?;
    same_run(plan, options, &ready, reference)?;
    let models: Vec<KnownModel> = ready
        .models
        .iter()
        .zip(&reference.models)
        .map(|(model, recorded)| {
            let key = bytes(&recorded.key).map(ModelKey::from_bytes);
            let key = key.ok_or_else(|| changed("a model's key is none"))?;
            let (dtype, images) = (recorded.dtype.clone(), identity::images(model));
            Ok(KnownModel::recorded(model.plan, key, dtype, images))
        })
        .collect::<Result<_, RunError>>()?;
    let mut store = execute::open(options, progress)?;
    let folders: Vec<_> = merged.shards.iter().map(|own| own.folder.path().to_owned()).collect();
    let (others, notes) = OtherAnswers::look(&folders);
    for note in &notes {
        progress.note(note);
    }
    let failures = failures(&merged.shards, &others)?;
    let missing = missing(plan, &ready, &models, &store, (&others, &failures))?;
    if !missing.is_empty() {
        return Err(RunError::ShardsMissing(lines(
            plan,
            &ready,
            &missing,
            &merged.shards,
            reference,
        )));
    }
    let work = identity::work(plan, options, &reference.device_kinds, &ready, &models, &[]);
    let (run, facts) = match begin(&mut store, plan, options, (work, work), &[], progress)? {
        Start::Done(outcome) => return Ok(with_page(outcome, options, &store, progress)),
        Start::Own(run, facts) => (run, *facts),
    };
    let mut execution = Execution {
        plan,
        options,
        progress,
        store,
        run,
        facts,
        warnings,
        work: WorkDone::default(),
        sharing: Some(Sharing::of_merge(others, failures)),
    };
    execution.answer(ready, &models, &[])?;
    // What was asked was asked by the shards.
    let ends = merged.shards.iter().filter_map(|own| own.record.end.as_ref());
    execution.work = WorkDone {
        questions: execution.work.questions,
        computed_tokens: ends.map(|end| end.computed_tokens).sum(),
        ..WorkDone::default()
    };
    execution.facts.work = execution.work;
    execution.facts.devices.clone_from(&reference.devices);
    execution.evaluate(&BTreeMap::new(), sandbox.as_ref())
}

/// An error if config, rows, prompts or models are not those that the shards have read.
fn same_run(
    plan: &RunPlan,
    options: &RunOptions,
    ready: &ReadyRun<'_>,
    reference: &ShardRecord,
) -> Result<(), RunError> {
    let parts = RunParts::of(plan, options, ready);
    let pairs = [
        ("the config, or an option of the run,", &parts.config, &reference.config),
        ("what the data sets hold", &parts.rows, &reference.rows),
        ("what prompts are made of", &parts.questions, &reference.questions),
    ];
    for (what, now, then) in pairs {
        if hex(&now.0) != *then {
            return Err(changed(what));
        }
    }
    if ready.models.len() != reference.models.len() {
        return Err(changed("the list of models"));
    }
    for (model, recorded) in ready.models.iter().zip(&reference.models) {
        let checkpoint = model.source.needed(model.plan)?;
        let mut paths = checkpoint.files();
        paths.sort();
        if !are_the_same(&paths, recorded)? {
            return Err(changed(&format!("the checkpoint of model {}", recorded.abbr)));
        }
    }
    Ok(())
}

fn changed(what: &str) -> RunError {
    RunError::ShardsRefused(vec![format!(
        "{what} has changed since the shards were asked; restore it, or ask them again"
    )])
}

/// Whether the files of a checkpoint are those that were asked. Large ones are only read if they were written since.
fn are_the_same(paths: &[std::path::PathBuf], recorded: &RecordedModel) -> Result<bool, RunError> {
    if paths.len() != recorded.files.len() {
        return Ok(false);
    }
    for (path, then) in paths.iter().zip(&recorded.files) {
        let now = RecordedFile::of(path, None)?;
        if now.name != then.name || now.bytes != then.bytes {
            return Ok(false);
        }
        let may_differ = now.bytes <= SMALL_BYTES || now.modified_nanos != then.modified_nanos;
        if may_differ && RecordedFile::hashed(path)?.digest != then.digest {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Questions that shards have tried and that no other has an answer to.
fn failures(
    shards: &[FoundShard],
    others: &OtherAnswers,
) -> Result<HashMap<QuestionKey, String>, RunError> {
    let mut failures = HashMap::new();
    let ends = shards.iter().filter_map(|own| own.record.end.as_ref());
    for failed in ends.flat_map(|end| &end.failed) {
        let question = bytes(&failed.question).map(QuestionKey::from_bytes);
        let question = question.ok_or_else(|| changed("a question's key is none"))?;
        if !others.has(&question) {
            failures.entry(question).or_insert_with(|| failed.error.clone());
        }
    }
    Ok(failures)
}

/// A question that is known before anything is answered, and that nobody has answered: model, data set and row.
type Missing = (usize, usize, usize);

fn missing(
    plan: &RunPlan,
    ready: &ReadyRun<'_>,
    models: &[KnownModel],
    store: &Store,
    (others, failures): (&OtherAnswers, &HashMap<QuestionKey, String>),
) -> Result<Vec<Missing>, StoreError> {
    let mut missing = Vec::new();
    let mut seen: HashSet<QuestionKey> = HashSet::new();
    for (number, (model, known)) in ready.models.iter().zip(models).enumerate() {
        for (place, (dataset, unit)) in plan.datasets.iter().zip(&model.units).enumerate() {
            if dataset.waits() {
                // Its prompts hold what is said before them.
                continue;
            }
            for sample in &unit.samples {
                for prompt in &sample.prompts {
                    let key = unit.inferencer.question(prompt).key(&known.identity);
                    let is_known =
                        !seen.insert(key) || others.has(&key) || failures.contains_key(&key);
                    if !is_known && store.answer(&key)?.is_none() {
                        missing.push((number, place, sample.sample));
                    }
                }
            }
        }
    }
    Ok(missing)
}

/// What is missing, by shards, each with the command that asks it.
fn lines(
    plan: &RunPlan,
    ready: &ReadyRun<'_>,
    missing: &[Missing],
    shards: &[FoundShard],
    reference: &ShardRecord,
) -> Vec<String> {
    // Of several divisions the one that is nearest to its end.
    let count = FoundShard::waiting(shards).map_or(reference.count, |waiting| waiting.count);
    let Some(first) = Shard::new(1, count) else { return Vec::new() };
    let share = Share::new(plan, ready, first);
    let mut lacking: BTreeMap<usize, (usize, HashSet<Missing>)> = BTreeMap::new();
    for &(model, dataset, row) in missing {
        let own = lacking.entry(share.number(model, dataset, row)).or_default();
        own.0 += 1;
        own.1.insert((model, dataset, row));
    }
    let command = shell_text(&reference.command);
    let mut lines = Vec::new();
    for (number, (questions, samples)) in lacking.iter().take(TOLD_SHARDS) {
        let own = shards.iter().find(|own| Some(own.shard) == Shard::new(*number, count));
        let state = match own.map(|own| own.record.end.is_some()) {
            None => "is not there",
            Some(false) => "has not ended",
            Some(true) => "has ended, and something of it cannot be read back",
        };
        lines.push(format!(
            "shard {number}/{count} {state}: {} questions of {} samples have no answer; ask it with\n  {command} --shard \
             {number}/{count}",
            grouped(*questions),
            grouped(samples.len()),
        ));
    }
    if let Some(more) = lacking.len().checked_sub(TOLD_SHARDS).filter(|more| *more > 0) {
        lines.push(format!("and {} more shards", grouped(more)));
    }
    lines.push(format!(
        "{} questions are missing in all; any other number of shards asks them, too, and nothing else",
        grouped(missing.len())
    ));
    lines
}
