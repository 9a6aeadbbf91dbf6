//! `LMEvaluator`: a judge reads the answers to open questions and marks them.
//!
//! What differs from `llm_judge` is what the template may name (numbers of words, the turns of a dialogue) and the form
//! of the results file. Two models side by side need the answers of both, which one data set under one model does not
//! have: a template that shows a second prediction is refused.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Asked, JudgeRule, Judged, Judging, REFERENCE, rules, with_columns};
use crate::{
    config::{Component, ConfigError, Node},
    dataset::Sample,
    evaluate::{EvaluateError, Evaluator, Results, Row, Scores},
    python::python_str,
};

/// Asks a judge about every row.
pub(in crate::evaluate) struct LmJudge {
    judging: Judging,
    rule: Box<dyn JudgeRule>,
    has_rule: bool,
    /// Whether a dialogue is shown as one text instead of turn by turn.
    packs_turns: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    prompt_template: Component,
    judge_cfg: Option<Node>,
    #[serde(rename = "dataset_cfg")]
    _dataset_cfg: Option<Node>,
    dict_postprocessor: Option<Component>,
    pack_all_predictions: Option<bool>,
    /// For rules that compare models.
    #[serde(rename = "keep_predictions")]
    _keep_predictions: Option<Node>,
    multi_eval: Option<bool>,
    meta_review_prompt_template: Option<Node>,
}

/// OpenCompass's judges of this kind write their replies into the results file.
const FILE_SUFFIX: &str = "_judge";

impl LmJudge {
    /// Reads `dict(type=LMEvaluator, prompt_template=…, dict_postprocessor=…)`.
    pub(in crate::evaluate) fn boxed(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let params: Params = component.read()?;
        let refused =
            |what: &str, hint: &str| Err(ConfigError::at(&component.origin, what).with_hint(hint));
        if params.multi_eval == Some(true) {
            return refused("multi_eval asks with prompts of the row", "it is not built");
        }
        if params.meta_review_prompt_template.is_some_and(|node| !node.is_none()) {
            return refused(
                "a judge of judges is not built",
                "leave meta_review_prompt_template out",
            );
        }
        let template = params.prompt_template.params.to_json().to_string();
        if template.contains("{prediction2") {
            return refused(
                "the template shows the answers of two models, and each model is evaluated on its own",
                "use a template with {prediction} alone",
            );
        }
        let judging = Judging::new(&params.prompt_template, params.judge_cfg, FILE_SUFFIX)?;
        Ok(Box::new(Self {
            judging,
            rule: rules::build(params.dict_postprocessor.as_ref())?,
            has_rule: params.dict_postprocessor.is_some(),
            packs_turns: params.pack_all_predictions == Some(true),
        }))
    }

    fn sample(&self, row: &Row<'_>) -> Sample {
        let gold = [("obj_gold", row.reference.clone()), (REFERENCE, row.reference.clone())];
        let mut sample = with_columns(row.sample, []);
        match &row.prediction {
            Value::Array(turns) if self.packs_turns => {
                sample.set("prediction", json!(python_str(&Value::Array(turns.clone()))));
            }
            Value::Array(turns) => {
                for (turn, exchange) in turns.iter().enumerate() {
                    let reply = exchange.get("assistant").cloned().unwrap_or_default();
                    sample.set(&format!("prediction_r{}", turn + 1), reply);
                }
            }
            prediction => {
                let text = python_str(prediction);
                sample.set("prediction", prediction.clone());
                sample.set("prediction_en_word_count", json!(english_words(&text)));
                sample.set("prediction_cn_word_count", json!(chinese_characters(&text)));
            }
        }
        for (name, value) in gold {
            sample.set(name, value);
        }
        sample
    }
}

impl Evaluator for LmJudge {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        self.results(rows).map(|results| results.scores)
    }

    fn results(&self, rows: &[Row<'_>]) -> Result<Results, EvaluateError> {
        let asked = self.asks(rows)?;
        let mut judged = Vec::with_capacity(rows.len());
        for one in &asked {
            let entry = rows.get(one.row).and_then(|row| row.judgement.as_ref());
            let error = entry.and_then(|entry| entry.get("error")).map(python_str);
            match entry {
                Some(entry) if error.is_none() => {
                    judged.push(Judged { entry, sample: &one.sample });
                }
                _ => return Err(EvaluateError::NotJudged { row: one.row, why: error }),
            }
        }
        let mut results = self.rule.results(&judged)?;
        // Of these OpenCompass writes the rule's results as they are.
        let details = results.scores.details.take();
        if self.has_rule
            && let Some(details) = details
        {
            let details = if self.rule.notes_replies() {
                let by_index = details.into_iter().enumerate();
                let by_index =
                    by_index.map(|(index, detail)| (index.to_string(), Value::Object(detail)));
                Value::Object(by_index.collect::<Map<_, _>>())
            } else {
                json!(details)
            };
            results.beside.insert("details".to_owned(), details);
        }
        Ok(results)
    }

    fn judging(&self) -> Option<&Judging> {
        Some(&self.judging)
    }

    fn asks(&self, rows: &[Row<'_>]) -> Result<Vec<Asked>, EvaluateError> {
        let ask = |(row, one): (usize, &Row<'_>)| Asked { row, sample: self.sample(one) };
        Ok(rows.iter().enumerate().map(ask).collect())
    }
}

/// Runs of Latin letters that no other letter, digit or underscore touches.
fn english_words(text: &str) -> usize {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphabetic())).count()
}

fn chinese_characters(text: &str) -> usize {
    text.chars().filter(|c| ('\u{4e00}'..='\u{9fff}').contains(c)).count()
}
