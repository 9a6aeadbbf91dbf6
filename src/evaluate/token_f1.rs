//! `longbench_f1`: how many words a prediction and an accepted answer share.

use std::{collections::HashMap, sync::LazyLock};

use super::{
    EvaluateError, Evaluator, Row, Scores,
    by_row::{Asked, ByRow, Grade},
    language::Language,
};
use crate::{
    config::{Component, ConfigError},
    postprocess::{PatternError, PythonRegex, words},
    python::is_blank,
};

/// Punctuation that Chinese texts are compared without, beside that of ASCII.
pub(super) const CHINESE_PUNCTUATION: &str = "！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀ ｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿–—‘’‛“”„‟…‧﹏.";

/// The F1 of words against the answer that fits best.
pub(super) struct TokenF1 {
    by_row: ByRow,
}

impl TokenF1 {
    /// Reads `language`: `en` (the default) or `zh`.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        let grade = match Language::of(component)? {
            Language::En => |asked: &Asked<'_>| best(asked, english_words),
            Language::Zh => |asked: &Asked<'_>| best(asked, chinese_words),
        };
        Ok(Box::new(Self { by_row: ByRow::new("longbench_f1", grade) }))
    }
}

impl Evaluator for TokenF1 {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        self.by_row.evaluate(rows)
    }
}

fn best(
    asked: &Asked<'_>,
    words: fn(&str) -> Result<Vec<String>, PatternError>,
) -> Result<Grade, EvaluateError> {
    let words = |text: &str| words(text).map_err(|error| asked.failed(error));
    let prediction = words(asked.prediction()?)?;
    let mut best: f64 = 0.0;
    for answer in asked.references()? {
        best = best.max(f1(&prediction, &words(&answer)?));
    }
    Ok(Grade::share(best))
}

/// The harmonic mean of precision and recall of words, each counted as often as it stands on both sides.
pub(super) fn f1<W: AsRef<str>>(prediction: &[W], answer: &[W]) -> f64 {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in answer {
        *left.entry(word.as_ref()).or_default() += 1;
    }
    let mut common = 0_usize;
    for word in prediction {
        if let Some(count) = left.get_mut(word.as_ref()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    if common == 0 {
        return 0.0;
    }
    let precision = common as f64 / prediction.len() as f64;
    let recall = common as f64 / answer.len() as f64;
    (2.0 * precision * recall) / (precision + recall)
}

/// Words in lower case without punctuation and articles.
pub(super) fn english_words(text: &str) -> Result<Vec<String>, PatternError> {
    static ARTICLE: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\b(?:a|an|the)\b"));
    let plain: String = text.to_lowercase().chars().filter(|c| !c.is_ascii_punctuation()).collect();
    let plain = ARTICLE.replace(&plain, " ")?;
    Ok(plain.split(is_blank).filter(|word| !word.is_empty()).map(str::to_owned).collect())
}

/// Words as jieba cuts them, in lower case, without punctuation and blanks.
pub(super) fn chinese_words(text: &str) -> Result<Vec<String>, PatternError> {
    let mut pieces = chinese_pieces(text)?;
    pieces.retain(|word| !word.is_empty());
    Ok(pieces)
}

/// The same with an empty word where there was nothing but punctuation or blanks.
pub(super) fn chinese_pieces(text: &str) -> Result<Vec<String>, PatternError> {
    let is_kept =
        |c: &char| !c.is_ascii_punctuation() && !CHINESE_PUNCTUATION.contains(*c) && !is_blank(*c);
    let plain = |word: &str| word.to_lowercase().chars().filter(is_kept).collect::<String>();
    Ok(words(text)?.into_iter().map(plain).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_as_often_as_both_sides_have_them() {
        let words = |text: &str| english_words(text).unwrap();
        // Two of three words on one side, two of two on the other: 2 · (2/3) · 1 / (2/3 + 1).
        let found = f1(&words("The red, red kiln"), &words("red kiln"));
        assert!((found - 0.8).abs() < 1e-12, "{found}");
        assert!(f1(&words("a the"), &words("an")).abs() <= 0.0);
    }
}
