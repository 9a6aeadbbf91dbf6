//! Results from kept samples.

use serde_json::Value;

use super::{RunError, facts::UnitFacts, kept_sample::KeptSample};
use crate::{
    config::{Component, Node},
    dataset::Sample,
    evaluate::{
        EvaluateError, Metric, Place, RepeatedScores, Row, Scores, Unit, details, evaluate_repeats,
        majority,
    },
    infer::{Candidate, Choice, Outcome, Record},
    plan::{EvaluationPlan, PlanError},
    postprocess::{self, Postprocessor},
    python::python_str,
    report::{self, ResultRow, StoredResult},
    score::Rule,
    store::ScoreRow,
    warn::{self, Kind, SampleRanges, WarningCount},
};

/// What the samples of one data set under one model come to.
pub(crate) struct Evaluated {
    /// Lines of the table; none without an evaluator.
    pub(crate) rows: Vec<ResultRow>,
    /// The results file.
    pub(crate) stored: Option<StoredResult>,
    /// Each metric's score of each sample.
    pub(crate) scores: Vec<ScoreRow>,
    /// Samples without an answer; they are counted, not scored.
    pub(crate) failed_samples: usize,
    /// What is odd about the predictions.
    pub(crate) warnings: Vec<WarningCount>,
    /// What a reader of the figures has to know.
    pub(crate) notes: Vec<String>,
}

/// How a unit is evaluated.
pub(crate) struct UnitEvaluation<'a> {
    facts: &'a UnitFacts,
    plan: &'a EvaluationPlan,
    /// The model's own rule for predictions, applied before the data set's.
    model_postprocessor: Option<&'a dyn Postprocessor>,
    /// The scoring rule with what it learnt from the samples, if it learns.
    fitted_rule: Option<Box<dyn Rule>>,
}

/// The rule for predictions of a model's entry.
pub(crate) fn model_postprocessor(
    facts: &UnitFacts,
) -> Result<Option<Box<dyn Postprocessor>>, PlanError> {
    if facts.pred_postprocessor.is_null() {
        return Ok(None);
    }
    let component = Component::parse(&Node::from_json(&facts.pred_postprocessor))?;
    Ok(Some(postprocess::build(&component)?))
}

impl<'a> UnitEvaluation<'a> {
    /// How these samples are evaluated.
    pub(crate) fn new(
        facts: &'a UnitFacts,
        plan: &'a EvaluationPlan,
        model_postprocessor: Option<&'a dyn Postprocessor>,
        samples: &[KeptSample],
    ) -> Self {
        let choices: Vec<Choice<'_>> =
            samples.iter().filter_map(|kept| kept.record.outcome.choice()).collect();
        Self { facts, plan, model_postprocessor, fitted_rule: plan.rule.fitted(&choices) }
    }

    /// The rule that chooses among candidates.
    pub(crate) fn rule(&self) -> &dyn Rule {
        self.fitted_rule.as_deref().unwrap_or(&*self.plan.rule)
    }

    /// Scores the samples.
    pub(crate) fn evaluate(&self, samples: &[KeptSample]) -> Result<Evaluated, RunError> {
        let UnitFacts { dataset, model, mode, .. } = self.facts;
        let failed = |source: EvaluateError| RunError::Evaluate {
            dataset: dataset.clone(),
            model: model.clone(),
            source: Box::new(source),
        };
        let answered: Vec<&KeptSample> = samples
            .iter()
            .filter(|kept| !matches!(kept.record.outcome, Outcome::Failed { .. }))
            .collect();
        let failed_samples = samples.len() - answered.len();
        let Some(evaluator) = &self.plan.evaluator else {
            let (rows, scores) = (Vec::new(), Vec::new());
            let (stored, notes) = (None, Vec::new());
            let warnings = self.unfinished(&answered).into_iter().collect();
            return Ok(Evaluated { rows, stored, scores, failed_samples, warnings, notes });
        };
        self.check_rule(&answered).map_err(failed)?;
        let values: Vec<Value> = answered
            .iter()
            .map(|kept| report::prediction_value(&kept.record, self.rule()))
            .collect();
        let mut rows = Vec::with_capacity(answered.len());
        for (kept, value) in answered.iter().zip(&values) {
            rows.push(self.row(kept, value).map_err(failed)?);
        }
        let ids: Vec<usize> = answered.iter().map(|kept| kept.record.id).collect();
        let warning = match mode.as_str() {
            "gen" => warn::predictions(&**evaluator, [dataset, model], &ids, &rows),
            _ => None,
        };
        let examples = self.example_names(&answered);
        let repeats = &self.facts.repeats;
        let questions = (samples.len() / repeats.runs.max(1)).max(1);
        let places: Vec<Place<'_>> = answered
            .iter()
            .zip(&examples)
            .map(|(kept, example)| Place {
                run: kept.record.id / questions,
                question: kept.record.id % questions,
                example,
            })
            .collect();
        let RepeatedScores { scores, beside, details, note } =
            evaluate_repeats(&**evaluator, &rows, &places, repeats).map_err(failed)?;
        let details = details.or_else(|| details::of_records(&values, &rows));
        let results = scores.to_results(details);
        let all = Scores {
            metrics: scores.metrics.iter().chain(&beside).cloned().collect(),
            samples: scores.samples,
            details: None,
        };
        let named = |note: String| format!("data set {dataset}, model {model}: {note}");
        Ok(Evaluated {
            rows: ResultRow::of(dataset, model, mode, &all, failed_samples),
            stored: Some(StoredResult { model: model.clone(), dataset: dataset.clone(), results }),
            scores: score_rows(&all, samples),
            failed_samples,
            warnings: warning.into_iter().chain(self.unfinished(&answered)).collect(),
            notes: note.map(named).into_iter().chain(self.voted(&answered).map(named)).collect(),
        })
    }

