//! A data set's rows, with the examples for each.

use std::sync::Arc;

use super::{
    PrepareError, Progress, given_predictions,
    stage_rows::{self, RowSources, StageColumn},
    task_rows::task_rows,
};
use crate::{
    dataset::Dataset,
    hub::DownloadProgress,
    infer::{InferError, Outcome},
    plan::{DatasetPlan, Stage},
    retrieve::Corpus,
};

/// A data set's rows and the examples chosen for each; the same for every model.
#[derive(Debug)]
pub(crate) struct LoadedDataset {
    /// The splits; variants of a data set share them.
    pub(crate) rows: Arc<Dataset>,
    /// Per test sample, indices into the train split, best first.
    pub(crate) examples: Vec<Vec<usize>>,
    /// Per test sample what came of it, if that is known without asking.
    pub(crate) known: Vec<Option<Outcome>>,
}

/// A data set on its way.
struct Loading<'p> {
    plan: &'p DatasetPlan,
    /// Before rows are drawn.
    all: Arc<Dataset>,
    /// Nothing until its examples are chosen.
    own: Option<LoadedDataset>,
}

/// Whether two entries are variants of one data set.
fn is_of_same(one: &DatasetPlan, other: &DatasetPlan) -> bool {
    let stages = [one, other].map(|plan| plan.stage.as_ref().map(|stage| &stage.before));
    if stages[0] != stages[1] {
        return false;
    }
    match (&one.variant, &other.variant) {
        (Some(one), Some(other)) => one.dataset == other.dataset,
        _ => false,
    }
}

