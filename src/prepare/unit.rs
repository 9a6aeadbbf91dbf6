//! Everything of a run that needs no weights: rows, examples, prompts, ids.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::{LoadedDataset, PrepareError, Progress};
use crate::{
    infer::{InferError, Inferencer, Outcome, Prepared, Render, Task, Tokenize, Wanted},
    model::media::Sight,
    plan::{DatasetPlan, ModelPlan},
    warn::{self, Subject, WarningCount},
};

/// Files that are told of by name.
const NAMED_REMARKS: usize = 3;

/// One data set under one model, ready for the engine.
#[derive(Debug)]
pub(crate) struct Unit {
    /// What is asked.
    pub(crate) inferencer: Box<dyn Inferencer>,
    /// One entry per test sample, in order; all of them once more for each further run.
    pub(crate) samples: Vec<Prepared>,
    /// What people should know about it.
    pub(crate) notes: Vec<String>,
    /// What would be measured wrongly, counted over its samples.
    pub(crate) warnings: Vec<WarningCount>,
}

/// A data set as an inferencer sees it under a model, if there is one.
pub(crate) fn task<'a>(
    dataset: &'a DatasetPlan,
    loaded: &'a LoadedDataset,
    model: Option<&'a ModelPlan>,
    markup: &'a dyn Render,
    tokenizer: &'a dyn Tokenize,
    max_seq_len_tokens: usize,
) -> Task<'a> {
    Task {
        train: &loaded.rows.train,
        test: &loaded.rows.test,
        input_columns: dataset.reader.input_columns(),
        output_column: dataset.reader.output_column(),
        assembly: &dataset.assembly,
        examples: &loaded.examples,
        markup,
        tokenizer,
        max_seq_len_tokens,
        stop_words: model.map_or(&[], |model| &model.stop_words),
        wanted: dataset.evaluation.rule.wanted(),
        found_labels: OnceLock::new(),
    }
}

/// Builds, fits and tokenises the prompts of all samples, and looks for what is odd about them; a step of
/// the progress is a sample.
pub(crate) fn prepare(
    dataset: &DatasetPlan,
    loaded: &LoadedDataset,
    model: &ModelPlan,
    markup: &dyn Render,
    tokenizer: &dyn Tokenize,
    max_seq_len_tokens: usize,
    progress: &dyn Progress,
) -> Result<Unit, PrepareError> {
    let failed = |source: InferError| PrepareError::Infer {
        dataset: dataset.abbr.clone(),
        model: model.abbr.clone(),
        source: Box::new(source),
    };
    let inferencer = dataset.inferencer.with_defaults(model.defaults);
    let task = task(dataset, loaded, Some(model), markup, tokenizer, max_seq_len_tokens);
    if task.wanted != Wanted::Nothing && !inferencer.ranks() {
        let rule = dataset.evaluation.rule_name;
        let what =
            format!("the scoring rule {rule} chooses among candidates; it goes with PPLInferencer");
        return Err(failed(InferError::Mismatch(what)));
    }
    if model.served.is_some() {
        served_can(dataset, &*inferencer, &task).map_err(failed)?;
    }
    let mut notes = inferencer.check(&task).map_err(failed)?;
    let given = loaded.known.iter().filter(|known| matches!(known, Some(Outcome::Given { .. })));
    let given = given.count();
    if given > 0 && inferencer.unasked().is_none() {
        notes.push(format!("{given} of {} samples are not asked about", task.test.len()));
    }
    let samples: Vec<Result<Prepared, InferError>> = (0..task.test.len())
        .into_par_iter()
        .map(|sample| {
            let prepared = match &loaded.known[sample] {
                Some(outcome) => Ok(Prepared::known(sample, outcome.clone())),
                None => inferencer.prepare(&task, sample),
            };
            progress.step();
            prepared
        })
        .collect();
    let samples = all_prepared(samples).map_err(failed)?;
    let dropped = samples.iter().filter(|sample| sample.dropped_examples > 0).count();
    if dropped > 0 {
        notes.push(format!(
            "{dropped} of {} samples lost in-context examples to fit {max_seq_len_tokens} tokens",
            samples.len()
        ));
    }
    notes.extend(remarks(tokenizer));
    if dataset.assembly.shows_media() && model.served.is_none() {
        notes.extend(blind(&samples));
    }
    let subject = Subject::new(dataset, Some(model), &model.markup, &*inferencer, &task);
    let mut warnings = warn::count(&subject, &samples);
    let (repeats, note) = dataset.repeats.under(&model.repeats);
    notes.extend(note);
    if repeats.runs > 1 && (dataset.stage.is_some() || inferencer.unasked().is_some()) {
        let what = "a stage is asked once, so n and k of the model have no place; leave them out of its entry";
        return Err(failed(InferError::Mismatch(what.to_owned())));
    }
    if repeats.runs > 1 && inferencer.is_greedy() {
        warnings.push(warn::equal_answers(
            [&dataset.abbr, &model.abbr],
            repeats.runs,
            samples.len(),
        ));
    }
    let samples = repeated(samples, repeats.runs);
    Ok(Unit { inferencer, samples, notes, warnings })
}

