//! Running a plan.

use std::collections::BTreeMap;

use super::{
    RunOptions, cost,
    fleet::{self, Devices},
    identity::{self, KnownModel},
    inputs::Inputs,
    judging::Judge,
    page::with_page,
    posix::VariantGroup,
    served_models::{self, Wants},
    shard::Sharing,
    start::{Start, become_latest, begin, kept_outcome},
};
use crate::{
    kept_run::{
        RunError, RunFacts, RunOutcome, UnitFacts, WorkDone,
        evaluation::{self, UnitEvaluation},
        find,
        judgements::{Judgements, ToJudge},
        kept_sample,
    },
    plan::RunPlan,
    prepare::{Progress, ReadyModel, ReadyRun},
    report::{self, SummarizerConfig},
    sandbox::Sandbox,
    store::{Renewal, RunRow, Store, UnitRow},
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
        if served_models::renewal(plan, options) == Renewal::Nothing
            && let Some(run) = store.finished(&key)?
            && let Some(outcome) = kept_outcome(&run, &store)
        {
            become_latest(&run, &store)?;
            return Ok(with_page(outcome, options, &store, progress));
        }
        command = Some(key);
    }
    let sandbox = sandbox(plan, options, progress)?;
    let devices = fleet::open_devices(options)?;
    let mut ready =
        ReadyRun::prepare(plan, options.limit, Some(&options.work_dir), options.now, progress)?;
    let mut warnings = ready.warnings(plan);
    tell_warnings(plan, options, &mut warnings, progress)?;
    let mut store = open(options, progress)?;
    if let (Some(inputs), None) = (&inputs, command) {
        command = Some(identity::command(plan, options, inputs, &store)?);
    }
    let known = |models: &[ReadyModel<'_>], wants: Wants| -> Result<Vec<KnownModel>, RunError> {
        let known = models.iter().map(|model| match &model.plan.served {
            Some(_) => served_models::connect(model, &wants, progress),
            None => KnownModel::of(model, options, &store),
        });
        known.collect()
    };
    let mut models = known(&ready.models, Wants::of(plan, options)?)?;
    let mut judges = known(&ready.judges, Wants::of_judge())?;
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
    let kinds = identity::device_kinds(&options.devices);
    let work = identity::work(plan, options, &kinds, &ready, &models, &judges);
    let command = command.filter(|_| !identity::names_images(&ready)).unwrap_or(work);
    let served: Vec<&KnownModel> = models.iter().chain(&judges).collect();
    let (run, facts) = match begin(&mut store, plan, options, (command, work), &served, progress)? {
        Start::Done(outcome) => return Ok(with_page(outcome, options, &store, progress)),
        Start::Own(run, facts) => (run, *facts),
    };
    for model in models.iter_mut().chain(&mut judges) {
        model.under(&facts.askings);
    }
    let mut execution = Execution {
        plan,
        options,
        progress,
        store,
        run,
        facts,
        warnings,
        work: WorkDone::default(),
        sharing: None,
    };
    let ready_judges = std::mem::take(&mut ready.judges);
    execution.answer(ready, &models, &devices)?;
    let judgements = execution.judge(&ready_judges, &judges, &devices)?;
    execution.evaluate(&judgements, sandbox.as_ref())
}

/// What runs the programs that models wrote, if any are run.
pub(super) fn sandbox(
    plan: &RunPlan,
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<Option<Sandbox>, RunError> {
    let runs_code = plan.datasets.iter().any(|dataset| dataset.evaluation.runs_code());
    let sandbox = (options.allows_code && runs_code).then(Sandbox::find).transpose()?;
    if let Some(sandbox) = &sandbox {
        progress.note(&format!("what models write is run in a sandbox of {}", sandbox.name()));
    }
    Ok(sandbox)
}

/// Tells what would be measured wrongly, and keeps nothing else.
///
/// # Errors
/// There is something, and that was to be an error.
pub(super) fn tell_warnings(
    plan: &RunPlan,
    options: &RunOptions,
    warnings: &mut Vec<WarningCount>,
    progress: &dyn Progress,
) -> Result<(), RunError> {
    warnings.retain(|count| count.severity == Severity::Warning);
    let lines = warn::lines(warnings);
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
    Ok(())
}

/// Opens the store of the run; tells of a database that was damaged.
pub(super) fn open(options: &RunOptions, progress: &dyn Progress) -> Result<Store, RunError> {
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
    /// Other shards, where the run is one of several or their merge.
    pub(super) sharing: Option<Sharing>,
}

impl Execution<'_> {
    /// Has judges read the predictions that wait for one; gives what they said by the place of what they judged.
    fn judge(
        &mut self,
        judges: &[ReadyModel<'_>],
        known: &[KnownModel],
        devices: &Devices,
    ) -> Result<BTreeMap<usize, Judgements>, RunError> {
        let mut all = BTreeMap::new();
        if judges.is_empty() {
            return Ok(all);
        }
        let units = self.store.all_units(&self.run, self.facts.units)?;
        let mut writer = self.store.writer(&self.run)?;
        for (model, known) in judges.iter().zip(known) {
            let (options, progress) = (self.options, self.progress);
            let is_fresh = options.is_fresh;
            let mut judge = Judge { model, known, devices, options, is_fresh, progress };
            let mut judged = BTreeMap::new();
            for round in 0.. {
                let waiting = self.to_judge(&units, model, round, &judged)?;
                if waiting.is_empty() {
                    break;
                }
                let (more, work) = judge.ask(&waiting, &mut self.store, &mut writer)?;
                judged.extend(more);
                self.work = self.work.and(work);
                self.facts.work = self.facts.work.and(work);
                // What comes of the first round is in the store, and part of what is asked in the second.
                judge.is_fresh = false;
            }
            for judgements in judged.values() {
                judgements.write(&self.store, &self.run, self.facts.units)?;
            }
            all.extend(judged);
        }
        Ok(all)
    }

    /// What a judge is to be asked in a round, from 0, with what it said in those before.
    fn to_judge(
        &self,
        units: &[UnitRow],
        judge: &ReadyModel<'_>,
        round: usize,
        judged: &BTreeMap<usize, Judgements>,
    ) -> Result<Vec<ToJudge>, RunError> {
        let mut waiting = Vec::new();
        for (place, unit) in units.iter().enumerate() {
            let dataset = &self.plan.datasets[place % self.plan.datasets.len()];
            let own = self.plan.judge.of(dataset);
            let is_another = own.is_none_or(|own| own.node != judge.plan.node);
            if is_another || dataset.evaluation.judge_rounds() <= round {
                continue;
            }
            let facts = UnitFacts::of(unit)?;
            let name = format!("data set {}, model {}", facts.dataset, facts.model);
            let samples = kept_sample::read(&self.store, unit, &name)?;
            let postprocessor = evaluation::model_postprocessor(&facts)?;
            let postprocessor = postprocessor.as_deref();
            let evaluation =
                UnitEvaluation::new(&facts, &dataset.evaluation, postprocessor, &samples);
            let before = judged.get(&place).map(|own| (own, &self.store));
            match evaluation.to_judge(place, &samples, before) {
                // Its evaluation fails in the same way, and says so.
                Err(RunError::Evaluate { .. }) => {}
                found => waiting.extend(found?),
            }
        }
        Ok(waiting)
    }
}
