//! Materials that a model made up, asked for by their elements or by nothing: whether they can be, and what they
//! have of what was asked.
//!
//! An answer is elements and a space group, such as `Na Na O <sg12>`. The originals read what was asked from a file of the
//! data set, by the number of a row; here it is the row's own, which is the same where all rows are asked and the right one
//! where only some are.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use serde::{Deserialize, de::IgnoredAny};

use super::{
    super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked},
    answer::first_text,
    chemical_elements::Elements,
};
use crate::{
    config::{Component, ConfigError},
    postprocess::{PatternError, PythonRegex},
    python::{blank::strip, is_blank},
};

/// What was asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Any material.
    Anything,
    /// One of the elements in the question.
    Composition,
    /// The gold, or one of its elements.
    Gold,
}

/// What messages call these metrics.
const NAME: &str = "smact";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    #[serde(rename = "data_path")]
    _data_path: Option<IgnoredAny>,
    #[serde(rename = "tuning_data")]
    _tuning_data: Option<IgnoredAny>,
    elements: Option<Elements>,
}

/// Shares of answers that can be, and of the elements that were asked for.
pub(in super::super) struct Crystals {
    elements: Elements,
    wanted: Wanted,
}

impl Crystals {
    /// Materials without a condition. `elements` are those of the user's SMACT, if it gives no others.
    pub(in super::super) fn unconditional(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        Self::build(component, Wanted::Anything)
    }

    /// Materials of elements that the question names.
    pub(in super::super) fn composition(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        Self::build(component, Wanted::Composition)
    }

    /// Materials that are compared with the gold.
    pub(in super::super) fn gold(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        Self::build(component, Wanted::Gold)
    }

    fn build(component: &Component, wanted: Wanted) -> Result<Box<dyn Evaluator>, ConfigError> {
        let elements = match component.read::<Parameters>()?.elements {
            Some(elements) => elements,
            None => Elements::of_package(component)?,
        };
        Ok(Box::new(Self { elements, wanted }))
    }

    /// Whether an answer can be; nothing where it is not written as a material.
    fn validity(&self, text: &str) -> Result<Option<bool>, PatternError> {
        static WITH_MARK: LazyLock<PythonRegex> = LazyLock::new(|| {
            PythonRegex::constant(
                r"\A([A-Z][a-z]?(?: [A-Z][a-z]?)*?)\s*(?:<|⟨)sg(?:>|⟩)\s*(?:<|⟨)sg(\d+)(?:>|⟩)",
            )
        });
        static PLAIN: LazyLock<PythonRegex> = LazyLock::new(|| {
            PythonRegex::constant(r"\A([A-Z][a-z]?(?: [A-Z][a-z]?)*?)\s*(?:<sg>\s*)?<sg(\d+)>")
        });
        let pattern = if self.wanted == Wanted::Anything { &WITH_MARK } else { &PLAIN };
        let Some(listed) = pattern.first(text)? else { return Ok(None) };
        let mut counts = BTreeMap::new();
        for symbol in listed.split_whitespace() {
            // Isotopes of hydrogen are hydrogen to it.
            let symbol = if ["D", "T"].contains(&symbol) { "H" } else { symbol };
            *counts.entry(symbol).or_insert(0) += 1;
        }
        Ok(self.elements.allow(&counts))
    }
}

/// What stands between the marks of a material.
fn material(text: &str) -> Result<&str, PatternError> {
    static MATERIAL: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::dotall_constant(r"(?i)<material>(.*?)</material>"));
    Ok(MATERIAL.first(text)?.map_or("", strip))
}

/// The symbols among the words of a text.
fn symbols(text: &str) -> Result<BTreeSet<String>, PatternError> {
    static SYMBOL: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\b[A-Z][a-z]?\b"));
    Ok(SYMBOL.all(text)?.into_iter().map(str::to_owned).collect())
}

