//! Running a plan.

use candle_core::Device;

use super::{
    RunError, RunOptions, RunOutcome, evaluation,
    work::{self, Assignment},
};
use crate::{
    engine::{Engine, Fleet},
    infer::{Prepared, Record},
    model::DeviceName,
    plan::RunPlan,
    prepare::{
        LoadedDataset, ModelTokenizer, PrepareError, Progress, ReadyModel, ReadyRun, Unit,
        model_failed, task,
    },
    report,
    store::{Fingerprint, Journal, RunFolder, write_atomically},
};

/// Runs a plan to its end.
pub fn execute(
    plan: &RunPlan,
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<RunOutcome, RunError> {
    let devices = options
        .devices
        .iter()
        .map(|&name| match name.open() {
            Ok(device) => Ok((name, device)),
            Err(error) => Err(PrepareError::Device(Box::new(error))),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let ReadyRun { datasets: loaded, models } =
        ReadyRun::prepare(plan, options.limit, options.now, progress)?;

    let time_stamp = options.now.strftime("%Y%m%d_%H%M%S").to_string();
    let fingerprint = fingerprint(plan, options, &models)?;
    let folder = RunFolder::open(&options.work_dir, &fingerprint, &time_stamp)?;
    if folder.resumed() {
        progress.note(&format!("going on with {}", folder.root().display()));
    }
    write_atomically(&folder.config(), plan.dump().as_bytes())?;

    let mut outcome = RunOutcome {
        folder: folder.root().to_owned(),
        results: Vec::new(),
        families: Vec::new(),
        failed_samples: 0,
    };
    let mut stored = Vec::new();
    for model in models {
        let entry = model.plan;
        let records = answer_all(plan, &loaded, model, &folder, &devices, options, progress)?;
        for ((dataset, loaded), records) in plan.datasets.iter().zip(&loaded).zip(records) {
            let evaluated = evaluation::evaluate(dataset, loaded, entry, records, &folder)?;
            outcome.results.extend(evaluated.rows);
            outcome.failed_samples += evaluated.failed_samples;
            stored.extend(evaluated.stored);
        }
    }
    evaluation::write_summaries(plan, &stored, &folder)?;
    outcome.families = evaluation::write_details(plan, &outcome.results, &folder)?;
    folder.finish(&fingerprint)?;
    Ok(outcome)
}

/// Answers whatever a model has no records for; the weights are only read if there is something.
fn answer_all(
    plan: &RunPlan,
    loaded: &[LoadedDataset],
    model: ReadyModel<'_>,
    folder: &RunFolder,
    devices: &[(DeviceName, Device)],
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<Vec<Vec<Record>>, RunError> {
    let ReadyModel { plan: model, checkpoint, markup, max_seq_len_tokens, units } = model;
    let tokenizer = checkpoint.tokenizer().clone();
    let tokenizer = ModelTokenizer::new(&tokenizer, model);
    let cut_before: Vec<usize> = units.iter().map(Unit::cut_samples).collect();
    let samples = units.iter().map(|unit| unit.samples.len()).sum();
    let mut assignments = Vec::with_capacity(units.len());
    for ((dataset, loaded), unit) in plan.datasets.iter().zip(loaded).zip(units) {
        let (journal, records) = Journal::open(&folder.records(&model.abbr, &dataset.abbr))?;
        let task = task(dataset, loaded, model, &markup, &tokenizer, max_seq_len_tokens);
        assignments.push(Assignment::new(unit, task, journal, records));
    }
    let unanswered: usize = assignments.iter().map(Assignment::unanswered).sum();
    let title = match plan.datasets.as_slice() {
        [dataset] => format!("{} · {}", dataset.abbr, model.abbr),
        datasets => format!("{} data sets · {}", datasets.len(), model.abbr),
    };
    progress.begin(&title, samples, samples - unanswered);
    if unanswered > 0 {
        let dtype = options.dtype.unwrap_or(checkpoint.dtype());
        let engines = devices.iter().map(|(name, device)| {
            let loaded = checkpoint.load(device, dtype);
            let mut weights = loaded.map_err(|source| model_failed(model, source))?;
            weights.generation.eos_ids.extend(&model.eos_token_ids);
            Ok(Engine::new(weights, options.engine(*name)))
        });
        let fleet = Fleet::new(engines.collect::<Result<_, RunError>>()?);
        work::answer_all(&fleet, &mut assignments, progress)?;
        progress.end();
        progress.note(&report::statistics_line(&model.abbr, &fleet.statistics()));
    } else {
        progress.end();
    }
    let mut all = Vec::with_capacity(assignments.len());
    for ((dataset, assignment), cut_before) in plan.datasets.iter().zip(assignments).zip(cut_before)
    {
        let records = assignment.finish()?;
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
        format!("{:?}", options.dtype).into(),
        options.devices.iter().map(ToString::to_string).collect::<Vec<_>>().join(",").into(),
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
