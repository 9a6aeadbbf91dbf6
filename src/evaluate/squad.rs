//! `squad`, `squad20`, `tydiqa`, `leval_em`, `drop_openai`: short answers found in a text.

use std::sync::LazyLock;

use super::{
    EvaluateError, Evaluator, Metric, Row, Scores,
    by_row::{Asked, Grade},
    token_f1::{english_words, f1},
};
use crate::{
    postprocess::{PythonRegex, normalized},
    python::is_blank,
};

/// `squad`: F1 of words of the first line, without punctuation and articles.
pub(super) fn squad(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let words = |text: &str| english_words(text).map_err(|error| asked.failed(error));
    let line = asked.prediction()?.split('\n').next().unwrap_or_default();
    Ok(Grade::share(f1(&words(line)?, &words(asked.reference()?)?)))
}

/// `squad20`: the first line behind "answer is", normalised, is one of the golds.
pub(super) fn squad20(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let normalize = |text: &str| normalized(text).map_err(|error| asked.failed(error));
    let line = asked.prediction()?.split('\n').next().unwrap_or_default().to_lowercase();
    let prediction = normalize(line.rsplit("answer is").next().unwrap_or_default())?;
    for answer in asked.references()? {
        if normalize(&answer)?.to_lowercase() == prediction {
            return Ok(Grade::of(true));
        }
    }
    Ok(Grade::of(false))
}

/// `leval_em`: the normalised prediction contains the gold, as it is or normalised.
pub(super) fn leval(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let normalize = |text: &str| normalized(text).map_err(|error| asked.failed(error));
    let (prediction, answer) = (normalize(asked.prediction()?)?, asked.reference()?);
    Ok(Grade::of(prediction.contains(&normalize(answer)?) || prediction.contains(answer)))
}

/// `drop_openai`: what follows "Answer:" contains one of the golds or is part of it.
pub(super) fn drop_openai(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    static ANSWER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?i)Answer\s*:\s*([^\n]+)"));
    let plain = |text: &str| -> Result<String, EvaluateError> {
        Ok(english_words(text).map_err(|error| asked.failed(error))?.join(" "))
    };
    let (prediction, reference) = (asked.prediction()?, asked.reference()?);
    let found = ANSWER.first(prediction).map_err(|error| asked.failed(error))?;
    let answer = plain(found.unwrap_or(prediction))?;
    let mut is_correct = false;
    for gold in reference.split('|') {
        let gold = plain(gold)?;
        is_correct |= if answer.is_empty() || gold.is_empty() {
            answer == gold
        } else {
            answer.contains(&gold) || gold.contains(&answer)
        };
    }
    Ok(Grade::compared(prediction, reference, is_correct))
}

/// `tydiqa`: the normalised first line against the gold that fits best, as a whole and word by word.
pub(super) struct TydiQa;

impl Evaluator for TydiQa {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut exact, mut shares) = (Vec::new(), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "tydiqa");
            let normalize = |text: &str| normalized(text).map_err(|error| asked.failed(error));
            let line = asked.prediction()?.split('\n').next().unwrap_or_default().to_lowercase();
            let prediction = normalize(&line)?;
            let (mut is_exact, mut best) = (false, 0.0_f64);
            for answer in asked.some_references()? {
                let answer = normalize(&answer)?;
                is_exact |= prediction == answer;
                best = best.max(f1(&split(&prediction), &split(&answer)));
            }
            exact.push(is_exact);
            shares.push(best);
        }
        let metrics =
            vec![Metric::of_shares("exact_match", &exact), Metric::of_grades("f1", shares)];
        Ok(Scores::new(metrics, rows.len()))
    }
}

fn split(text: &str) -> Vec<&str> {
    text.split(is_blank).filter(|word| !word.is_empty()).collect()
}
