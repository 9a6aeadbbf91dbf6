//! Running a plan.

use candle_core::{DType, Device};

use super::{
    Progress, RunError, RunOptions, RunOutcome, RunPlan, evaluation,
    prepare::{LoadedDataset, task},
    ready::{ReadyModel, ReadyRun, model_failed},
    tokenizer::ModelTokenizer,
    work,
};
use crate::{
    engine::{Engine, EngineOptions},
    infer::{Prepared, Record},
    report,
    store::{Fingerprint, Journal, RunFolder, write_atomically},
};

/// Runs a plan to its end.
pub fn execute(
    plan: &RunPlan,
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<RunOutcome, RunError> {
    let device = options.device.open().map_err(|error| RunError::Device(Box::new(error)))?;
    let ReadyRun { datasets: loaded, models } =
        ReadyRun::prepare(plan, options.limit, options.now, progress)?;

    let time_stamp = options.now.strftime("%Y%m%d_%H%M%S").to_string();
    let fingerprint = fingerprint(plan, options, &models)?;
    let folder = RunFolder::open(&options.work_dir, &fingerprint, &time_stamp)?;
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

/// Answers whatever a model has no records for; the weights are only read if there is something.
fn answer_all(
    plan: &RunPlan,
    loaded: &[LoadedDataset],
    model: ReadyModel<'_>,
    folder: &RunFolder,
    device: &Device,
    progress: &dyn Progress,
) -> Result<Vec<Vec<Record>>, RunError> {
    let ReadyModel { plan: model, checkpoint, markup, max_seq_len_tokens, units } = model;
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
        let cut_before = unit.cut_samples();
        progress.begin(&format!("{} · {}", dataset.abbr, model.abbr), unit.samples.len(), kept);
        if kept < unit.samples.len() {
            if let Some(checkpoint) = checkpoint.take() {
                let mut weights = checkpoint.load(device, DType::F32).map_err(failed)?;
                weights.generation.eos_ids.extend(&model.eos_token_ids);
                engine = Some(Engine::new(weights, EngineOptions::default()));
            }
            if let Some(engine) = &engine {
                let tokenizer = ModelTokenizer::new(engine.tokenizer(), model);
                let task = task(dataset, loaded, model, &markup, &tokenizer, max_seq_len_tokens);
                records.extend(work::answer(engine, unit, &task, kept, &mut journal, progress)?);
            }
        }
        progress.end();
        let cut = records.iter().filter(|record| record.truncated_tokens > 0).count();
        if cut > cut_before {
            progress.note(&format!(
                "data set {}, model {}: {} more samples were cut to fit {max_seq_len_tokens} tokens as their dialogue \
                 went on",
                dataset.abbr,
                model.abbr,
                cut - cut_before
            ));
        }
        let predictions = report::predictions(&records);
        write_atomically(&folder.predictions(&model.abbr, &dataset.abbr), predictions.as_bytes())?;
        all.push(records);
    }
    if let Some(engine) = &engine {
        progress.note(&report::statistics_line(&model.abbr, &engine.statistics()));
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
            model.units.iter().flat_map(|unit| &unit.samples).flat_map(Prepared::all_prompts)
        {
            parts.push(prompt.ids.iter().flat_map(|id| id.to_le_bytes()).collect());
            let counted =
                prompt.counted.iter().flatten().flat_map(|range| [range.start, range.end]);
            let counted: Vec<u8> = counted.flat_map(usize::to_le_bytes).collect();
            parts.extend((!counted.is_empty()).then_some(counted));
        }
    }
    Ok(Fingerprint::of(parts.iter().map(Vec::as_slice)))
}
