//! Replies in JSON that say whether what was asked for is there.

use std::{collections::BTreeMap, sync::LazyLock};

use serde_json::{Map, Value, json};

use super::{Judged, marks::failed, rules::JudgeRule};
use crate::{
    evaluate::{EvaluateError, Metric, Results, Scores},
    postprocess::{PatternError, PythonRegex},
    python::is_blank,
};

/// What a reply says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rubric {
    /// Whether each point of a list is met, and all of them.
    AdvancedIf,
    /// `answer_score` of 1 or 0, also by language and kind of instruction.
    InverseIfEval,
}

static ALL_MET: LazyLock<PythonRegex> = LazyLock::new(|| {
    PythonRegex::dotall_constant(r#"\{[\s\S]*?"SATISFIED_ALL_REQUIREMENTS"[\s\S]*\}"#)
});
static YES_OR_NO: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r#"(?i)"SATISFIED_ALL_REQUIREMENTS"\s*:\s*"(YES|NO)""#));
static FENCED: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r"(?i)```(?:json)?\s*([\s\S]*?)```"));
static BRACED: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r"\{[\s\S]*?answer_score[\s\S]*?\}"));
static SCORES: LazyLock<[PythonRegex; 4]> = LazyLock::new(|| {
    [
        r#""answer_score"\s*:\s*"?([01])"?"#,
        r#"answer_score\s*[:：]\s*"?([01])"?"#,
        r"【评分】\s*[:：]\s*([01])\s*分",
        r"评分\s*[:：]\s*([01])\s*分",
    ]
    .map(PythonRegex::constant)
});

/// The kinds of instructions of Inverse `IFEval`, and how figures call them.
const KINDS: &[(&str, &str)] = &[
    ("Question Correction", "QC"),
    ("Intentional Textual Flaws", "ITF"),
    ("Code without Comments", "CC"),
    ("Counter-Conventional Formatting", "CCF"),
    ("Deliberately Incorrect Answers", "DIA"),
    ("Instructional Induction", "II"),
    ("Mid-turn Instruction Modification", "MIM"),
    ("Counterfactual Answering", "CA"),
];

impl JudgeRule for Rubric {
    fn results(&self, judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
        match self {
            Self::AdvancedIf => advanced_if(judged),
            Self::InverseIfEval => inverse_if_eval(judged),
        }
    }

    fn notes_replies(&self) -> bool {
        false
    }
}

/// A share in percent, 0 of nothing.
fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 * 100.0 }
}

/// The share of rows that are right, 0 where there are none.
fn accuracy(are_right: &[bool]) -> Metric {
    let right = are_right.iter().filter(|is_right| **is_right).count();
    Metric { value: percent(right, are_right.len()), ..Metric::of_shares("accuracy", are_right) }
}

/// Whether all points are met, and what was said of each; nothing where the reply does not say it.
fn all_met(text: &str) -> Result<(Option<bool>, Map<String, Value>), PatternError> {
    let mut points = Map::new();
    if let Some(found) = ALL_MET.first(text)?
        && let Ok(Value::Object(parsed)) = serde_json::from_str::<Value>(found)
    {
        if let Some(Value::Object(own)) = parsed.get("rubrics_check") {
            points.clone_from(own);
        }
        let verdict = parsed.get("SATISFIED_ALL_REQUIREMENTS").and_then(Value::as_str);
        match verdict.map(|verdict| verdict.trim_matches(is_blank).to_uppercase()).as_deref() {
            Some("YES") => return Ok((Some(true), points)),
            Some("NO") => return Ok((Some(false), points)),
            _ => {}
        }
    }
    let verdict = YES_OR_NO.first(text)?.map(|verdict| verdict.eq_ignore_ascii_case("yes"));
    Ok((verdict, points))
}

fn advanced_if(judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
    let (mut are_right, mut details) = (Vec::new(), Vec::new());
    let (mut unreadable, mut all_points, mut met_points) = (0, 0, 0);
    for one in judged {
        let text = one.text();
        let (verdict, points) = all_met(&text).map_err(failed(one.row))?;
        if verdict.is_some() {
            let is_met = |point: &&Value| {
                point.as_str().is_some_and(|said| said.to_lowercase().contains("yes"))
            };
            all_points += points.len();
            met_points += points.values().filter(is_met).count();
        } else {
            unreadable += 1;
        }
        let said = match verdict {
            Some(true) => "YES",
            Some(false) => "NO",
            None => "PARSE_ERROR",
        };
        let is_right = verdict == Some(true);
        are_right.push(is_right);
        details.push(Map::from_iter([
            ("prediction".to_owned(), one.field("prediction")),
            ("satisfied".to_owned(), json!(said)),
            ("rubrics_check".to_owned(), Value::Object(points)),
            ("correct".to_owned(), json!(is_right)),
        ]));
    }
    let right = are_right.iter().filter(|is_right| **is_right).count();
    let beside = [
        ("micro_pass_rate", json!(percent(met_points, all_points))),
        ("correct_count", json!(right)),
        ("total", json!(judged.len())),
        ("total_rubrics", json!(all_points)),
        ("passed_rubrics", json!(met_points)),
        ("parse_error_count", json!(unreadable)),
        ("parse_error_rate", json!(percent(unreadable, judged.len()))),
    ];
    Ok(Results {
        scores: Scores {
            metrics: vec![accuracy(&are_right)],
            samples: judged.len(),
            details: Some(details),
        },
        beside: beside.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    })
}

