//! `CascadeEvaluator`: a rule looks at each prediction, and a judge at what the rule does not find right, or at all.
//!
//! The judge sees predictions as they are, whatever post-processor its entry has: so it is in OpenCompass, where the
//! column is filled before that is applied.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Asked, Judging, REFERENCE, llm_judge::LlmJudge, with_columns};
use crate::{
    config::{Component, ConfigError, Node},
    dataset::Sample,
    evaluate::{self, EvaluateError, Evaluator, Metric, Results, Row, Scores},
    postprocess::{self, Postprocessor},
};

/// A rule and a judge.
pub(in crate::evaluate) struct Cascade {
    rule: Box<dyn Evaluator>,
    /// The rule's own post-processor.
    rule_postprocessor: Option<Box<dyn Postprocessor>>,
    judge: LlmJudge,
    /// Whether the judge is asked about every row.
    is_parallel: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    llm_evaluator: Component,
    rule_evaluator: Option<Node>,
    parallel: Option<bool>,
    sample_score_fn: Option<Node>,
}

/// What is noted of a row, and whether it is right.
type Noted = (Map<String, Value>, bool);

/// The end of OpenCompass's file of replies.
const FILE_SUFFIX: &str = "_llm_judge_replica0";

impl Cascade {
    /// Reads `dict(type=CascadeEvaluator, rule_evaluator=…, llm_evaluator=…, parallel=…)`.
    pub(in crate::evaluate) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { mut llm_evaluator, rule_evaluator, parallel, sample_score_fn } =
            component.read()?;
        let is_there =
            |node: &Node| !node.is_none() && node.as_dict().is_none_or(|dict| !dict.is_empty());
        if let Some(function) = sample_score_fn.filter(is_there) {
            let message = "a function of a config is never run";
            return Err(ConfigError::at(&function.origin, message)
                .under("sample_score_fn")
                .with_hint("name a rule_evaluator"));
        }
        let Some(rule) = rule_evaluator.filter(is_there) else {
            let message = "a cascade needs a rule_evaluator";
            return Err(ConfigError::at(&component.origin, message)
                .with_hint("write rule_evaluator=dict(type=…), or use the llm_evaluator alone"));
        };
        let under = |field| move |error: ConfigError| error.under(field);
        let mut rule = Component::parse(&rule).map_err(under("rule_evaluator"))?;
        let own = rule.params.remove("pred_postprocessor").filter(|own| !own.is_none());
        let own = own.map(|own| postprocess::build(&Component::parse(&own)?)).transpose();
        let rule_postprocessor = own.map_err(under("rule_evaluator.pred_postprocessor"))?;
        let rule = evaluate::build(&rule).map_err(under("rule_evaluator"))?;
        if rule.judging().is_some() || rule.runs_code() {
            let message = "the rule of a cascade can neither ask a judge nor run programs";
            return Err(ConfigError::at(&component.origin, message).under("rule_evaluator"));
        }
        if !llm_evaluator.path.ends_with("GenericLLMEvaluator") && llm_evaluator.path != "llm_judge"
        {
            let message =
                format!("a cascade's judge is llm_judge, not {}", llm_evaluator.type_name);
            return Err(ConfigError::at(&llm_evaluator.origin, message).under("llm_evaluator"));
        }
        llm_evaluator.params.remove("pred_postprocessor");
        let judge = LlmJudge::from_component(&llm_evaluator, FILE_SUFFIX);
        Ok(Box::new(Self {
            rule,
            rule_postprocessor,
            judge: judge.map_err(under("llm_evaluator"))?,
            is_parallel: parallel.unwrap_or(true),
        }))
    }

    /// What the rule notes of each row, and whether it finds it right.
    fn by_rule(&self, rows: &[Row<'_>]) -> Result<Vec<Noted>, EvaluateError> {
        let one = |(index, row): (usize, &Row<'_>)| {
            let mut row = row.clone();
            if let Some(rule) = &self.rule_postprocessor {
                let none = Sample::default();
                let sample = row.sample.unwrap_or(&none);
                row.prediction =
                    postprocess::apply(&**rule, &row.prediction, sample).map_err(|source| {
                        EvaluateError::Normalization { row: index, source: Box::new(source) }
                    })?;
            }
            let results = self.rule.results(std::slice::from_ref(&row));
            let Results { scores, .. } = results
                .map_err(|error| EvaluateError::Cascade { row: index, source: Box::new(error) })?;
            let noted = scores.details.and_then(|details| details.into_iter().next());
            let mut detail = noted.unwrap_or_else(|| {
                let accuracy = scores.metrics.iter().find(|metric| metric.name == "accuracy");
                Map::from_iter([
                    ("correct".to_owned(), json!(accuracy.is_some_and(|own| own.value > 0.0))),
                    ("pred".to_owned(), row.prediction.clone()),
                    ("answer".to_owned(), row.reference.clone()),
                ])
            });
            let is_right = detail.get("correct").is_some_and(is_true);
            detail.insert("evaluation_method".to_owned(), json!("rule"));
            Ok((detail, is_right))
        };
        rows.iter().enumerate().map(one).collect()
    }

    fn asked(&self, rows: &[Row<'_>], by_rule: &[Noted]) -> Vec<Asked> {
        let left = rows.iter().zip(by_rule).enumerate();
        let left = left.filter(|(_, (_, (_, is_right)))| self.is_parallel || !is_right);
        let ask = |(index, (row, _)): (usize, (&Row<'_>, _))| {
            let mut columns = vec![(REFERENCE, row.reference.clone())];
            // A column of this name of the data set's own stays.
            if row.sample.is_none_or(|sample| sample.get("prediction").is_none()) {
                columns.push(("prediction", row.prediction.clone()));
            }
            let mut sample = with_columns(row.sample, []);
            columns.into_iter().rev().for_each(|(name, value)| sample.set(name, value));
            Asked { row: index, sample }
        };
        left.map(ask).collect()
    }
}

impl Evaluator for Cascade {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        self.results(rows).map(|results| results.scores)
    }

    fn results(&self, rows: &[Row<'_>]) -> Result<Results, EvaluateError> {
        let by_rule = self.by_rule(rows)?;
        let asked = self.asked(rows, &by_rule);
        let noted = match asked.as_slice() {
            [] => Vec::new(),
            asked => self.judge.of_replies(rows, asked)?.scores.details.unwrap_or_else(|| {
                // Without a rule of its own the judge's results are its replies.
                let entry = |one: &Asked| rows.get(one.row)?.judgements.first().cloned();
                asked.iter().map(|one| entry(one).unwrap_or_default()).collect()
            }),
        };
        let mut by_judge: Vec<Option<Noted>> = vec![None; rows.len()];
        for (one, mut detail) in asked.iter().zip(noted) {
            detail.insert("dataset_replica_idx".to_owned(), json!(0));
            let is_right = says_right(&detail);
            detail.insert("llm_correct".to_owned(), json!(is_right));
            by_judge[one.row] = Some((detail, is_right));
        }
        let count = |are: &dyn Fn(usize) -> bool| (0..rows.len()).filter(|row| are(*row)).count();
        let rule_right = |row: usize| by_rule[row].1;
        let judge_right = |row: usize| by_judge[row].as_ref().is_some_and(|(_, right)| *right);
        let are_right: Vec<bool> =
            (0..rows.len()).map(|row| rule_right(row) || judge_right(row)).collect();
        let percent = |part: usize, whole: usize| {
            if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
        };
        let (all, by_rule_right) = (rows.len(), count(&rule_right));
        let (by_judge_right, right) = (count(&judge_right), count(&|row| are_right[row]));
        let stats = json!({
            "total_samples": all,
            "rule_correct": by_rule_right,
            "rule_accuracy": percent(by_rule_right, all),
            "llm_evaluated": asked.len(),
            "llm_correct": by_judge_right,
            "llm_accuracy": percent(by_judge_right, asked.len()),
            "final_correct": right,
            "final_accuracy": percent(right, all),
            "parallel_mode": self.is_parallel,
        });
        let is_judged = !asked.is_empty();
        let details = by_rule.into_iter().zip(by_judge).zip(&are_right);
        let details = details.map(|(((rule, _), judge), is_right)| {
            let mut detail = Map::from_iter([("rule_evaluation".to_owned(), Value::Object(rule))]);
            if let Some((judge, _)) = judge {
                detail.insert("llm_evaluation".to_owned(), Value::Object(judge));
            }
            if is_judged {
                detail.insert("cascade_correct".to_owned(), json!(is_right));
            }
            detail
        });
        let mut metric = Metric::of_shares("accuracy", &are_right);
        metric.value = percent(right, all);
        let scores =
            Scores { metrics: vec![metric], samples: all, details: Some(details.collect()) };
        // As all that is no number, OpenCompass writes it once for each run of the data set.
        Ok(Results {
            scores,
            beside: Map::from_iter([("cascade_stats".to_owned(), json!([stats]))]),
        })
    }

    fn judging(&self) -> Option<&Judging> {
        self.judge.judging()
    }

    fn lacks_wordnet(&self) -> bool {
        self.rule.lacks_wordnet()
    }

    fn asks(&self, rows: &[Row<'_>]) -> Result<Vec<Asked>, EvaluateError> {
        Ok(self.asked(rows, &self.by_rule(rows)?))
    }
}

/// Whether what a judge's rule noted says that a row is right.
fn says_right(detail: &Map<String, Value>) -> bool {
    let words = ["prediction", "llm_judge"].iter().find_map(|field| detail.get(*field));
    if let Some(words) = words {
        let words = crate::python::python_str(words);
        let words = words.trim_matches(crate::python::is_blank).to_uppercase();
        return words == "A" || words.starts_with("CORRECT");
    }
    match (detail.get("correct"), detail.get("score")) {
        (Some(correct), _) => is_true(correct),
        (None, Some(score)) => score.as_f64().is_some_and(|score| score > 0.5),
        (None, None) => false,
    }
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => *flag,
        other => other.as_f64().is_some_and(|number| number != 0.0),
    }
}