/// Chooses the examples of the data set at a place, unless that was done.
fn choose(
    loading: &mut [Loading<'_>],
    place: usize,
    sources: RowSources<'_>,
    progress: &dyn Progress,
) -> Result<(), PrepareError> {
    let Some(Loading { plan, all, own: None }) = loading.get(place) else { return Ok(()) };
    let drawn = loading.iter().rfind(|other| {
        other.own.is_some() && is_of_same(other.plan, plan) && other.plan.draw == plan.draw
    });
    let known = drawn.and_then(|other| other.own.as_ref()).map(|own| own.rows.clone());
    let (own, notes) = LoadedDataset::of(
        plan,
        all.clone(),
        sources,
        plan.stage.as_ref().is_some_and(Stage::waits),
    )?;
    let own = own.drawn(plan, known.as_ref());
    for note in notes {
        progress.note(&format!("data set {}: {note}", plan.abbr));
    }
    if let Some(one) = loading.get_mut(place) {
        one.own = Some(own);
    }
    Ok(())
}

/// Whether the first test rows are all that a limit on them needs: nothing looks at others, and nothing chooses among all.
fn is_of_first_rows(plan: &DatasetPlan) -> bool {
    let is_plain = plan.stage.is_none() && plan.comparison.is_none() && plan.draw.is_none();
    is_plain && plan.reader.is_in_order() && !plan.retriever.reads_train()
}

/// What is said where no row is asked about.
fn no_sample(plan: &DatasetPlan) -> String {
    let files = plan.location.files().unwrap_or_default();
    let place = match &files[..] {
        [] => String::new(),
        [only] => format!(" in {}", only.display()),
        [first, others @ ..] => {
            format!(" in {} and {} files beside it", first.display(), others.len())
        }
    };
    format!("there is no test sample{place}; check that there are rows, test_range and --limit")
}

impl LoadedDataset {
    /// Loads data sets in their order, the rows of variants once; `step` hears of each. `sources` answer retrievers and
    /// searches.
    pub(crate) fn load_all<'p>(
        plans: impl IntoIterator<Item = &'p DatasetPlan>,
        limit: Option<usize>,
        sources: RowSources<'_>,
        progress: &dyn Progress,
        step: &dyn Fn(),
    ) -> Result<Vec<Self>, PrepareError> {
        let mut loading: Vec<Loading<'p>> = Vec::new();
        for plan in plans {
            let same = loading.iter().rfind(|other| is_of_same(other.plan, plan));
            let all = match same {
                Some(same) => same.all.clone(),
                None => Arc::new(Self::rows(plan, limit, sources, progress)?),
            };
            let place = loading.len();
            loading.push(Loading { plan, all, own: None });
            if plan.retriever.models().is_empty() {
                choose(&mut loading, place, sources, progress)?;
            }
            step();
        }
        // Models are asked once all rows are there: each asking is a phase of its own.
        for place in 0..loading.len() {
            choose(&mut loading, place, sources, progress)?;
        }
        sources.models.tell();
        Ok(loading.into_iter().filter_map(|loading| loading.own).collect())
    }

    /// The rows that the plan draws, each with the examples that it has among all; `known` are these rows.
    fn drawn(self, plan: &DatasetPlan, known: Option<&Arc<Dataset>>) -> Self {
        let Some(draw) = plan.draw else { return self };
        let places = draw.places(self.rows.test.len());
        let test = || places.iter().map(|&place| self.rows.test[place].clone()).collect();
        let rows = known.cloned().unwrap_or_else(|| {
            let train = self.rows.train.clone();
            Arc::new(Dataset { train, test: test(), left_out: self.rows.left_out })
        });
        let examples = places.iter().map(|&place| self.examples[place].clone()).collect();
        let known = places.iter().map(|&place| self.known[place].clone()).collect();
        Self { rows, examples, known }
    }

    /// Reads the rows; `limit` keeps the first test samples only.
    fn rows(
        plan: &DatasetPlan,
        limit: Option<usize>,
        sources: RowSources<'_>,
        progress: &dyn DownloadProgress,
    ) -> Result<Dataset, PrepareError> {
        let failed =
            |source| PrepareError::Dataset { dataset: plan.abbr.clone(), source: Box::new(source) };
        let mut rows = if let Some(task) = &plan.task {
            task_rows(plan, task, progress)?
        } else {
            let splits = plan.reader.splits();
            let most_rows = limit.filter(|_| is_of_first_rows(plan)).unwrap_or(usize::MAX);
            let read = plan.location.read_first(most_rows, &plan.table, &splits, progress);
            let read = read.map_err(failed)?;
            let reader = match &plan.stage {
                // The columns of earlier stages are still to come; the first stage has looked for all others.
                Some(stage) if !stage.before.is_empty() => plan.reader.clone().without_inputs(),
                _ => plan.reader.clone(),
            };
            reader.load(read.labelled(plan.rows_name())).map_err(failed)?
        };
        if let Some(comparison) = &plan.comparison {
            given_predictions::join(comparison, &plan.abbr, &mut rows.test).map_err(failed)?;
        }
        if let Some(stage) = &plan.stage {
            stage_rows::stand_in(plan, stage, &mut rows, sources.searches)?;
        }
        if let Some(limit) = limit {
            rows.left_out = rows.test.len().saturating_sub(limit);
            rows.test.truncate(limit);
        }
        if rows.test.is_empty() {
            return Err(PrepareError::Infer {
                dataset: plan.abbr.clone(),
                model: "any".to_owned(),
                source: Box::new(InferError::Mismatch(no_sample(plan))),
            });
        }
        Ok(rows)
    }

    /// Retrieves examples; with them what is to be said about their choice. `is_ahead` says that the stages before it
    /// are not answered yet.
    fn of(
        plan: &DatasetPlan,
        rows: Arc<Dataset>,
        sources: RowSources<'_>,
        is_ahead: bool,
    ) -> Result<(Self, Vec<String>), PrepareError> {
        let failed =
            |source| PrepareError::Dataset { dataset: plan.abbr.clone(), source: Box::new(source) };
        let corpus = Corpus { dataset: &rows, reader: &plan.reader, models: sources.models };
        let examples = plan.retriever.retrieve(&corpus).map_err(|source| {
            PrepareError::Retrieve { dataset: plan.abbr.clone(), source: Box::new(source) }
        })?;
        let notes = plan.retriever.notes(&corpus);
        if examples.iter().any(|chosen| !chosen.is_empty()) {
            plan.reader.check_train(&rows.train).map_err(failed)?;
        }
        let known = stage_rows::known(plan, &rows.test, sources, is_ahead)?;
        Ok((Self { rows, examples, known }, notes))
    }

    /// The same with what the stages before it said of the rows, in the place of their golds.
    pub(crate) fn of_stage(
        &self,
        plan: &DatasetPlan,
        columns: &[StageColumn],
        sources: RowSources<'_>,
    ) -> Result<Self, PrepareError> {
        let (test, failed) = stage_rows::answered(&self.rows.test, columns);
        let (train, left_out) = (self.rows.train.clone(), self.rows.left_out);
        let rows = Arc::new(Dataset { train, test, left_out });
        // Only a retriever that reads rows can choose otherwise now.
        let own = if plan.retriever.reads_texts() {
            Self::of(plan, rows, sources, false)?.0
        } else {
            let known = stage_rows::known(plan, &rows.test, sources, false)?;
            Self { rows, examples: self.examples.clone(), known }
        };
        let known = failed.into_iter().zip(own.known).map(|(failed, known)| failed.or(known));
        Ok(Self { known: known.collect(), rows: own.rows, examples: own.examples })
    }
}
