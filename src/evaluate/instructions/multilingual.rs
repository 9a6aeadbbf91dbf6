//! `pmmeval_mifeval`: instructions in ten languages.
//!
//! Its checks are simpler than `IFEval`'s, and some are wider than their names: "less than" allows as many, and a
//! paragraph's first word is never looked at. A loose answer is judged as it is, so that both figures are one
//! unless the original fails.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::{
    super::{
        EvaluateError, Evaluator, Metric, Row, Scores,
        by_row::{Asked, rounded},
    },
    pieces,
};
use crate::{
    postprocess::{PatternError, PythonRegex},
    python::{blank::strip, is_blank, python_str},
};

/// A language: its code, the answers that may be fixed, and what counts as a comma.
type Language = (&'static str, &'static [&'static str], &'static [char]);

const LANGUAGES: &[Language] = &[
    ("ar", &["إجابتي هي نعم.", "إجابتي هي لا.", "إجابتي هي ربما."], &['\u{60c}']),
    ("en", &["My answer is yes.", "My answer is no.", "My answer is maybe."], &[',']),
    (
        "es",
        &["Mi respuesta es sí.", "Mi respuesta es no.", "Mi respuesta es tal vez."],
        &[',', '\u{ff0c}'],
    ),
    (
        "fr",
        &["Ma réponse est oui.", "Ma réponse est non.", "Ma réponse est peut-être."],
        &[',', '\u{2026}'],
    ),
    (
        "ja",
        &["私の答えははいです。", "私の答えはいいえです。", "私の答えはたぶんです。"],
        &[',', '\u{3001}'],
    ),
    ("ko", &["제 대답은 예입니다.", "제 대답은 아닙니다.", "제 대답은 아마도입니다."], &[',']),
    (
        "pt",
        &["Minha resposta é sim.", "Minha resposta é não.", "Minha resposta é talvez."],
        &[',', '\u{ff0c}'],
    ),
    ("th", &["คำตอบของฉันคือใช่", "คำตอบของฉันคือไม่", "คำตอบของฉันคืออาจจะ"], &['\u{e25}']),
    (
        "vi",
        &[
            "Câu trả lời của tôi là có.",
            "Câu trả lời của tôi là không.",
            "Câu trả lời của tôi là có thể.",
        ],
        &[',', '\u{ff0c}'],
    ),
    ("zh", &["我的答案是是。", "我的答案是否。", "我的答案是不确定。"], &[',', '\u{ff0c}']),
];

/// Quotation marks beside the straight ones, and the languages that have them.
const QUOTATIONS: &[(char, char, &[&str])] = &[
    ('«', '»', &["ar", "es", "fr", "pt", "ru"]),
    ('“', '”', &["ar", "es", "fr", "ko", "pt", "th", "vi", "zh"]),
    ('『', '』', &["ja"]),
];

/// Languages with blanks between words; of all others characters are counted.
const SPACED: &[&str] = &["en", "es", "fr", "in", "pt", "ru", "vi"];

/// Where the original fails.
const OVERWRITTEN: &str = "a row has several instructions with parameters, of which the loose figure takes the ones \
                           that are given; OpenCompass takes empty ones instead, fails and has no figure";

/// Shares of prompts of which all instructions are followed.
pub(in super::super) struct MultilingualIfEval;

/// The parameters of all instructions of a row.
struct Parameters<'a, 'r> {
    asked: &'a Asked<'r>,
    given: Map<String, Value>,
}

impl Evaluator for MultilingualIfEval {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut followed = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            followed.push(are_followed(&Asked::new(row, index, "pmmeval_mifeval"))?);
        }
        let metric = |name| {
            let mut metric = Metric::of_shares(name, &followed);
            metric.value = rounded(metric.value, 2);
            metric
        };
        let metrics = vec![metric("strict_acc"), metric("loose_acc")];
        Ok(Scores { metrics, samples: rows.len(), details: None })
    }

    fn departures(&self, rows: &[Row<'_>]) -> Vec<(usize, &'static str)> {
        let is_overwritten = |row: &Row<'_>| {
            let all = row.sample.and_then(|sample| sample.get("kwargs")?.as_array());
            let mut given: Vec<&String> = Vec::new();
            for (name, value) in all.into_iter().flatten().filter_map(Value::as_object).flatten() {
                if value.is_null() && given.contains(&name) {
                    return true;
                }
                given.extend((!value.is_null()).then_some(name));
            }
            false
        };
        let overwritten = rows.iter().enumerate().filter(|(_, row)| is_overwritten(row));
        overwritten.map(|(index, _)| (index, OVERWRITTEN)).collect()
    }
}

fn are_followed(asked: &Asked<'_>) -> Result<bool, EvaluateError> {
    let prediction = &asked.row.prediction;
    let Some([Value::String(text), code]) = prediction.as_array().map(Vec::as_slice) else {
        return Err(asked.wrong(
            "the prediction",
            "a text with the code of its language",
            prediction,
        ));
    };
    let code = python_str(code);
    let mut given = Map::new();
    for own in asked.list_column("kwargs")?.iter().filter_map(Value::as_object) {
        let filled = own.iter().filter(|(_, value)| !value.is_null());
        given.extend(filled.map(|(name, value)| (name.clone(), value.clone())));
    }
    let parameters = Parameters { asked, given };
    let mut all = true;
    for name in asked.list_column("instruction_id_list")? {
        all &= parameters.is_followed(&python_str(name), text, &code)? && !strip(text).is_empty();
    }
    Ok(all)
}

