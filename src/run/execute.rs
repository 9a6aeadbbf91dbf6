//! Running a plan.

use std::collections::HashSet;

use super::{
    RunOptions,
    asking::Asking,
    assignment::Assignment,
    cost,
    identity::{self, KnownModel},
    inputs::Inputs,
    page::with_page,
    posix::{CrossScoring, VariantGroup},
    start::{Start, begin, kept_outcome},
};
use crate::{
    answer::Answerer,
    config::Node,
    engine::{Engine, Fleet},
    kept_run::{RunError, RunFacts, RunOutcome, UnitFacts, WorkDone, find},
    plan::{DatasetPlan, ModelPlan, RunPlan},
    prepare::{ModelTokenizer, PrepareError, Progress, ReadyModel, ReadyRun, model_failed, task},
    report::{self, SummarizerConfig},
    store::{FileState, KeptToken, RunRow, Store, UnitRow},
    warn::{self, Severity, WarningCount},
};

/// Runs a plan to its end, or finds that it was run before.
pub fn execute(
    plan: &RunPlan,
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<RunOutcome, RunError> {
    // What is readable of a damaged database is kept; the second attempt asks for the rest.
    find::mended(&options.work_dir, progress, || {
        attempt(plan, options, progress).map_err(|error| match error {
            // Whatever was missing has just been written.
            RunError::Store(error) => error.into_damage(&options.work_dir).into(),
            other => other,
        })
    })
}

fn attempt(
    plan: &RunPlan,
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<RunOutcome, RunError> {
    if options.with_posix && VariantGroup::all(plan).is_empty() {
        return Err(RunError::NoVariants);
    }
    let inputs = Inputs::of(plan);
    let mut command = None;
    // A folder is only made once everything can start.
    if let (Some(inputs), true) = (&inputs, Store::is_in(&options.work_dir)) {
        let store = open(options, progress)?;
        let key = identity::command(plan, options, inputs, &store)?;
        if !options.is_fresh
            && let Some(run) = store.finished(&key)?
            && let Some(outcome) = kept_outcome(&run, &store)
        {
            return Ok(with_page(outcome, options, &store, progress));
        }
        command = Some(key);
    }
    let devices = options
        .devices
        .iter()
        .map(|&name| match name.open() {
            Ok(device) => Ok((name, device)),
            Err(error) => Err(PrepareError::Device(Box::new(error))),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let ready = ReadyRun::prepare(plan, options.limit, options.now, progress)?;
    let mut warnings = ready.warnings();
    warnings.retain(|count| count.severity == Severity::Warning);
    let lines = warn::lines(&warnings);
    for line in &lines {
        progress.note(line);
    }
    let names: Vec<&str> = plan.datasets.iter().map(|dataset| dataset.abbr.as_str()).collect();
    for line in report::incomplete_groups(
        &names,
        &SummarizerConfig::of(plan.summarizer.as_ref())?.summary_groups,
    ) {
        progress.note(&line);
    }
    if options.strict && !lines.is_empty() {
        return Err(RunError::Warned { kinds: lines.len() });
    }
    let mut store = open(options, progress)?;
    if let (Some(inputs), None) = (&inputs, command) {
        command = Some(identity::command(plan, options, inputs, &store)?);
    }
    let models = ready
        .models
        .iter()
        .map(|model| KnownModel::of(model, options, &store))
        .collect::<Result<Vec<_>, RunError>>()?;
    if let Some(inputs) = &inputs {
        inputs.check(plan)?;
    }
    if let Some(budget) = options.most_tokens {
        let needed = cost::most_tokens(&ready, &models, options, &store)?;
        progress.note(&cost::line(needed));
        if needed > budget {
            return Err(RunError::OverBudget { needed, budget });
        }
    }
    let work = identity::work(plan, options, &ready, &models);
    let command = command.unwrap_or(work);
    let (run, facts) = match begin(&mut store, plan, options, command, work, progress)? {
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
    };
    execution.answer(ready, &models, &devices)?;
    execution.evaluate()
}

/// Opens the store of the run; tells of a database that was damaged.
fn open(options: &RunOptions, progress: &dyn Progress) -> Result<Store, RunError> {
    let (store, note) = Store::open(&options.work_dir)?;
    if let Some(note) = note {
        progress.note(&note);
    }
    Ok(store)
}

/// A run that this process does.
pub(super) struct Execution<'a> {
    pub(super) plan: &'a RunPlan,
    pub(super) options: &'a RunOptions,
    pub(super) progress: &'a dyn Progress,
    pub(super) store: Store,
    pub(super) run: RunRow,
    pub(super) facts: RunFacts,
    /// What was found before weights are read.
    pub(super) warnings: Vec<WarningCount>,
    /// What this process has asked.
    pub(super) work: WorkDone,
}

impl Execution<'_> {
    /// Answers whatever the models were not asked before, and keeps all samples.
    fn answer(
        &mut self,
        ready: ReadyRun<'_>,
        known: &[KnownModel],
        devices: &[(crate::model::DeviceName, candle_core::Device)],
    ) -> Result<(), RunError> {
        let ReadyRun { datasets: loaded, models } = ready;
        self.facts.posix.clear();
        let mut writer = self.store.writer(&self.run)?;
        let mut work = WorkDone::default();
        for (place, (model, KnownModel { identity, dtype, files })) in
            models.into_iter().zip(known).enumerate()
        {
            let ReadyModel { plan: model, checkpoint, markup, max_seq_len_tokens, units } = model;
            let tokenizer = checkpoint.tokenizer().clone();
            let model_tokenizer = ModelTokenizer::new(&tokenizer, model);
            let mut assignments: Vec<Assignment<'_>> = Vec::with_capacity(units.len());
            for ((dataset, loaded), unit) in self.plan.datasets.iter().zip(&loaded).zip(units) {
                let task = task(
                    dataset,
                    loaded,
                    Some(model),
                    &markup,
                    &model_tokenizer,
                    max_seq_len_tokens,
                );
                assignments.push(Assignment::new(unit, task));
            }
            let cut_before: Vec<usize> = assignments.iter().map(Assignment::cut_samples).collect();
            let samples = assignments.iter().map(Assignment::len).sum();
            self.progress.begin(&self.title(model), samples, 0);
            let mut fleet_statistics = None;
            let mut answerer = || -> Result<Box<dyn Answerer>, RunError> {
                if let Some(fleet) = &fleet_statistics {
                    return Ok(Box::new(Fleet::clone(fleet)));
                }
                let dtype = self.options.dtype.unwrap_or(checkpoint.dtype());
                let engines = devices.iter().map(|(name, device)| {
                    let loaded = checkpoint.load(device, dtype);
                    let mut weights = loaded.map_err(|source| model_failed(model, source))?;
                    weights.generation.eos_ids.extend(&model.eos_token_ids);
                    Ok(Engine::new(weights, self.options.engine(*name)))
                });
                let fleet = Fleet::new(engines.collect::<Result<_, PrepareError>>()?);
                // Answers would be kept under the weights that were hashed, not those that were read.
                files.iter().try_for_each(FileState::check)?;
                fleet_statistics = Some(fleet.clone());
                Ok(Box::new(fleet))
            };
            let asking = Asking {
                store: &mut self.store,
                writer: &mut writer,
                model: identity,
                is_fresh: self.options.is_fresh,
                progress: self.progress,
            };
            let done = asking.answer_all(&mut assignments, &mut answerer)?;
            work = work.and(done);
            self.progress.end();
            let model_facts = serde_json::json!({
                "abbr": model.abbr, "path": model.path, "parameters": checkpoint.parameters(),
            });
            let number = self.store.model(&identity.key, &model_facts.to_string())?;
            let ids: HashSet<u32> = assignments.iter().flat_map(Assignment::ids).collect();
            self.store.write_tokens(number, &ids, &|id| KeptToken {
                text: tokenizer.token_text(id),
                bytes: tokenizer.token_bytes(id),
                is_special: tokenizer.is_special(id),
            })?;
            let units = self.plan.datasets.iter().zip(&assignments).zip(cut_before).enumerate();
            let mut kept = Vec::with_capacity(self.plan.datasets.len());
            for (dataset_place, ((dataset, assignment), cut_before)) in units {
                let cut = assignment.cut_samples();
                if cut > cut_before {
                    self.progress.note(&format!(
                        "data set {}, model {}: {} more samples were cut to fit {max_seq_len_tokens} tokens as \
                         their dialogue went on",
                        dataset.abbr,
                        model.abbr,
                        cut - cut_before
                    ));
                }
                let (sample_origins, origins) = assignment.origins(&model.markup);
                let facts = UnitFacts { origins, ..unit_facts(dataset, model, dtype) };
                let mut unit = UnitRow {
                    id: 0,
                    run: self.run.id,
                    place: place * self.plan.datasets.len() + dataset_place,
                    model: number,
                    samples: assignment.len(),
                    facts: serde_json::to_string(&facts).unwrap_or_default(),
                };
                unit.id = self.store.write_unit(&unit, &mut assignment.rows(sample_origins))?;
                kept.push(unit);
            }
            let groups =
                if self.options.with_posix { VariantGroup::all(self.plan) } else { Vec::new() };
            for group in groups {
                let place = group.places[0];
                let scoring = CrossScoring::read(
                    group,
                    &self.store,
                    (&self.plan.datasets, &kept),
                    &model.abbr,
                    max_seq_len_tokens,
                )?;
                let unit = scoring.unit();
                self.progress.note(&scoring.cost_line(&unit));
                let task = task(
                    &self.plan.datasets[place],
                    &loaded[place],
                    Some(model),
                    &markup,
                    &model_tokenizer,
                    max_seq_len_tokens,
                );
                let mut assignments = [Assignment::new(unit, task)];
                let asking = Asking {
                    store: &mut self.store,
                    writer: &mut writer,
                    model: identity,
                    is_fresh: self.options.is_fresh,
                    progress: self.progress,
                };
                self.progress.begin(&scoring.title(), assignments[0].len(), 0);
                work = work.and(asking.answer_all(&mut assignments, &mut answerer)?);
                self.progress.end();
                self.facts.posix.push(scoring.facts(&self.store, &assignments[0])?);
            }
            if let Some(fleet) = fleet_statistics {
                self.progress.note(&report::statistics_line(&model.abbr, &fleet.statistics()));
            }
        }
        writer.flush()?;
        self.facts.units = self.plan.models.len() * self.plan.datasets.len();
        let before = self.facts.work.computed_tokens;
        self.facts.work = WorkDone { computed_tokens: before + work.computed_tokens, ..work };
        self.work = work;
        Ok(())
    }

    fn title(&self, model: &ModelPlan) -> String {
        match self.plan.datasets.as_slice() {
            [dataset] => format!("{} · {}", dataset.abbr, model.abbr),
            datasets => format!("{} data sets · {}", datasets.len(), model.abbr),
        }
    }
}

fn unit_facts(dataset: &DatasetPlan, model: &ModelPlan, dtype: &str) -> UnitFacts {
    let (repeats, _) = dataset.repeats.under(&model.repeats);
    let part = |node: &Node, field: &str| node.get(field).map(Node::to_json).unwrap_or_default();
    UnitFacts {
        dataset: dataset.abbr.clone(),
        model: model.abbr.clone(),
        dtype: dtype.to_owned(),
        mode: dataset.mode.to_owned(),
        version: dataset.version.clone(),
        eval_cfg: part(&dataset.node, "eval_cfg"),
        pred_postprocessor: part(&model.node, "pred_postprocessor"),
        repeats,
        input_columns: dataset.reader.input_columns().to_vec(),
        origins: Vec::new(),
    }
}