/// The elements that a question asks for.
fn asked_for(question: &str) -> Result<BTreeSet<String>, PatternError> {
    static LISTED: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(
            r"(?i)(?:composed of|that has|characterized by|with the composition|based on|featuring|whose makeup is)\s+(.*?)(?:[\.。\n]|$)",
        )
    });
    let Some(listed) = LISTED.first(question)? else { return symbols(question) };
    let is_symbol = |word: &&str| {
        let mut letters = word.chars();
        letters.next().is_some_and(|first| first.is_ascii_uppercase())
            && letters.next().is_none_or(|second| second.is_ascii_lowercase())
            && letters.next().is_none()
    };
    let words = listed.split(|letter: char| letter == ',' || is_blank(letter));
    Ok(words.filter(is_symbol).map(str::to_owned).collect())
}

/// The share of what is wanted that is there; nothing where nothing is wanted.
fn share(wanted: &BTreeSet<String>, there: &BTreeSet<String>) -> f64 {
    let both = wanted.intersection(there).count();
    if wanted.is_empty() { 0.0 } else { both as f64 / wanted.len() as f64 }
}

impl Evaluator for Crystals {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut written, mut valid) = (0_usize, 0_usize);
        let (mut shares, mut hits) = (Vec::new(), Vec::new());
        let mut known = BTreeSet::new();
        for (index, row) in rows.iter().enumerate() {
            let gold = material(row.reference.as_str().unwrap_or_default());
            let gold = gold.map_err(|error| Asked::new(row, index, NAME).failed(error))?;
            known.extend((!gold.is_empty()).then_some(gold));
        }
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, NAME);
            let failed = |error| asked.failed(error);
            let text = strip(first_text(&asked, "the prediction", &row.prediction)?);
            if let Some(can_be) = self.validity(text).map_err(failed)? {
                written += 1;
                valid += usize::from(can_be);
            }
            match self.wanted {
                Wanted::Anything => {}
                Wanted::Composition => {
                    let question = row.sample.and_then(|sample| sample.get("input"));
                    let question = question.and_then(|value| value.as_str()).unwrap_or_default();
                    let wanted = asked_for(strip(question)).map_err(failed)?;
                    let there = symbols(&without_marks(text).map_err(failed)?).map_err(failed)?;
                    shares.push(share(&wanted, &there));
                    let made = material(text).map_err(failed)?;
                    let made = if made.is_empty() { text } else { made };
                    hits.push(!made.is_empty() && !known.contains(made));
                }
                Wanted::Gold => {
                    let gold = row.reference.as_str().unwrap_or_default();
                    let gold = material(gold).map_err(failed)?;
                    let wanted = symbols(gold).map_err(failed)?;
                    shares.push(share(&wanted, &symbols(text).map_err(failed)?));
                    hits.push(material(text).map_err(failed)? == gold);
                }
            }
        }
        let percent = |part: usize, all: usize| {
            if all == 0 { 0.0 } else { 100.0 * part as f64 / all as f64 }
        };
        let ending = if self.wanted == Wanted::Anything { "" } else { "_%" };
        let of_all = |name: &str, value| {
            Metric::of_all(&format!("smact_validity_ratio_in_{name}{ending}"), Unit::Percent, value)
        };
        let mut metrics = vec![
            Metric::count("total_samples", rows.len()),
            Metric::count("format_valid_count", written),
            Metric::count("smact_valid_count", valid),
            of_all("format_valid", percent(valid, written)),
            of_all("all", percent(valid, rows.len())),
        ];
        let last = match self.wanted {
            Wanted::Anything => None,
            Wanted::Composition => Some("novel_material_ratio_%"),
            Wanted::Gold => Some("exact_match_ratio_%"),
        };
        if let Some(name) = last {
            metrics.push(Metric::of_grades("average_precision_%", shares));
            metrics.push(Metric::of_shares(name, &hits));
        }
        Ok(Scores::new(metrics, rows.len()))
    }
}

/// A text without what stands in angle brackets.
fn without_marks(text: &str) -> Result<String, PatternError> {
    static MARK: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant("<[^>]+>"));
    MARK.replace(text, " ")
}