impl Parameters<'_, '_> {
    fn is_followed(&self, name: &str, text: &str, code: &str) -> Result<bool, EvaluateError> {
        let failed = |error: PatternError| self.asked.failed(error);
        Ok(match name {
            "combination:repeat_prompt" => strip(text)
                .to_lowercase()
                .starts_with(&strip(self.text("prompt_to_repeat")?).to_lowercase()),
            "combination:two_responses" => pieces::are_two_responses(text),
            "detectable_content:number_placeholders" => {
                static PLACE: LazyLock<PythonRegex> =
                    LazyLock::new(|| PythonRegex::constant(r"\[.*?\]"));
                PLACE.all(text).map_err(failed)?.len() as f64 >= self.number("num_placeholders")?
            }
            "detectable_content:postscript" => {
                let marker = self.text("postscript_marker")?.to_lowercase();
                let pattern = PythonRegex::new(&format!(r"(?m)\s*{marker}.*$")).map_err(failed)?;
                pattern.finds(&text.to_lowercase()).map_err(failed)?
            }
            "detectable_format:constrained_response" => {
                self.language(code)?.1.iter().any(|answer| text.contains(answer))
            }
            "detectable_format:json_format" => pieces::is_json(text),
            "detectable_format:number_bullet_lists" => {
                let bullets = pieces::bullets(text).map_err(failed)? as f64;
                bullets.total_cmp(&self.number("num_bullets")?).is_eq()
            }
            "detectable_format:number_highlighted_sections" => {
                pieces::highlights(text).map_err(failed)? as f64 >= self.number("num_highlights")?
            }
            "detectable_format:title" => pieces::has_title(text).map_err(failed)?,
            "keywords:forbidden_words" => {
                let words = self.given.get("forbidden_words").and_then(Value::as_array);
                let words = words.ok_or_else(|| self.missing("forbidden_words"))?;
                !words.iter().any(|word| text.contains(&python_str(word)))
            }
            "length_constraints:nth_paragraph_first_word" => {
                self.text("first_word")?;
                let filled =
                    text.split("\n\n").filter(|part| !strip(part).is_empty()).count() as f64;
                filled >= self.number("num_paragraphs")?
                    && filled >= self.number("nth_paragraph")?
            }
            "length_constraints:number_paragraphs" => {
                static DIVIDER: LazyLock<PythonRegex> =
                    LazyLock::new(|| PythonRegex::constant(r"\s?\*\*\*\s?"));
                let parts = DIVIDER.split(text).map_err(failed)?;
                let filled = parts.iter().filter(|part| !strip(part).is_empty()).count() as f64;
                filled.total_cmp(&self.number("num_paragraphs")?).is_eq()
            }
            "length_constraints:number_sentences" => {
                let lines = text.split('\n').filter(|line| !strip(line).is_empty()).count();
                self.is_enough(lines, "num_sentences")?
            }
            "length_constraints:number_words" => {
                let count = if SPACED.contains(&code) {
                    text.split(is_blank).filter(|word| !word.is_empty()).count()
                } else {
                    text.chars().filter(|letter| !is_blank(*letter)).count()
                };
                self.is_enough(count, "num_words")?
            }
            "punctuation:no_comma" => !text.contains(self.language(code)?.2),
            "startend:end_checker" => strip(text).ends_with(self.text("end_phrase")?),
            "startend:quotation" => is_quoted(strip(text), code),
            _ => {
                return Err(self.asked.wrong(
                    "an instruction",
                    "one that PMMEval's MIFEval has",
                    &name.into(),
                ));
            }
        })
    }

    /// "less than" allows as many, as in the original.
    fn is_enough(&self, count: usize, name: &'static str) -> Result<bool, EvaluateError> {
        let number = self.number(name)?;
        Ok(match self.text("relation")? {
            "less than" => count as f64 <= number,
            "at least" => count as f64 >= number,
            _ => false,
        })
    }

    fn text(&self, name: &'static str) -> Result<&str, EvaluateError> {
        self.given.get(name).and_then(Value::as_str).ok_or_else(|| self.missing(name))
    }

    fn number(&self, name: &'static str) -> Result<f64, EvaluateError> {
        self.given.get(name).and_then(Value::as_f64).ok_or_else(|| self.missing(name))
    }

    fn missing(&self, name: &'static str) -> EvaluateError {
        self.asked.wrong(name, "a parameter of the row's instructions", &self.given.clone().into())
    }

    fn language(&self, code: &str) -> Result<&'static Language, EvaluateError> {
        let found = LANGUAGES.iter().find(|(own, ..)| *own == code);
        found.ok_or_else(|| {
            self.asked.wrong(
                "the language of the prediction",
                "a language of PMMEval",
                &code.into(),
            )
        })
    }
}

fn is_quoted(text: &str, code: &str) -> bool {
    let is_between = |open, close| text.starts_with(open) && text.ends_with(close);
    is_between('"', '"')
        || QUOTATIONS
            .iter()
            .any(|(open, close, languages)| languages.contains(&code) && is_between(*open, *close))
}
