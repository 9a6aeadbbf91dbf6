//! `LMEvaluator`: a judge reads the answers to open questions and marks them, or compares them with those of another
//! model.
//!
//! What differs from `llm_judge` is what the template may name (numbers of words, the turns of a dialogue, a second
//! answer) and the form of the results file. With `multi_eval` a row says how often it is asked about, and how:
//! OpenCompass puts the questions beside columns of other rows there; here they stand beside their own.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Asked, JudgeRule, Judged, Judging, REFERENCE, comparison::Comparison, marks::no_figure, reply,
    rules, with_columns,
};
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
    /// Whether the rows hold what is asked about them.
    asks_by_row: bool,
    comparison: Option<Comparison>,
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
    keep_predictions: Option<bool>,
    multi_eval: Option<bool>,
    meta_review_prompt_template: Option<Node>,
    comparison: Option<Comparison>,
}

/// OpenCompass's judges of this kind write their replies into the results file.
const FILE_SUFFIX: &str = "_judge";

/// The field of a right answer with what is asked about its row.
const PROMPTS: &str = "judge_prompt_list";

impl LmJudge {
    /// Reads `dict(type=LMEvaluator, prompt_template=…, dict_postprocessor=…)`.
    pub(in crate::evaluate) fn boxed(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let params: Params = component.read()?;
        let refused =
            |what: &str, hint: &str| Err(ConfigError::at(&component.origin, what).with_hint(hint));
        if params.meta_review_prompt_template.is_some_and(|node| !node.is_none()) {
            return refused(
                "a judge of judges is not built",
                "leave meta_review_prompt_template out",
            );
        }
        let template = params.prompt_template.params.to_json().to_string();
        if template.contains("{prediction2") && params.comparison.is_none() {
            return refused(
                "the template shows the answers of two models, and nothing says whose the other one is",
                "write mode='m2n', base_models and given_pred into the entry of the data set",
            );
        }
        let judging = Judging::new(&params.prompt_template, params.judge_cfg, FILE_SUFFIX)?;
        Ok(Box::new(Self {
            judging,
            rule: rules::build(params.dict_postprocessor.as_ref())?,
            has_rule: params.dict_postprocessor.is_some(),
            packs_turns: params.pack_all_predictions == Some(true),
            asks_by_row: params.multi_eval == Some(true),
            comparison: params.comparison.map(|mut comparison| {
                comparison.keeps_predictions = params.keep_predictions == Some(true);
                comparison
            }),
        }))
    }

    /// Shows an answer, the second one under a name of its own.
    fn show(&self, sample: &mut Sample, place: usize, answer: &Value) {
        let name = if place == 0 { "prediction" } else { "prediction2" };
        match answer {
            Value::Array(_) if self.packs_turns => sample.set(name, json!(python_str(answer))),
            Value::Array(turns) => {
                let name = if place == 0 { "prediction" } else { "prediction1" };
                for (turn, exchange) in turns.iter().enumerate() {
                    let reply = exchange.get("assistant").cloned().unwrap_or_default();
                    sample.set(&format!("{name}_r{}", turn + 1), reply);
                }
            }
            answer => {
                let text = python_str(answer);
                sample.set(name, answer.clone());
                sample.set(&format!("{name}_en_word_count"), json!(english_words(&text)));
                sample.set(&format!("{name}_cn_word_count"), json!(chinese_characters(&text)));
            }
        }
    }

    fn sample(&self, row: &Row<'_>, answers: &[&Value], reference: &Value) -> Sample {
        let mut sample = with_columns(row.sample, []);
        for (place, answer) in answers.iter().enumerate() {
            self.show(&mut sample, place, answer);
        }
        sample.set("obj_gold", reference.clone());
        sample.set(REFERENCE, reference.clone());
        sample
    }

    /// What is asked about a row that holds its own questions.
    fn asks_of_row(&self, index: usize, row: &Row<'_>) -> Result<Vec<Asked>, EvaluateError> {
        let missing =
            EvaluateError::NoColumn { row: index, evaluator: "lm_judge", column: PROMPTS };
        let Some(prompts) = row.reference.get(PROMPTS).and_then(Value::as_array) else {
            return Err(missing);
        };
        let mut reference = row.reference.clone();
        let mut asked = Vec::with_capacity(prompts.len());
        for prompt in prompts {
            if let Some(fields) = reference.as_object_mut() {
                fields.shift_remove(PROMPTS);
                fields.insert("judge_prompt".to_owned(), prompt.clone());
            }
            let answer = python_str(&row.prediction);
            let text = json!(python_str(prompt).replace("{prediction}", &answer));
            let sample = self.sample(row, &[&text], &reference);
            asked.push(Asked { row: index, sample });
        }
        Ok(asked)
    }

    /// The results of replies, in the form of OpenCompass's file.
    fn of_replies(&self, judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
        let mut results = self.rule.results(judged)?;
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

    /// The results beside each of several models, of which OpenCompass writes a file each: here figures have the name
    /// of the other model in front.
    fn of_bases(&self, bases: &[&str], judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
        let size = (judged.len() / bases.len().max(1)).max(1);
        let mut all = Results::of(no_figure(judged.len(), None));
        for (base, judged) in bases.iter().zip(judged.chunks(size)) {
            let Results { scores, beside } = self.of_replies(judged)?;
            let named = scores.metrics.into_iter().map(|mut metric| {
                metric.name = format!("{base}/{}", metric.name);
                metric
            });
            all.scores.metrics.extend(named);
            all.scores.samples = scores.samples;
            all.beside.insert((*base).to_owned(), Value::Object(beside));
        }
        Ok(all)
    }
}

impl Evaluator for LmJudge {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        self.results(rows).map(|results| results.scores)
    }

    fn results(&self, rows: &[Row<'_>]) -> Result<Results, EvaluateError> {
        let asked = self.asks(rows)?;
        let judged = reply::of_rows(rows, &asked)?;
        match self.comparison.as_ref().map(|comparison| comparison.bases(rows)) {
            // The model that others are compared with has no figure of its own.
            Some(bases) if bases.is_empty() => Ok(Results::of(no_figure(rows.len(), None))),
            Some(bases) if bases.len() > 1 => self.of_bases(&bases, &judged),
            _ => self.of_replies(&judged),
        }
    }

    fn judging(&self) -> Option<&Judging> {
        Some(&self.judging)
    }

    fn asks(&self, rows: &[Row<'_>]) -> Result<Vec<Asked>, EvaluateError> {
        let mut asked = Vec::with_capacity(rows.len());
        if let Some(comparison) = &self.comparison {
            for base in comparison.bases(rows) {
                for pair in comparison.pairs(rows, base)? {
                    let Some(row) = rows.get(pair.row) else { continue };
                    let [(first, _), (second, _)] = pair.answers;
                    let reference = Value::Object(pair.reference);
                    let sample = self.sample(row, &[first, second], &reference);
                    asked.push(Asked { row: pair.row, sample });
                }
            }
            return Ok(asked);
        }
        for (index, row) in rows.iter().enumerate() {
            if self.asks_by_row {
                asked.extend(self.asks_of_row(index, row)?);
            } else {
                let sample = self.sample(row, &[&row.prediction], &row.reference);
                asked.push(Asked { row: index, sample });
            }
        }
        Ok(asked)
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
