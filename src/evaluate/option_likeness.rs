//! `option_likeness`: which option a free answer means, by its letter, its words, or what it looks like.
//!
//! OpenCompass scores questions with options from one's own file by it. An answer that is an option's letter, or in which a phrasing
//! names one, is that option; else the one option whose text it contains; else the option whose letter or text is the fewest letters away. So
//! every answer means some option, an empty one too: chance is the floor of this metric.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{EvaluateError, Evaluator, Row, Scores};
use crate::{
    config::{Component, ConfigError, Node},
    dataset::Sample,
    postprocess::{self, Postprocessor},
    python::{blank::strip, python_str},
};

/// The parameters of `OptionSimAccEvaluator`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    options: Vec<String>,
}

/// Finds the option that an answer means.
#[derive(Clone)]
pub(super) struct MeantOption {
    /// Columns of the row, single capital letters.
    options: Vec<String>,
    phrasings: Arc<dyn Postprocessor>,
}

/// The share of answers that mean the gold.
pub(super) struct OptionLikeness(MeantOption);

impl OptionLikeness {
    /// Reads `options`, the columns of the options.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        let options = component.read::<Parameters>()?.options;
        Ok(Box::new(Self(MeantOption::new(options, component)?)))
    }
}

impl MeantOption {
    /// Options are capital letters; `component` is where they are written.
    pub(super) fn new(options: Vec<String>, component: &Component) -> Result<Self, ConfigError> {
        let is_letter = |option: &String| {
            let mut letters = option.chars();
            letters.next().is_some_and(char::is_uppercase) && letters.next().is_none()
        };
        if options.is_empty() || !options.iter().all(is_letter) {
            let what = format!("options must be single capital letters, found {options:?}");
            return Err(ConfigError::at(&component.origin, what).under("options"));
        }
        let config = json!({"type": "first_option", "options": options.concat(), "cushion": false});
        let phrasings = postprocess::build(&Component::parse(&Node::from_json(&config))?)?;
        Ok(Self { options, phrasings: phrasings.into() })
    }

    /// The option that the answer to a sample means; empty where the sample has no option.
    pub(super) fn find(
        &self,
        row: usize,
        answer: &str,
        sample: &Sample,
    ) -> Result<String, EvaluateError> {
        let answer = strip(answer);
        if self.options.iter().any(|option| option == answer) {
            return Ok(answer.to_owned());
        }
        let named = self.phrasings.process(answer, sample);
        let named = named
            .map_err(|source| EvaluateError::Normalization { row, source: Box::new(source) })?;
        if let Some(named) = named.as_str().filter(|named| !named.is_empty()) {
            return Ok(named.to_owned());
        }
        let texts: Vec<(&String, String)> = self
            .options
            .iter()
            .filter_map(|option| Some((option, sample.get(option).filter(|text| !text.is_null())?)))
            .map(|(option, text)| (option, python_str(text)))
            .collect();
        let lower = answer.to_lowercase();
        let mut contained = texts.iter().filter(|(_, text)| lower.contains(&text.to_lowercase()));
        if let (Some((only, _)), None) = (contained.next(), contained.next()) {
            return Ok((*only).clone());
        }
        let distance = |(option, text): &(&String, String)| {
            let forms = [(*option).clone(), text.clone(), format!("{option}. {text}")];
            forms.iter().map(|form| strsim::levenshtein(answer, form)).min()
        };
        let nearest = texts.iter().min_by_key(|pair| (distance(pair), pair.0));
        Ok(nearest.map(|(option, _)| (*option).clone()).unwrap_or_default())
    }

    /// What the options are called.
    pub(super) fn options(&self) -> &[String] {
        &self.options
    }

    /// What an answered row means.
    pub(super) fn of_row(&self, index: usize, row: &Row<'_>) -> Result<String, EvaluateError> {
        let none = Sample::default();
        let answer = python_str(&row.prediction);
        self.find(index, &answer, row.sample.unwrap_or(&none))
    }
}

/// What is noted about a row.
pub(super) fn detail(row: &Row<'_>, meant: &str, is_correct: bool) -> Map<String, Value> {
    let fields = [
        ("pred", row.prediction.clone()),
        ("parsed", json!(meant)),
        ("refr", row.reference.clone()),
        ("correct", json!(is_correct)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

impl Evaluator for OptionLikeness {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut correct, mut details) = (Vec::new(), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let meant = self.0.of_row(index, row)?;
            let is_correct = row.reference == json!(meant);
            details.push(detail(row, &meant, is_correct));
            correct.push(is_correct);
        }
        Ok(Scores::share("accuracy", &correct).with_details(details))
    }

    fn options(&self) -> Option<&[String]> {
        Some(self.0.options())
    }
}
