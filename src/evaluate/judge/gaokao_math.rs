//! `GaoKaoMATHEvaluator`: a judge boxes yes or no, told by the evaluator's own prompt.
//!
//! With `with_postprocess` the judge is asked twice: first to take the answer out of a prediction, then whether that
//! is the gold. OpenCompass lets the config name another model for the first; here both questions go to the judge,
//! and a config that names two models is refused. The prompts are `OpenCompass`'s: the plan reads them in the user's
//! package and writes them into the entry.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    ASKED, Asked, Judging, REFERENCE,
    marks::{failed, share},
    not_shipped, reply,
};
use crate::{
    config::{Component, ConfigError, Node},
    dataset::Sample,
    evaluate::{EvaluateError, Evaluator, Row, Scores},
    postprocess::PythonRegex,
    python::{python_format, python_str},
};

/// Asks whether each answer is the gold.
pub(in crate::evaluate) struct GaokaoMath {
    judging: Judging,
    prompt: String,
    /// Where the answer is taken out of a prediction first.
    extraction: Option<Extraction>,
}

/// How a judge is asked to take out an answer.
struct Extraction {
    prompt: String,
    /// The kind of all questions, where they have one.
    question_type: Option<String>,
    /// The kind of a question that does not tell it.
    other_type: &'static str,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    prompt: Option<String>,
    with_postprocess: Option<bool>,
    post_prompt: Option<String>,
    model_name: Option<String>,
    post_model_name: Option<String>,
    question_type: Option<String>,
    language: Option<String>,
    /// Where the judge is served, which is the run's business.
    #[serde(rename = "url")]
    _url: Option<Node>,
    #[serde(rename = "post_url")]
    _post_url: Option<Node>,
    #[serde(rename = "temperature")]
    _temperature: Option<Node>,
    #[serde(rename = "max_tokens")]
    _max_tokens: Option<Node>,
}

/// The end of the file of replies, which `OpenCompass` does not keep.
const FILE_SUFFIX: &str = "_judge";

static BOXED: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\\boxed{(.+?)}"));

impl GaokaoMath {
    /// Reads `dict(type=GaoKaoMATHEvaluator, model_name=…, url=…)`.
    pub(in crate::evaluate) fn boxed(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let params: Params = component.read()?;
        let extraction = Extraction::of(&params, component)?;
        let prompt = params.prompt.filter(|prompt| !prompt.is_empty());
        let Some(prompt) = prompt else {
            return Err(not_shipped(component, "its prompt is"));
        };
        let template = json!({"type": "PromptTemplate", "template": format!("{{{ASKED}}}")});
        let template = Component::parse(&Node::from_json(&template))?;
        let rounds = if extraction.is_some() { 2 } else { 1 };
        let judging = Judging { rounds, ..Judging::new(&template, None, FILE_SUFFIX)? };
        Ok(Box::new(Self { judging, prompt, extraction }))
    }

    /// Whether an answer is the gold of a row.
    fn comparison(
        &self,
        index: usize,
        row: &Row<'_>,
        answer: &str,
    ) -> Result<Asked, EvaluateError> {
        let (question, gold) = (question(&row.prompt), python_str(&row.reference));
        let fields = [("question", &*question), ("gold_answer", &*gold), ("answer", answer)];
        asked(index, row, &self.prompt, &fields)
    }
}

impl Extraction {
    /// Reads `with_postprocess` and what belongs to it; nothing where it is not wanted.
    fn of(params: &Params, component: &Component) -> Result<Option<Self>, ConfigError> {
        if params.with_postprocess != Some(true) {
            return Ok(None);
        }
        if params.model_name.is_none() || params.post_model_name != params.model_name {
            let message =
                "answers are taken out by the model that judges them, and this names another one";
            return Err(ConfigError::at(&component.origin, message)
                .under("post_model_name")
                .with_hint(
                    "write the same name as model_name, or with_postprocess=False and a pred_postprocessor",
                ));
        }
        let prompt = params.post_prompt.clone().filter(|prompt| !prompt.is_empty());
        let prompt = prompt.ok_or_else(|| not_shipped(component, "its second prompt is"))?;
        let question_type = params.question_type.clone().filter(|own| !own.is_empty());
        let is_chinese = params.language.as_deref() == Some("cn");
        let other_type = if is_chinese { "问答题" } else { "problem-solving" };
        Ok(Some(Self { prompt, question_type, other_type }))
    }

    /// What the answer in the prediction of a row is.
    fn question(&self, index: usize, row: &Row<'_>) -> Result<Asked, EvaluateError> {
        let own_type = || row.sample?.get("question_type").map(python_str);
        let kind = self.question_type.clone().or_else(own_type);
        let kind = kind.unwrap_or_else(|| self.other_type.to_owned());
        let (question, response) = (question(&row.prompt), python_str(&row.prediction));
        let fields =
            [("question", &*question), ("response", &*response), ("question_type", &*kind)];
        asked(index, row, &self.prompt, &fields)
    }
}