/// The score of a reply, 1 or 0, as it is written; nothing where there is none.
fn answer_score(text: &str) -> Result<Option<Value>, PatternError> {
    if text.trim_matches(is_blank).is_empty() {
        return Ok(None);
    }
    for candidate in FENCED.all(text)?.into_iter().chain(BRACED.all(text)?) {
        let Ok(parsed) = serde_json::from_str::<Value>(candidate.trim_matches(is_blank)) else {
            continue;
        };
        match parsed.get("answer_score") {
            Some(Value::Number(number)) if [Some(0.0), Some(1.0)].contains(&number.as_f64()) => {
                return Ok(Some(Value::Number(number.clone())));
            }
            Some(Value::Bool(flag)) => return Ok(Some(json!(flag))),
            Some(Value::String(digit)) if ["0", "1"].contains(&digit.trim_matches(is_blank)) => {
                return Ok(Some(json!(i32::from(digit.contains('1')))));
            }
            _ => {}
        }
    }
    for pattern in SCORES.iter() {
        if let Some(digit) = pattern.first(text)? {
            return Ok(Some(json!(i32::from(digit == "1"))));
        }
    }
    Ok(None)
}

/// How many rows a part has, and how many of them are right.
type Counts = BTreeMap<String, (usize, usize)>;

fn inverse_if_eval(judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
    let (mut are_right, mut details) = (Vec::new(), Vec::new());
    let mut unreadable = 0;
    let mut parts = Counts::new();
    for (index, one) in judged.iter().enumerate() {
        let score = answer_score(&one.text()).map_err(failed(one.row))?;
        unreadable += usize::from(score.is_none());
        let is_right = score
            .as_ref()
            .is_some_and(|score| score.as_f64() == Some(1.0) || score.as_bool() == Some(true));
        are_right.push(is_right);
        let text = |name: &str| match one.sample.get(name) {
            Some(Value::String(text)) => text.clone(),
            _ => String::new(),
        };
        let (language, kind) = (text("language"), text("instruction_types"));
        let known = KINDS.iter().find(|(name, _)| *name == kind);
        let short = known.map_or(kind.as_str(), |(_, short)| short);
        let names = [
            Some(language.clone()).filter(|_| !language.is_empty()),
            Some(short.to_owned()).filter(|_| !kind.is_empty()),
            (!language.is_empty() && !kind.is_empty()).then(|| format!("{language}_{short}")),
        ];
        for name in names.into_iter().flatten() {
            let (all, right) = parts.entry(name).or_default();
            *all += 1;
            *right += usize::from(is_right);
        }
        let column = |name: &str| one.sample.get(name).cloned().unwrap_or_else(|| "".into());
        details.push(Map::from_iter([
            ("idx".to_owned(), json!(index)),
            ("prompt".to_owned(), column("prompt")),
            ("response_reference".to_owned(), column("response_reference")),
            ("model_response".to_owned(), column("prediction")),
            ("judge_response".to_owned(), one.field("prediction")),
            ("score".to_owned(), score.unwrap_or_default()),
            ("correct".to_owned(), json!(is_right)),
            ("language".to_owned(), column("language")),
            ("instruction_types".to_owned(), column("instruction_types")),
        ]));
    }
    let right = are_right.iter().filter(|is_right| **is_right).count();
    let mut beside = Map::from_iter([
        ("correct_count".to_owned(), json!(right)),
        ("total".to_owned(), json!(judged.len())),
        ("parse_error_count".to_owned(), json!(unreadable)),
        ("parse_error_rate".to_owned(), json!(percent(unreadable, judged.len()))),
    ]);
    for (name, (all, right)) in parts {
        beside.insert(format!("{name}_accuracy"), json!(percent(right, all)));
        beside.insert(format!("{name}_count"), json!(all));
    }
    let metrics = vec![accuracy(&are_right)];
    let scores = Scores { metrics, samples: judged.len(), details: Some(details) };
    Ok(Results { scores, beside })
}
