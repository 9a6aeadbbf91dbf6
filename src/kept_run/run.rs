//! A run of the store, opened to be read.

use std::path::Path;

use super::{
    RunError, RunFacts, UnitFacts,
    evaluation::{self, UnitEvaluation},
    find,
    kept_sample::{self, KeptSample},
};
use crate::{
    config::Node,
    origin::Origin,
    plan::EvaluationPlan,
    postprocess::Postprocessor,
    prepare::Progress,
    report::ResultRow,
    store::{RunRow, ScoreRow, Store, StoreError, UnitRow},
};

/// A run with its data sets under its models.
pub(crate) struct KeptRun {
    pub(crate) store: Store,
    /// How it is called.
    pub(crate) name: String,
    /// What it says of itself.
    pub(crate) facts: RunFacts,
    /// What the run that asked says of itself.
    pub(crate) source_facts: RunFacts,
    /// Data sets times models, in the order of the run.
    pub(crate) units: Vec<KeptUnit>,
    /// The run that asked: itself, or the one whose answers it evaluates.
    source: RunRow,
}

/// A data set under a model, with how it is scored and what came of that.
pub(crate) struct KeptUnit {
    pub(crate) facts: UnitFacts,
    pub(crate) plan: EvaluationPlan,
    /// The model's number in the database.
    pub(crate) model: i64,
    /// Where stretches of its texts come from; its samples number these.
    pub(crate) origins: Vec<Origin>,
    /// Each metric's score of each sample.
    pub(crate) scores: Vec<ScoreRow>,
    model_postprocessor: Option<Box<dyn Postprocessor>>,
    /// The unit that has the samples.
    samples: UnitRow,
}

impl KeptRun {
    /// Opens a finished run of a working folder by its name, or `latest`.
    pub(crate) fn open(
        work_dir: &Path,
        name: &str,
        progress: &dyn Progress,
    ) -> Result<Self, RunError> {
        let store = find::open(work_dir, progress)?;
        let (row, facts) = find::find_finished(&store, name)?;
        let (source, source_facts) = match &facts.answers_of {
            Some(source) => find::find_source(&store, source)?,
            None => (row.clone(), facts.clone()),
        };
        let units = units(&store, (&row, &facts), (&source, &source_facts));
        let units = find::reopened_if_incomplete(&store, &source, units)?;
        let name = find::name(&row, &facts);
        Ok(Self { store, name, facts, source_facts, units, source })
    }

    /// The samples of one of its units with their answers.
    pub(crate) fn samples(&self, unit: &KeptUnit) -> Result<Vec<KeptSample>, RunError> {
        let samples = kept_sample::read(&self.store, &unit.samples, &unit.name());
        self.reopened_if_incomplete(samples)
    }

    /// Passes an outcome on; if something cannot be read, the run's command is to ask for that again.
    pub(crate) fn reopened_if_incomplete<T>(
        &self,
        outcome: Result<T, RunError>,
    ) -> Result<T, RunError> {
        find::reopened_if_incomplete(&self.store, &self.source, outcome)
    }
}

impl KeptUnit {
    /// What messages call it.
    pub(crate) fn name(&self) -> String {
        format!("data set {}, model {}", self.facts.dataset, self.facts.model)
    }

    /// How many samples it has.
    pub(crate) fn len(&self) -> usize {
        self.samples.samples
    }

    /// How its samples are compared with their golds.
    pub(crate) fn evaluation(&self, samples: &[KeptSample]) -> UnitEvaluation<'_> {
        UnitEvaluation::new(&self.facts, &self.plan, self.model_postprocessor.as_deref(), samples)
    }
}

/// The units of a run; those of an evaluation have their samples in another run, their source.
fn units(
    store: &Store,
    (run, facts): (&RunRow, &RunFacts),
    (source, source_facts): (&RunRow, &RunFacts),
) -> Result<Vec<KeptUnit>, RunError> {
    let sources = store.all_units(source, source_facts.units)?;
    let rows = store.all_units(run, facts.units)?;
    let mut units = Vec::with_capacity(rows.len());
    for (row, samples) in rows.into_iter().zip(sources) {
        let own = UnitFacts::of(&row)?;
        let (plan, _) = EvaluationPlan::from_node(Some(&Node::from_json(&own.eval_cfg)))?;
        let model_postprocessor = evaluation::model_postprocessor(&own)?;
        let scores = store.scores(row.id)?;
        let is_own =
            |result: &&ResultRow| (&result.dataset, &result.model) == (&own.dataset, &own.model);
        for result in facts.results.iter().filter(is_own) {
            if !scores.iter().any(|score| score.metric == result.metric) {
                let unit = format!("data set {}, model {}", own.dataset, own.model);
                return Err(StoreError::Incomplete {
                    unit,
                    missing: 1,
                    samples: 1,
                    what: "metrics",
                }
                .into());
            }
        }
        let model = samples.model;
        let origins = UnitFacts::of(&samples)?.origins;
        units.push(KeptUnit {
            facts: own,
            plan,
            model,
            origins,
            scores,
            model_postprocessor,
            samples,
        });
    }
    Ok(units)
}