/// All samples, or all that cannot be asked about, so that they are mended at once.
fn all_prepared(samples: Vec<Result<Prepared, InferError>>) -> Result<Vec<Prepared>, InferError> {
    let (mut prepared, mut failed) = (Vec::with_capacity(samples.len()), Vec::new());
    for (sample, own) in samples.into_iter().enumerate() {
        match own {
            Ok(own) => prepared.push(own),
            Err(error) => failed.push((sample, error)),
        }
    }
    let mut failed = failed.into_iter();
    let Some((_, first)) = failed.next() else { return Ok(prepared) };
    let others: Vec<usize> = failed.map(|(sample, _)| sample).collect();
    Err(match first {
        // What is told of the data set as a whole is told once.
        InferError::Mismatch(_) => first,
        first if others.is_empty() => first,
        first => InferError::Several { first: Box::new(first), others },
    })
}

/// How many samples of a template with images, videos or sounds have none, if any has.
fn blind(samples: &[Prepared]) -> Option<String> {
    let asked = || samples.iter().filter(|own| own.all_prompts().next().is_some());
    let sees = |own: &&Prepared| own.all_prompts().any(|prompt| Sight::is_marked(&prompt.text));
    let (blind, asked) = (asked().count() - asked().filter(sees).count(), asked().count());
    (blind > 0).then(|| {
        format!("{blind} of {asked} samples show no image, video or sound: their rows name none")
    })
}

/// What is to be told of what prompts show and let hear: of a few by name, of others how many they are.
fn remarks(tokenizer: &dyn Tokenize) -> Vec<String> {
    let mut remarks = tokenizer.take_remarks();
    let others = remarks.len().saturating_sub(NAMED_REMARKS);
    if others > 0 {
        remarks.truncate(NAMED_REMARKS);
        remarks.push(format!("the same or the like is to be said of {others} more files"));
    }
    remarks
}

/// Refuses what cannot be asked of a model behind a server, which is given texts and tells no ids.
fn served_can(
    dataset: &DatasetPlan,
    inferencer: &dyn Inferencer,
    task: &Task<'_>,
) -> Result<(), InferError> {
    let why = match inferencer.not_served() {
        _ if inferencer.unasked().is_some() => None,
        None if task.wanted != Wanted::Nothing => Some(format!(
            "the scoring rule {} asks more than the candidates",
            dataset.evaluation.rule_name
        )),
        why => why.map(str::to_owned),
    };
    match why {
        Some(why) => Err(InferError::Mismatch(format!(
            "a model behind a server cannot be asked this: {why}"
        ))),
        None => Ok(()),
    }
}

/// All samples once more for each further run, which differ in what is drawn alone.
fn repeated(samples: Vec<Prepared>, runs: usize) -> Vec<Prepared> {
    let mut all = Vec::with_capacity(samples.len() * runs);
    for run in 1..runs {
        all.extend(samples.iter().map(|sample| sample.again(run)));
    }
    let mut first = samples;
    first.append(&mut all);
    first
}
