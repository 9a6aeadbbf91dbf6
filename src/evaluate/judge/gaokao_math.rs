//! `GaoKaoMATHEvaluator`: a judge boxes yes or no, told by the evaluator's own prompt.
//!
//! The prompt is `OpenCompass`'s: the plan reads it in the user's package and writes it into the entry.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Asked, Judging, REFERENCE,
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
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    prompt: Option<String>,
    with_postprocess: Option<bool>,
    /// Where the judge is served, which is the run's business.
    #[serde(rename = "model_name")]
    _model_name: Option<Node>,
    #[serde(rename = "url")]
    _url: Option<Node>,
    #[serde(rename = "question_type")]
    _question_type: Option<Node>,
    #[serde(rename = "language")]
    _language: Option<Node>,
    #[serde(rename = "post_url")]
    _post_url: Option<Node>,
    #[serde(rename = "post_model_name")]
    _post_model_name: Option<Node>,
    #[serde(rename = "temperature")]
    _temperature: Option<Node>,
    #[serde(rename = "max_tokens")]
    _max_tokens: Option<Node>,
}

/// The end of the file of replies, which `OpenCompass` does not keep.
const FILE_SUFFIX: &str = "_judge";

/// The column with the whole question.
const ASKED: &str = "judge_asked";

static BOXED: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\\boxed{(.+?)}"));

impl GaokaoMath {
    /// Reads `dict(type=GaoKaoMATHEvaluator, model_name=…, url=…)`.
    pub(in crate::evaluate) fn boxed(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { prompt, with_postprocess, .. } = component.read()?;
        let refused = |what: &str| ConfigError::at(&component.origin, what);
        if with_postprocess == Some(true) {
            return Err(refused("no second model takes the answer out of a prediction")
                .under("with_postprocess")
                .with_hint(
                    "write with_postprocess=False, and take it out with pred_postprocessor",
                ));
        }
        let prompt = prompt.filter(|prompt| !prompt.is_empty());
        let Some(prompt) = prompt else {
            return Err(not_shipped(component, "its prompt is"));
        };
        let template = json!({"type": "PromptTemplate", "template": format!("{{{ASKED}}}")});
        let template = Component::parse(&Node::from_json(&template))?;
        Ok(Box::new(Self { judging: Judging::new(&template, None, FILE_SUFFIX)?, prompt }))
    }
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
        for (one, row) in reply::of_rows(rows, &asked)?.iter().zip(rows) {
            let text = one.text();
            let is_right = BOXED.last(&text).map_err(failed(one.row))? == Some("yes");
            are_right.push(is_right);
            details.push(Map::from_iter([
                ("pred".to_owned(), row.prediction.clone()),
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
        let ask = |(index, row): (usize, &Row<'_>)| {
            let fields = [
                ("question", question(&row.prompt)),
                ("gold_answer", python_str(&row.reference)),
                ("answer", python_str(&row.prediction)),
            ];
            let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
            let text = python_format(&self.prompt, &[], &fields).map_err(|_| {
                let reason =
                    "its prompt has gaps that nothing fills; opencompass 0.5.4 has another";
                EvaluateError::Undefined { evaluator: "gaokao_math", reason }
            })?;
            let columns = [(ASKED, Value::from(text)), (REFERENCE, row.reference.clone())];
            let columns = columns.map(|(name, value)| (name.to_owned(), value));
            Ok(Asked { row: index, sample: Sample::new(columns.into()) })
        };
        rows.iter().enumerate().map(ask).collect()
    }
}
