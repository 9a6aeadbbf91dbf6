//! What judges said of a run's answers, as the store keeps it: for each data set under a model a unit of the judge's own
//! samples, behind those of the run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{RunError, UnitFacts, evaluation, kept_sample};
use crate::{
    dataset::Sample,
    evaluate::judge::{Asked, Judging},
    infer::Record,
    plan::PlanError,
    postprocess, report, score,
    store::{RunRow, SampleRow, Store, UnitRow},
};

/// Whose predictions a unit judges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedFacts {
    /// The place of the unit with the predictions.
    pub place: usize,
    /// Its model.
    pub model: String,
    /// The key of what the judge was asked.
    pub key: String,
    /// How OpenCompass ends the name of the file with the replies.
    pub file_suffix: String,
}

/// A unit whose predictions a judge is to read.
pub(crate) struct ToJudge {
    /// Its place among the units of the run.
    pub(crate) place: usize,
    /// Its data set.
    pub(crate) dataset: String,
    /// Its model.
    pub(crate) model: String,
    pub(crate) judging: Judging,
    /// One question for each row that the judge is asked about.
    pub(crate) asked: Vec<Asked>,
}

/// What a judge said of one unit.
#[derive(Clone, Debug)]
pub(crate) struct Judgements {
    pub(crate) facts: UnitFacts,
    /// The judge's number in the database.
    pub(crate) model: i64,
    /// What it was asked, in order.
    pub(crate) rows: Vec<SampleRow>,
}

impl Judgements {
    /// All that a run keeps behind its own units, by the place of the unit that is judged.
    pub(crate) fn read_all(
        store: &Store,
        run: &RunRow,
        units: usize,
    ) -> Result<BTreeMap<usize, Self>, RunError> {
        let mut all = BTreeMap::new();
        for unit in store.units(run)?.into_iter().filter(|unit| unit.place >= units) {
            let facts = UnitFacts::of(&unit)?;
            let Some(place) = facts.judged.as_ref().map(|judged| judged.place) else { continue };
            let name = format!("data set {}, judge {}", facts.dataset, facts.model);
            let rows = store.samples(&unit, &name)?;
            all.insert(place, Self { facts, model: unit.model, rows });
        }
        Ok(all)
    }

    /// Keeps them with a run that has so many units.
    pub(crate) fn write(&self, store: &Store, run: &RunRow, units: usize) -> Result<(), RunError> {
        let Some(judged) = &self.facts.judged else { return Ok(()) };
        let unit = UnitRow {
            id: 0,
            run: run.id,
            place: units + judged.place,
            model: self.model,
            samples: self.rows.len(),
            facts: serde_json::to_string(&self.facts).unwrap_or_default(),
        };
        store.write_unit(&unit, &mut self.rows.iter().cloned())?;
        Ok(())
    }

    /// Whether they are replies to these questions.
    pub(crate) fn answer(&self, judging: &Judging, asked: &[Asked]) -> bool {
        let key = judging.key(asked);
        self.rows.len() == asked.len()
            && self.facts.judged.as_ref().is_some_and(|judged| judged.key == key)
    }

    /// The records of the judge's answers.
    pub(crate) fn records(&self, store: &Store) -> Result<Vec<Record>, RunError> {
        let name = format!("data set {}, judge {}", self.facts.dataset, self.facts.model);
        let samples = kept_sample::of_rows(store, self.rows.clone(), &name)?;
        Ok(samples.into_iter().map(|kept| kept.record).collect())
    }

    /// The entries of the judge's predictions file, after the rule that the judge's own entry may have.
    pub(crate) fn entries(&self, store: &Store) -> Result<Vec<Map<String, Value>>, RunError> {
        let rule = evaluation::model_postprocessor(&self.facts)?;
        let (_, any_rule) = score::build(None).map_err(PlanError::from)?;
        let mut entries = Vec::with_capacity(self.rows.len());
        for (row, record) in self.records(store)?.into_iter().enumerate() {
            let Value::Object(mut entry) = report::prediction_value(&record, &*any_rule) else {
                continue;
            };
            if let (Some(rule), Some(text)) = (&rule, entry.get_mut("prediction")) {
                let processed = postprocess::apply(&**rule, text, &Sample::default());
                *text = processed.map_err(|source| RunError::Evaluate {
                    dataset: self.facts.dataset.clone(),
                    model: self.facts.model.clone(),
                    source: Box::new(crate::evaluate::EvaluateError::Normalization {
                        row,
                        source: Box::new(source),
                    }),
                })?;
            }
            entries.push(entry);
        }
        Ok(entries)
    }
}