    /// Warns of answers that ended while the model thought, or whose thinking was ended at its budget.
    fn unfinished(&self, samples: &[&KeptSample]) -> Option<WarningCount> {
        let is_unfinished = |kept: &&&KeptSample| {
            let thoughts = kept.record.outcome.continuations();
            thoughts.iter().any(|own| own.thought.as_ref().is_some_and(|own| !own.is_finished))
        };
        let found: Vec<usize> =
            samples.iter().filter(is_unfinished).map(|kept| kept.record.id).collect();
        let UnitFacts { dataset, model, .. } = self.facts;
        warn::unfinished_thinking([dataset, model], found, samples.len())
    }

    /// Tells that lists of answers were put to the vote.
    fn voted(&self, samples: &[&KeptSample]) -> Option<String> {
        let is_list = |kept: &&&KeptSample| matches!(kept.record.outcome, Outcome::Sampled { .. });
        let lists = samples.iter().filter(is_list).count();
        let reads_lists = self.plan.evaluator.as_ref().is_some_and(|own| own.reads_lists());
        (lists > 0 && !reads_lists).then(|| {
            format!(
                "the metric compares one answer, so of each of {lists} lists of answers the one that most of them are, \
                 after post-processing, is compared; OpenCompass fails there or compares the list as a text"
            )
        })
    }

    /// An error if the rule cannot score one of the samples.
    fn check_rule(&self, samples: &[&KeptSample]) -> Result<(), EvaluateError> {
        let (rule, name) = (self.rule(), self.plan.rule_name);
        for kept in samples {
            let (Some(choice), row) = (kept.record.outcome.choice(), kept.record.id) else {
                continue;
            };
            let has_none = |one: &Candidate| one.answer_bytes >= one.prompt.len();
            if rule.needs_context() && choice.candidates.iter().any(has_none) {
                return Err(EvaluateError::NoContext { row, rule: name });
            }
            if rule.scores(choice).is_none() {
                return Err(EvaluateError::NotAsked { row, rule: name });
            }
        }
        Ok(())
    }

