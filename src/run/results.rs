//! The results of a run: every unit evaluated as the store keeps it, OpenCompass's files, and the page.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use rayon::Scope;

use super::{execute::Execution, files, page::with_page};
use crate::{
    infer::Record,
    kept_run::{
        RunError, RunOutcome, UnitFacts,
        chosen_rule::ChosenRule,
        evaluation::{self, Evaluated, UnitEvaluation},
        families::families,
        judgements::Judgements,
        kept_sample::{self, KeptSample},
        means::Means,
    },
    plan::{DatasetPlan, ModelPlan},
    prepare::CheckpointModels,
    report::{StoredResult, SummaryDataset},
    sandbox::Sandbox,
    store::{RunFolder, RunState},
};

impl<'a> Execution<'a> {
    /// Evaluates all units from the store and writes OpenCompass's files.
    pub(super) fn evaluate(
        mut self,
        judgements: &BTreeMap<usize, Judgements>,
        sandbox: Option<&Sandbox>,
    ) -> Result<RunOutcome, RunError> {
        let folder =
            RunFolder::of(self.store.folder(), self.facts.folder.as_deref().unwrap_or_default());
        let mut outcome = RunOutcome {
            name: folder.time_stamp().to_owned(),
            folder: folder.root().to_owned(),
            page: None,
            results: Vec::new(),
            families: Vec::new(),
            posix: self.facts.posix.clone(),
            failed_samples: 0,
            work: self.work,
            is_from_store: false,
            warnings: std::mem::take(&mut self.warnings),
            unscored: Vec::new(),
            errors: Vec::new(),
        };
        // Files of predictions are long: they are written while the next unit is read and evaluated.
        let written = Mutex::new(Ok(()));
        let stored = rayon::in_place_scope(|scope| {
            let files = UnitFiles { scope, folder: &folder, written: &written };
            self.evaluate_units(&files, judgements, sandbox, &mut outcome)
        })?;
        written.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        let datasets: Vec<SummaryDataset> =
            self.plan.datasets.iter().map(summary_dataset).collect();
        let models: Vec<String> = self.plan.models.iter().map(|model| model.abbr.clone()).collect();
        let summarizer = self.plan.summarizer.as_ref();
        files::write_summaries(&folder, summarizer, &datasets, &models, &stored)?;
        let names = self.plan.datasets.iter();
        let names = names.map(|dataset| (dataset.abbr.as_str(), dataset.stage.is_some()));
        outcome.families = families(summarizer, names, &outcome.results)?;
        files::write_details(&folder, &outcome.results, &outcome.families)?;
        self.facts.results.clone_from(&outcome.results);
        self.facts.families.clone_from(&outcome.families);
        self.facts.failed_samples = outcome.failed_samples;
        self.facts.warnings.clone_from(&outcome.warnings);
        self.facts.unscored.clone_from(&outcome.unscored);
        self.facts.finished = Some((self.options.clock)().to_string());
        self.run.facts = self.facts.to_text();
        let is_whole = outcome.failed_samples == 0 && outcome.errors.is_empty();
        self.run.state = if is_whole { RunState::Finished } else { RunState::Incomplete };
        self.store.update(&self.run)?;
        Ok(with_page(outcome, self.options, &self.store, self.progress))
    }

    /// Evaluates all units; gives the results of each that is evaluated.
    fn evaluate_units<'scope>(
        &mut self,
        files: &UnitFiles<'_, 'scope>,
        judgements: &BTreeMap<usize, Judgements>,
        sandbox: Option<&Sandbox>,
        outcome: &mut RunOutcome,
    ) -> Result<Vec<StoredResult>, RunError>
    where
        'a: 'scope,
    {
        let encoders = CheckpointModels::new(Some(&self.options.work_dir), self.progress);
        let mut stored = Vec::new();
        let count = self.plan.models.len() * self.plan.datasets.len();
        let units = self.store.all_units(&self.run, count)?;
        let plan = self.plan;
        let plans = plan
            .models
            .iter()
            .flat_map(|model| plan.datasets.iter().map(move |dataset| (model, dataset)));
        for ((model, dataset), unit) in plans.zip(&units) {
            let name = format!("data set {}, model {}", dataset.abbr, model.abbr);
            let samples = Arc::new(kept_sample::read(&self.store, unit, &name)?);
            let facts = UnitFacts::of(unit)?;
            let model_postprocessor = evaluation::model_postprocessor(&facts)?;
            let evaluation = UnitEvaluation::new(
                &facts,
                &dataset.evaluation,
                model_postprocessor.as_deref(),
                &samples,
            );
            let rule = evaluation.chosen_rule().held_by(&dataset.evaluation);
            files.write_predictions(model, dataset, samples.clone(), rule);
            let judged = judgements.get(&unit.place);
            if let Some(judged) = judged {
                let rule = evaluation.rule();
                files::write_replies(files.folder, &model.abbr, judged, &self.store, rule)?;
            }
            let judged = judged.map(|own| (own, &self.store));
            let means = Means { judgements: judged, sandbox, encoders: Some(&encoders) };
            let evaluated = evaluation.evaluate_with(&samples, means);
            let evaluated = match evaluated {
                // The other data sets have their figures all the same.
                Err(error @ RunError::Evaluate { .. }) => {
                    outcome.errors.push(error.to_string());
                    continue;
                }
                other => other?,
            };
            files::write_results(files.folder, &evaluated)?;
            let Evaluated {
                rows,
                stored: results,
                scores,
                failed_samples,
                warnings,
                notes,
                unscored,
            } = evaluated;
            for note in &notes {
                self.progress.note(note);
            }
            self.store.write_scores(unit.id, &scores)?;
            outcome.results.extend(rows);
            outcome.failed_samples += failed_samples;
            outcome.warnings.extend(warnings);
            outcome.unscored.extend(unscored);
            stored.extend(results);
        }
        encoders.tell();
        Ok(stored)
    }
}

/// Writes files of units while others are evaluated.
struct UnitFiles<'s, 'scope> {
    scope: &'s Scope<'scope>,
    folder: &'scope RunFolder,
    /// The first error.
    written: &'scope Mutex<Result<(), RunError>>,
}

impl<'scope> UnitFiles<'_, 'scope> {
    /// Begins to write the predictions of a data set under a model.
    fn write_predictions(
        &self,
        model: &'scope ModelPlan,
        dataset: &'scope DatasetPlan,
        samples: Arc<Vec<KeptSample>>,
        rule: ChosenRule<'scope>,
    ) {
        let (folder, all_written) = (self.folder, self.written);
        self.scope.spawn(move |_| {
            let records: Vec<&Record> = samples.iter().map(|kept| &kept.record).collect();
            let (model, dataset) = (&model.abbr, &dataset.abbr);
            let written = files::write_predictions(folder, model, dataset, &records, &*rule);
            let mut all_written = all_written.lock().unwrap_or_else(PoisonError::into_inner);
            if all_written.is_ok() {
                *all_written = written;
            }
        });
    }
}

fn summary_dataset(dataset: &DatasetPlan) -> SummaryDataset {
    SummaryDataset {
        abbr: dataset.abbr.clone(),
        version: dataset.version.clone(),
        mode: dataset.mode.to_owned(),
    }
}
