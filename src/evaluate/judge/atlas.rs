//! `ATLAS`: verdicts on several answers at once, in JSON; a row is right if all of them are.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Judged, LlmJudge,
    marks::{failed, share},
    rules::JudgeRule,
};
use crate::{
    config::{Component, ConfigError},
    evaluate::{EvaluateError, Evaluator, Results, Scores},
    postprocess::{PatternError, PythonRegex, with_double_backslashes},
    python::is_blank,
};

/// The end of `OpenCompass`'s file of replies, but for the judge's name.
const FILE_SUFFIX: &str = "_replica0";

/// The field of a prediction that the judge reads.
const ANSWERS: &str = "answers";

/// Reads `dict(type=ATLASLLMEvaluator, …)`, whose judges stand in a list of one.
pub(in crate::evaluate) fn evaluator(
    component: &Component,
) -> Result<Box<dyn Evaluator>, ConfigError> {
    let mut component = component.clone();
    if let Some(written) = component.params.remove("judge_cfg") {
        let judges = written.get("judgers").and_then(|judges| judges.as_list()).unwrap_or_default();
        match judges {
            [] => {}
            [only] => component.params.set("judge_cfg", only.clone()),
            [_, second, ..] => {
                let message = "several judges vote, and one is asked here";
                return Err(ConfigError::at(&second.origin, message)
                    .under("judge_cfg.judgers")
                    .with_hint("leave one of them in the list"));
            }
        }
    }
    let judge = LlmJudge::from_component(&component, FILE_SUFFIX)?;
    Ok(Box::new(LlmJudge { reads: Some(ANSWERS), ..judge }))
}

/// Reads the verdicts behind a reply's thoughts.
pub(super) struct Verdicts {
    end_of_thoughts: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    think_tags: Option<[String; 2]>,
}

static JSON: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant("(?s)```json(.*?)```"));
static BLOCK: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant("(?s)```(.*?)```"));

/// What stands for verdicts that cannot be read.
fn unreadable() -> Value {
    json!([{"label": "C", "explanation": "Error processing judge output"}])
}

fn parsed(text: &str) -> Result<Option<Value>, PatternError> {
    Ok(serde_json::from_str(&with_double_backslashes(text)?).ok())
}

/// What stands behind the last of some marks, or the whole.
fn behind<'t>(text: &'t str, mark: &str) -> &'t str {
    text.rsplit_once(mark).map_or(text, |(_, behind)| behind)
}

impl Verdicts {
    /// Reads `think_tags`.
    pub(super) fn build(component: &Component) -> Result<Box<dyn JudgeRule>, ConfigError> {
        let Params { think_tags } = component.read()?;
        let end_of_thoughts = think_tags.map_or_else(|| "</think>".to_owned(), |[_, end]| end);
        Ok(Box::new(Self { end_of_thoughts }))
    }

    /// The verdicts of a reply.
    fn of(&self, reply: &str) -> Result<Value, PatternError> {
        let text = behind(reply, &self.end_of_thoughts);
        let mut fenced = JSON.first(text)?;
        if fenced.is_none() {
            fenced = BLOCK.first(text)?;
        }
        let mut found = None;
        if let Some(fenced) = fenced {
            found = parsed(fenced.trim_matches(is_blank))?;
        } else {
            for (mark, before, after) in [
                ("\"judgements\"", "{\"judgements\"", ""),
                ("\"label\"", "{\"judgements\": [{\"label\"", "}]}"),
            ] {
                if found.is_none() {
                    found = parsed(&format!("{before}{}{after}", behind(text, mark)))?;
                }
            }
        }
        Ok(match found {
            Some(Value::Array(all)) => Value::Array(all),
            Some(Value::Object(mut fields)) => match fields.shift_remove("judgements") {
                Some(Value::Array(all)) => Value::Array(all),
                Some(one) => json!([one]),
                None => unreadable(),
            },
            _ => unreadable(),
        })
    }
}

impl JudgeRule for Verdicts {
    fn results(&self, judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
        let (mut are_right, mut details) = (Vec::new(), Vec::new());
        for one in judged {
            let verdicts = self.of(&one.text()).map_err(failed(one.row))?;
            let is_right =
                verdicts.as_array().is_some_and(|all| all.iter().all(|own| own["label"] == "A"));
            are_right.push(is_right);
            // Lists over judges, of whom there is one.
            details.push(Map::from_iter([
                ("origial_judge".to_owned(), json!([one.field("prediction")])),
                ("reference".to_owned(), json!([one.gold()])),
                (
                    "parsed_judge".to_owned(),
                    json!([{"judgements": verdicts, "overall_judge": is_right}]),
                ),
                ("correct".to_owned(), json!(is_right)),
            ]));
        }
        let metrics = vec![share("accuracy", &are_right)];
        let scores = Scores { metrics, samples: judged.len(), details: Some(details) };
        Ok(Results::of(scores))
    }

    fn notes_replies(&self) -> bool {
        false
    }
}