    /// A sample as its metric sees it; nothing without a metric or an answer.
    pub(crate) fn compared<'s>(&self, kept: &'s KeptSample) -> Option<Row<'s>> {
        let is_answered = !matches!(kept.record.outcome, Outcome::Failed { .. });
        self.plan.evaluator.as_ref().filter(|_| is_answered)?;
        self.row(kept, &report::prediction_value(&kept.record, self.rule())).ok()
    }

    /// Whether a label is what the metric takes for right; nothing without a gold.
    pub(crate) fn is_gold(&self, kept: &KeptSample, label: &Value) -> Option<bool> {
        let row = self.row(kept, &serde_json::json!({ "prediction": label })).ok()?;
        if row.reference.is_null() {
            return None;
        }
        let is_same = python_str(&row.prediction) == python_str(&row.reference);
        let Some(evaluator) = self.plan.evaluator.as_deref() else { return Some(is_same) };
        let accepted = evaluator.accepts(&row.prediction, &row.reference).or_else(|| {
            let scores = evaluator.evaluate(&[row]).ok()?;
            let share = scores.metrics.first().filter(|metric| metric.unit == Unit::Percent)?;
            share.scores.first().map(|score| *score > 0.5)
        });
        Some(accepted.unwrap_or(is_same))
    }

    /// Warns of golds that no candidate is. A run finds them before it asks.
    pub(crate) fn unreachable_golds(&self, samples: &[KeptSample]) -> Option<WarningCount> {
        self.plan.evaluator.as_ref()?;
        let is_unreachable = |kept: &&KeptSample| match &kept.record.outcome {
            Outcome::Ranked { candidates, .. } => {
                candidates.iter().all(|one| self.is_gold(kept, &one.label) == Some(false))
            }
            _ => false,
        };
        let found: Vec<&KeptSample> = samples.iter().filter(is_unreachable).collect();
        let first = found.first()?;
        let gold = first.record.gold.as_ref().map(python_str).unwrap_or_default();
        let kind = Kind::UnreachableGold;
        Some(WarningCount {
            kind,
            severity: kind.severity(),
            dataset: self.facts.dataset.clone(),
            model: self.facts.model.clone(),
            count: found.len(),
            of: samples.len(),
            first_sample: first.record.id,
            samples: SampleRanges::new(found.iter().map(|kept| kept.record.id).collect()),
            field: None,
            message: format!("no candidate is the gold answer {gold:?}; it counts as wrong"),
        })
    }

    /// One sample as a metric sees it.
    fn row<'s>(&self, kept: &'s KeptSample, value: &Value) -> Result<Row<'s>, EvaluateError> {
        let KeptSample { sample, record, .. } = kept;
        let processed = |what, value: Value, rules: &[Option<&dyn Postprocessor>]| {
            let processed = rules
                .iter()
                .flatten()
                .try_fold(value, |value, rule| postprocess::apply(*rule, &value, sample));
            processed.map_err(|source| EvaluateError::Postprocessing {
                row: record.id,
                what,
                source: Box::new(source),
            })
        };
        let own_rules = [self.model_postprocessor, self.plan.prediction_postprocessor.as_deref()];
        let prediction = value.get("prediction").cloned().unwrap_or_default();
        let reference = record.gold.clone().unwrap_or_default();
        let prediction = match prediction {
            Value::Null => Value::Null,
            answer => processed("prediction", answer, &own_rules)?,
        };
        let reads_lists = self.plan.evaluator.as_ref().is_some_and(|own| own.reads_lists());
        Ok(Row {
            prediction: match (&record.outcome, prediction) {
                (Outcome::Sampled { .. }, Value::Array(answers)) if !reads_lists => {
                    majority(&answers).cloned().unwrap_or_default()
                }
                (_, prediction) => prediction,
            },
            reference: match reference {
                Value::Null => Value::Null,
                gold => processed("gold answer", gold, &[self.plan.gold_postprocessor.as_deref()])?,
            },
            prompt: value.get("origin_prompt").cloned().unwrap_or_default(),
            ppl_nats: value.get("ppl").and_then(Value::as_f64),
            sample: Some(sample),
            record: Some(record),
        })
    }

    /// What OpenCompass calls each example: `<subdivision>_<idx>`.
    fn example_names(&self, samples: &[&KeptSample]) -> Vec<String> {
        let name = |sample: &Sample, record: &Record| {
            let part = |column: &str| sample.get(column).map(python_str);
            let subdivision = part("subdivision").unwrap_or_else(|| self.facts.dataset.clone());
            format!("{subdivision}_{}", part("idx").unwrap_or_else(|| record.id.to_string()))
        };
        samples.iter().map(|kept| name(&kept.sample, &kept.record)).collect()
    }
}

/// Each metric's scores with a gap for every sample that has no answer.
fn score_rows(scores: &Scores, samples: &[KeptSample]) -> Vec<ScoreRow> {
    let row = |metric: &Metric| {
        let mut own = metric.scores.iter().copied();
        let score = |kept: &KeptSample| match kept.record.outcome {
            Outcome::Failed { .. } => f64::NAN,
            _ => own.next().unwrap_or(f64::NAN),
        };
        ScoreRow {
            metric: metric.name.clone(),
            facts: serde_json::json!({
                "value": metric.value, "standard_error": metric.standard_error, "unit": metric.unit,
            })
            .to_string(),
            scores: samples.iter().map(score).collect(),
        }
    };
    scores.metrics.iter().map(row).collect()
}