/// A prompt about a row, its gaps filled.
fn asked(
    index: usize,
    row: &Row<'_>,
    prompt: &str,
    fields: &[(&str, &str)],
) -> Result<Asked, EvaluateError> {
    let text = python_format(prompt, &[], fields).map_err(|_| {
        let reason = "its prompt has gaps that nothing fills; opencompass 0.5.4 has another";
        EvaluateError::Undefined { evaluator: "gaokao_math", reason }
    })?;
    let columns = [(ASKED, Value::from(text)), (REFERENCE, row.reference.clone())];
    let columns = columns.map(|(name, value)| (name.to_owned(), value));
    Ok(Asked { row: index, sample: Sample::new(columns.into()) })
}

/// The question of a row as it was asked.
fn question(prompt: &Value) -> String {
    let first = prompt.get(0).and_then(|message| message.get("prompt"));
    python_str(first.unwrap_or(prompt))
}

impl Evaluator for GaokaoMath {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let asked = self.asks(rows)?;
        let (mut are_right, mut details) = (Vec::new(), Vec::new());
        let judged = reply::of_rows(rows, &asked)?;
        // Behind what was taken out of each row, if something was.
        let taken_out = if self.extraction.is_some() { rows.len() } else { 0 };
        for (one, row) in judged.iter().skip(taken_out).zip(rows) {
            let text = one.text();
            let taken = self.extraction.as_ref().and_then(|_| reply::first(row));
            let is_right = BOXED.last(&text).map_err(failed(one.row))? == Some("yes");
            are_right.push(is_right);
            details.push(Map::from_iter([
                ("pred".to_owned(), taken.map_or_else(|| row.prediction.clone(), Value::from)),
                ("answer".to_owned(), row.reference.clone()),
                ("correct".to_owned(), json!(is_right)),
                ("eval_model_response".to_owned(), json!(text)),
            ]));
        }
        let metrics = vec![share("accuracy", &are_right)];
        Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
    }

    fn judging(&self) -> Option<&Judging> {
        Some(&self.judging)
    }

    fn asks(&self, rows: &[Row<'_>]) -> Result<Vec<Asked>, EvaluateError> {
        let numbered = rows.iter().enumerate();
        let Some(extraction) = &self.extraction else {
            let ask = |(index, row): (usize, &Row<'_>)| {
                self.comparison(index, row, &python_str(&row.prediction))
            };
            return numbered.map(ask).collect();
        };
        let first = numbered.clone().map(|(index, row)| extraction.question(index, row));
        let compare = |(index, row): (usize, &Row<'_>)| {
            reply::first(row).map(|answer| self.comparison(index, row, &answer))
        };
        first.chain(numbered.filter_map(compare)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(post_model: &str) -> Result<Box<dyn Evaluator>, ConfigError> {
        let entry = json!({
            "type": "GaoKaoMATHEvaluator", "model_name": "m", "url": "u", "post_model_name": post_model,
            "with_postprocess": true, "prompt": "{question}={answer}?", "post_prompt": "{response} of {question_type}",
        });
        GaokaoMath::boxed(&Component::parse(&Node::from_json(&entry))?)
    }

    #[test]
    fn what_was_taken_out_is_judged_once_it_is_there() {
        let evaluator = built("m").unwrap();
        let row = |replies: &[&str]| Row {
            prediction: "so 7".into(),
            prompt: "q".into(),
            judgements: replies
                .iter()
                .map(|reply| Map::from_iter([("prediction".to_owned(), json!(reply))]))
                .collect(),
            ..Row::default()
        };
        let texts = |rows: &[Row<'_>]| -> Vec<Value> {
            let asked = evaluator.asks(rows).unwrap();
            asked.iter().filter_map(|one| one.sample.get(ASKED)).cloned().collect()
        };
        assert_eq!(texts(&[row(&[])]), ["so 7 of problem-solving"]);
        let both = ["so 7 of problem-solving", "q=7?"];
        assert_eq!(texts(&[row(&["7"])]), both);
        assert_eq!(texts(&[row(&["7", "\\boxed{yes}"])]), both);
        assert!(matches!(evaluator.evaluate(&[row(&["7"])]), Err(EvaluateError::NotJudged { .. })));
        let scores = evaluator.evaluate(&[row(&["7", "\\boxed{yes}"])]).unwrap();
        assert_eq!(scores.details.unwrap()[0]["pred"], "7");
    }

    #[test]
    fn a_config_that_names_two_models_is_refused() {
        let error = built("other").err().unwrap().to_string();
        assert!(error.contains("post_model_name") && error.contains("same name"), "{error}");
    }
}
