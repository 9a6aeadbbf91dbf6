//! Replies that say right or wrong, counted for each category of question too.

use serde_json::{Map, Value, json};

use super::{Judged, letters::first_is_right, rules::JudgeRule};
use crate::{
    evaluate::{EvaluateError, Metric, Results, Scores, by_row::rounded},
    python::python_str,
};

/// A rule with a figure for each value of some columns.
pub(super) struct Categories {
    /// What stands in front of the name of a figure.
    prefix: &'static str,
    /// The columns, each with the field that it has in a detail, in the order of the figures.
    columns: &'static [(&'static str, &'static str)],
    /// Whether each column's values lie within those of the column before, and their names are joined.
    are_nested: bool,
    /// The field of a detail that holds the letter.
    letter: &'static str,
    /// Whether a detail shows the question and its options.
    shows_question: bool,
    /// The columns in the order in which a detail has them.
    noted: &'static [&'static str],
}

/// A row without the column belongs here.
const UNKNOWN: &str = "unknown";

/// OpenCompass rounds these figures.
const PLACES: u32 = 2;

impl Categories {
    pub(super) const MEDBULLETS: Self = Self {
        prefix: "Medbullets",
        columns: &[("question_type", "question_type")],
        are_nested: false,
        letter: "llm_judge",
        shows_question: false,
        noted: &["question_type"],
    };
    pub(super) const MEDMCQA: Self = Self {
        prefix: "medmcqa",
        columns: &[
            ("subject_name", "subject"),
            ("topic_name", "topic"),
            ("choice_type", "question_type"),
        ],
        are_nested: false,
        letter: "llm_judge",
        shows_question: true,
        noted: &["subject", "question_type", "topic"],
    };
    pub(super) const MEDXPERTQA: Self = Self {
        prefix: "MedXpertQA",
        columns: &[
            ("medical_task", "medical_task"),
            ("body_system", "body_system"),
            ("question_type", "question_type"),
        ],
        are_nested: false,
        letter: "llm_judge",
        shows_question: true,
        noted: &["medical_task", "body_system", "question_type"],
    };
    pub(super) const SUPERGPQA: Self = Self {
        prefix: "SuperGPQA",
        columns: &[("discipline", "discipline"), ("field", "field"), ("subfield", "subfield")],
        are_nested: true,
        letter: "prediction",
        shows_question: true,
        noted: &["discipline", "field", "subfield"],
    };

    /// The categories of a row, one for each column.
    fn of(&self, one: &Judged<'_>) -> Vec<String> {
        let value = |(column, _): &(&str, &str)| {
            one.sample.get(column).map_or_else(|| UNKNOWN.to_owned(), python_str)
        };
        let mut names: Vec<String> = self.columns.iter().map(value).collect();
        if self.are_nested {
            names = (0..names.len()).map(|level| names[..=level].join("-")).collect();
        }
        names
    }

    fn detail(&self, index: usize, one: &Judged<'_>, is_right: bool) -> Map<String, Value> {
        let mut detail = Map::new();
        let mut note = |name: &str, value: Value| {
            detail.insert(name.to_owned(), value);
        };
        note("id", json!(index.to_string()));
        if self.shows_question {
            note("question", one.column("question"));
            note("options", one.column("options"));
        }
        note("origin_prompt", one.field("origin_prompt"));
        note(self.letter, json!(if is_right { "A" } else { "B" }));
        note("gold", one.gold());
        note("is_correct", json!(is_right));
        for name in self.noted {
            let column = self.columns.iter().find(|(_, noted)| noted == name);
            let value = column.and_then(|(column, _)| one.sample.get(column)).cloned();
            note(name, value.unwrap_or_else(|| UNKNOWN.into()));
        }
        detail
    }
}

impl JudgeRule for Categories {
    fn results(&self, judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
        let are_right: Vec<bool> = judged.iter().map(|one| first_is_right(&one.text())).collect();
        let mut accuracy = Metric::of_shares("accuracy", &are_right);
        accuracy.value = if judged.is_empty() { 0.0 } else { rounded(accuracy.value, PLACES) };
        let right = are_right.iter().filter(|is_right| **is_right).count();
        let mut beside = Map::from_iter([
            ("total_correct".to_owned(), json!(right)),
            ("total_count".to_owned(), json!(judged.len())),
        ]);
        // For each column, its values as they come, each with what is right and what is there.
        let mut levels: Vec<Vec<(String, usize, usize)>> = vec![Vec::new(); self.columns.len()];
        for (one, is_right) in judged.iter().zip(&are_right) {
            for (level, name) in levels.iter_mut().zip(self.of(one)) {
                match level.iter_mut().find(|(known, ..)| *known == name) {
                    Some((_, right, all)) => {
                        *right += usize::from(*is_right);
                        *all += 1;
                    }
                    None => level.push((name, usize::from(*is_right), 1)),
                }
            }
        }
        for (name, right, all) in levels.into_iter().flatten() {
            let percent = rounded(right as f64 / all as f64 * 100.0, PLACES);
            beside.insert(format!("{}-{name}", self.prefix), json!(percent));
        }
        let details = judged.iter().zip(&are_right).enumerate();
        let details = details.map(|(index, (one, is_right))| self.detail(index, one, *is_right));
        let details = Some(details.collect());
        let scores = Scores { metrics: vec![accuracy], samples: judged.len(), details };
        Ok(Results { scores, beside })
    }

    fn notes_replies(&self) -> bool {
        false
    }
}
