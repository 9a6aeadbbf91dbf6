//! Results from kept samples.

use serde_json::Value;

use super::{
    Missing, RunError, Unscored,
    chosen_rule::ChosenRule,
    facts::UnitFacts,
    judgements::{Judgements, ToJudge},
    kept_sample::KeptSample,
    means::Means,
};
use crate::{
    config::{Component, Node},
    dataset::Sample,
    evaluate::{
        EvaluateError, Metric, Place, RepeatedScores, Row, Scores, details, evaluate_repeats,
        majority,
    },
    infer::{Candidate, Choice, Outcome, Record},
    plan::{EvaluationPlan, PlanError},
    postprocess::{self, Postprocessor},
    python::python_str,
    report::{self, ResultRow, StoredResult},
    score::Rule,
    store::{ScoreRow, Store},
    warn::{self, WarningCount},
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
    /// Why there is no figure although there is an evaluator.
    pub(crate) unscored: Option<Unscored>,
}

/// The answered samples of a unit as a metric sees them.
struct Answered<'s> {
    samples: Vec<&'s KeptSample>,
    /// Their entries in the predictions file.
    values: Vec<Value>,
    rows: Vec<Row<'s>>,
}

/// How a unit is evaluated.
pub(crate) struct UnitEvaluation<'a> {
    pub(super) facts: &'a UnitFacts,
    pub(super) plan: &'a EvaluationPlan,
    /// The model's own rule for predictions, applied before the data set's.
    model_postprocessor: Option<&'a dyn Postprocessor>,
    rule: ChosenRule<'a>,
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
        Self { facts, plan, model_postprocessor, rule: ChosenRule::new(plan, &choices) }
    }

    /// The rule that chooses among candidates.
    pub(crate) fn rule(&self) -> &dyn Rule {
        &*self.rule
    }

    /// The same, to be shared.
    pub(crate) fn chosen_rule(&self) -> &ChosenRule<'a> {
        &self.rule
    }

    pub(super) fn failed(&self, source: EvaluateError) -> RunError {
        let UnitFacts { dataset, model, .. } = self.facts;
        let (dataset, model) = (dataset.clone(), model.clone());
        RunError::Evaluate { dataset, model, source: Box::new(source) }
    }

    fn answered<'s>(&self, samples: &'s [KeptSample]) -> Result<Answered<'s>, RunError>
    where
        'a: 's,
    {
        let is_answered =
            |kept: &&KeptSample| !matches!(kept.record.outcome, Outcome::Failed { .. });
        let samples: Vec<&KeptSample> = samples.iter().filter(is_answered).collect();
        self.check_rule(&samples).map_err(|error| self.failed(error))?;
        let mut values = Vec::with_capacity(samples.len());
        let mut rows = Vec::with_capacity(samples.len());
        for kept in &samples {
            let value = report::prediction_value(&kept.record, self.rule());
            rows.push(self.row(kept, &value).map_err(|error| self.failed(error))?);
            values.push(value);
        }
        Ok(Answered { samples, values, rows })
    }

    /// What a judge is to be asked about the samples; nothing where nobody has to be asked. `before` is what it said in
    /// the rounds before this one: that is asked again, so that what comes of the last round is all there is.
    pub(crate) fn to_judge(
        &self,
        place: usize,
        samples: &[KeptSample],
        before: Option<(&Judgements, &Store)>,
    ) -> Result<Option<ToJudge>, RunError> {
        let Some(evaluator) = self.plan.evaluator.as_deref() else { return Ok(None) };
        let Some(judging) = evaluator.judging() else { return Ok(None) };
        let mut rows = self.answered(samples)?.rows;
        let mut asked = evaluator.asks(&rows).map_err(|error| self.failed(error))?;
        if let Some((kept, store)) = before {
            asked = self.with_replies(evaluator, &mut rows, asked, (kept, store))?;
            if asked.len() == kept.rows.len() {
                return Ok(None);
            }
        }
        let UnitFacts { dataset, model, .. } = self.facts;
        Ok(Some(ToJudge {
            place,
            dataset: dataset.clone(),
            model: model.clone(),
            judging: judging.clone(),
            asked,
        }))
    }

    /// Scores the samples.
    pub(crate) fn evaluate(&self, samples: &[KeptSample]) -> Result<Evaluated, RunError> {
        self.evaluate_with(samples, Means::default())
    }

    /// Scores the samples with what a judge said of them, if one did, with what their programs do, if they may, and with
    /// the vectors of their texts.
    pub(crate) fn evaluate_with(
        &self,
        samples: &[KeptSample],
        means: Means<'_>,
    ) -> Result<Evaluated, RunError> {
        let UnitFacts { dataset, model, mode, .. } = self.facts;
        let failed = |source: EvaluateError| self.failed(source);
        let is_failed = |kept: &&KeptSample| matches!(kept.record.outcome, Outcome::Failed { .. });
        let mut evaluated = Evaluated {
            rows: Vec::new(),
            stored: None,
            scores: Vec::new(),
            failed_samples: samples.iter().filter(is_failed).count(),
            warnings: Vec::new(),
            notes: Vec::new(),
            unscored: None,
        };
        let Answered { samples: answered, values, mut rows } = self.answered(samples)?;
        let Some(evaluator) = &self.plan.evaluator else {
            evaluated.warnings.extend(self.unfinished(&answered));
            return Ok(evaluated);
        };
        let missing = if !self.judge(&**evaluator, &mut rows, means.judgements)? {
            Some(Missing::Judge)
        } else if !self.run_code(&**evaluator, &mut rows, means.sandbox)? {
            Some(Missing::Code)
        } else if evaluator.lacks_wordnet() {
            Some(Missing::WordNet)
        } else {
            None
        };
        if let Some(missing) = missing {
            let (dataset, model) = (dataset.clone(), model.clone());
            evaluated.unscored = Some(Unscored { dataset, model, missing });
            return Ok(evaluated);
        }
        self.embed(&**evaluator, &mut rows, means.encoders)?;
        let ids: Vec<usize> = answered.iter().map(|kept| kept.record.id).collect();
        let names = [dataset.as_str(), model.as_str()];
        let unlike = (mode == "gen").then(|| warn::predictions(&**evaluator, names, &ids, &rows));
        let departures = warn::departures(&**evaluator, names, &ids, &rows);
        let undecided = warn::undecided(&**evaluator, names, &ids, &rows);
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
        let RepeatedScores { scores, beside, details, fields, note } =
            evaluate_repeats(&**evaluator, &rows, &places, repeats).map_err(failed)?;
        // What a judge said stands in the results themselves.
        let of_records = || details::of_records(&values, &rows);
        let is_judged = evaluator.judging().is_some();
        let details = details.or_else(|| if is_judged { None } else { of_records() });
        let results = scores.to_results(fields, details);
        let all = Scores {
            metrics: scores.metrics.iter().chain(&beside).cloned().collect(),
            samples: scores.samples,
            details: None,
        };
        let named = |note: String| format!("data set {dataset}, model {model}: {note}");
        evaluated.rows = ResultRow::of(dataset, model, mode, &all, evaluated.failed_samples);
        evaluated.scores = score_rows(&all, samples);
        evaluated.warnings = unlike
            .flatten()
            .into_iter()
            .chain(departures)
            .chain(undecided)
            .chain(self.unfinished(&answered))
            .collect();
        evaluated.notes =
            note.map(named).into_iter().chain(self.voted(&answered).map(named)).collect();
        let (model, dataset) = (model.clone(), dataset.clone());
        evaluated.stored = Some(StoredResult { model, dataset, results });
        Ok(evaluated)
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
    pub(crate) fn compared<'s>(&self, kept: &'s KeptSample) -> Option<Row<'s>>
    where
        'a: 's,
    {
        let is_answered = !matches!(kept.record.outcome, Outcome::Failed { .. });
        self.plan.evaluator.as_ref().filter(|_| is_answered)?;
        self.row(kept, &report::prediction_value(&kept.record, self.rule())).ok()
    }

    /// The prediction of a sample, after its post-processors.
    pub(crate) fn prediction(&self, kept: &KeptSample) -> Result<Value, EvaluateError> {
        let value = report::prediction_value(&kept.record, self.rule());
        Ok(self.row(kept, &value)?.prediction)
    }

    /// One sample as a metric sees it.
    pub(super) fn row<'s>(
        &self,
        kept: &'s KeptSample,
        value: &Value,
    ) -> Result<Row<'s>, EvaluateError>
    where
        'a: 's,
    {
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
            // It stood in the row, or was found, and needs nothing taken out of it.
            given
                if matches!(record.outcome, Outcome::Given { .. } | Outcome::Retrieved { .. }) =>
            {
                given
            }
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
            steps: value.get("steps").cloned().unwrap_or_default(),
            ppl_nats: value.get("ppl").and_then(Value::as_f64),
            tokens: value.get("token_len").and_then(Value::as_f64),
            loss_nats: value.get("loss").and_then(Value::as_f64),
            text_chars: value.get("total_chr_num").and_then(Value::as_f64),
            sample: Some(sample),
            record: Some(record),
            judgements: Vec::new(),
            model: Some(&self.facts.model),
            ended: Vec::new(),
            vectors: Vec::new(),
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
