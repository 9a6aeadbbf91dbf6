//! Running a plan.

use candle_core::{DType, Device};

use super::{
    ModelPlan, Progress, RunError, RunOptions, RunOutcome, RunPlan, evaluation,
    prepare::{LoadedDataset, Unit, prepare},
    tokenizer::ModelTokenizer,
    work,
};
use crate::{
    engine::{Engine, EngineOptions},
    infer::Record,
    model::{Checkpoint, ModelError},
    report,
    store::{Fingerprint, Journal, RunFolder, write_atomically},
};

/// A model whose prompts are ready and whose weights are still on disk.
struct ReadyModel<'a> {
    plan: &'a ModelPlan,
    checkpoint: Checkpoint,
    /// One per data set, in order.
    units: Vec<Unit>,
}

/// Runs a plan to its end.
pub fn execute(
    plan: &RunPlan,
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<RunOutcome, RunError> {
    let device = options.device.open().map_err(|error| RunError::Device(Box::new(error)))?;
    for dataset in &plan.datasets {
        for note in &dataset.notes {
            progress.note(&format!("data set {}: {note}", dataset.abbr));
        }
    }
    let loaded: Vec<LoadedDataset> = plan
        .datasets
        .iter()
        .map(|dataset| LoadedDataset::load(dataset, options.limit))
        .collect::<Result<_, _>>()?;
    let models: Vec<ReadyModel<'_>> = plan
        .models
        .iter()
        .map(|model| ready(plan, &loaded, model, progress))
        .collect::<Result<_, _>>()?;

    let fingerprint = fingerprint(plan, options, &models)?;
    let folder = RunFolder::open(&options.work_dir, &fingerprint, &options.time_stamp)?;
    if folder.resumed() {
        progress.note(&format!("going on with {}", folder.root().display()));
    }
    write_atomically(&folder.config(), plan.dump().as_bytes())?;

    let mut outcome =
        RunOutcome { folder: folder.root().to_owned(), results: Vec::new(), failed_samples: 0 };
    let mut stored = Vec::new();
    for model in models {
        let entry = model.plan;
        let records = answer_all(plan, &loaded, model, &folder, &device, progress)?;
        for ((dataset, loaded), records) in plan.datasets.iter().zip(&loaded).zip(records) {
            let evaluated = evaluation::evaluate(dataset, loaded, entry, &records, &folder)?;
            outcome.results.extend(evaluated.rows);
            outcome.failed_samples += evaluated.failed_samples;
            stored.extend(evaluated.stored);
        }
    }
    evaluation::write_summaries(plan, &stored, &folder)?;
    folder.finish(&fingerprint)?;
    Ok(outcome)
}

/// Checks a model's checkpoint and builds its prompts.
fn ready<'a>(
    plan: &RunPlan,
    loaded: &[LoadedDataset],
    model: &'a ModelPlan,
    progress: &dyn Progress,
) -> Result<ReadyModel<'a>, RunError> {
    for note in &model.notes {
        progress.note(&format!("model {}: {note}", model.abbr));
    }
    let checkpoint = Checkpoint::open(&model.path.to_string_lossy())
        .map_err(|source| model_failed(model, source))?;
    let context_tokens = checkpoint.spec().context_tokens;
    let max_seq_len_tokens = model.max_seq_len_tokens.unwrap_or(context_tokens).min(context_tokens);
    if model.max_seq_len_tokens.is_some_and(|wanted| wanted > context_tokens) {
        progress.note(&format!(
            "model {}: max_seq_len is cut to the checkpoint's context of {context_tokens} tokens",
            model.abbr
        ));
    }
    let tokenizer = ModelTokenizer::new(checkpoint.tokenizer(), model);
    let mut units = Vec::with_capacity(plan.datasets.len());
    for (dataset, loaded) in plan.datasets.iter().zip(loaded) {
        let unit = prepare(dataset, loaded, model, &tokenizer, max_seq_len_tokens)?;
        for note in &unit.notes {
            progress.note(&format!("data set {}, model {}: {note}", dataset.abbr, model.abbr));
        }
        units.push(unit);
    }
    Ok(ReadyModel { plan: model, checkpoint, units })
}

/// Answers whatever a model has no records for; the weights are only read if there is something.
fn answer_all(
    plan: &RunPlan,
    loaded: &[LoadedDataset],
    model: ReadyModel<'_>,
    folder: &RunFolder,
    device: &Device,
    progress: &dyn Progress,
) -> Result<Vec<Vec<Record>>, RunError> {
    let ReadyModel { plan: model, checkpoint, units } = model;
    let failed = |source| model_failed(model, source);
    let mut checkpoint = Some(checkpoint);
    let mut engine: Option<Engine> = None;
    let mut all = Vec::with_capacity(units.len());
    for ((dataset, loaded), unit) in plan.datasets.iter().zip(loaded).zip(units) {
        let (mut journal, mut records) =
            Journal::<Record>::open(&folder.records(&model.abbr, &dataset.abbr))?;
        let kept = work::kept(&unit.samples, records.len());
        records.truncate(kept);
        journal.keep(kept)?;
        progress.begin(&format!("{} · {}", dataset.abbr, model.abbr), unit.samples.len(), kept);
        if kept < unit.samples.len() {
            if let Some(checkpoint) = checkpoint.take() {
                let mut weights = checkpoint.load(device, DType::F32).map_err(failed)?;
                weights.generation.eos_ids.extend(&model.eos_token_ids);
                engine = Some(Engine::new(weights, EngineOptions::default()));
            }
            if let Some(engine) = &engine {
                let column = dataset.reader.output_column();
                let gold = |sample: usize| loaded.rows.test.get(sample)?.get(column?).cloned();
                records.extend(work::answer(engine, unit, &gold, kept, &mut journal, progress)?);
            }
        }
        progress.end();
        let predictions = report::predictions(&records);
        write_atomically(&folder.predictions(&model.abbr, &dataset.abbr), predictions.as_bytes())?;
        all.push(records);
    }
    Ok(all)
}

/// Everything that decides the records: what the entries say, what the prompts came out as, the
/// checkpoint's files, and this program's version.
fn fingerprint(
    plan: &RunPlan,
    options: &RunOptions,
    models: &[ReadyModel<'_>],
) -> Result<Fingerprint, RunError> {
    let mut parts: Vec<Vec<u8>> = vec![
        env!("CARGO_PKG_VERSION").into(),
        options.device.to_string().into(),
        plan.dump().into_bytes(),
    ];
    for model in models {
        for file in model.checkpoint.files() {
            parts.push(Fingerprint::of_file(&file)?.as_bytes().to_vec());
        }
        for prompt in
            model.units.iter().flat_map(|unit| &unit.samples).flat_map(|sample| &sample.prompts)
        {
            parts.push(prompt.ids.iter().flat_map(|id| id.to_le_bytes()).collect());
        }
    }
    Ok(Fingerprint::of(parts.iter().map(Vec::as_slice)))
}

fn model_failed(model: &ModelPlan, source: ModelError) -> RunError {
    RunError::Model { model: model.abbr.clone(), source: Box::new(source) }
}
