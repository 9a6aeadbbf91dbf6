//! `jieba_rouge` and `average_rouge`: Chinese words that a text shares with its reference.

use std::sync::LazyLock;

use serde_json::{Map, json};

use super::{
    EvaluateError, Evaluator, Metric, Row, Scores,
    by_row::Asked,
    sentence_rouge::{ChineseRouge, chinese_rouge},
};
use crate::{
    postprocess::{PythonRegex, normalized, words},
    python::blank::strip,
};

/// What stands for an answer that is not there.
const NO_CONTENT: &str = "无内容";

/// The figures of two texts cut into words by jieba. An empty prediction is `无内容`; an empty reference is
/// an error.
pub(super) fn word_rouge(
    asked: &Asked<'_>,
    prediction: &str,
    reference: &str,
) -> Result<ChineseRouge, EvaluateError> {
    let cut =
        |text: &str| words(text).map(|words| words.join(" ")).map_err(|error| asked.failed(error));
    let prediction = Some(cut(prediction)?).filter(|text| !strip(text).is_empty());
    let prediction = prediction.as_deref().unwrap_or(NO_CONTENT);
    rouge_of_words(asked, prediction, &cut(reference)?)
}

/// The figures of two texts that are cut into words.
pub(super) fn rouge_of_words(
    asked: &Asked<'_>,
    prediction: &str,
    reference: &str,
) -> Result<ChineseRouge, EvaluateError> {
    let rouge = chinese_rouge(prediction, reference).map_err(|error| asked.failed(error))?;
    rouge.ok_or_else(|| asked.unreadable_reference("a text that is not empty"))
}

/// ROUGE of normalised texts: words, pairs of words and the longest common subsequence.
pub(super) struct JiebaRouge;

impl Evaluator for JiebaRouge {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut scores = [const { Vec::new() }; 3];
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "jieba_rouge");
            let cut = |text: &str, placeholder: &str| -> Result<String, EvaluateError> {
                let text = normalized(text).map_err(|error| asked.failed(error))?;
                let words = words(&text).map_err(|error| asked.failed(error))?.join(" ");
                Ok(if words.is_empty() { placeholder.to_owned() } else { words })
            };
            // Two empty texts are not taken for the same.
            let prediction = cut(asked.prediction()?, "__PREDPLACEHOLDER__")?;
            let reference = cut(asked.reference()?, "__REFRPLACEHOLDER__")?;
            let rouge = rouge_of_words(&asked, &prediction, &reference)?;
            for (scores, own) in scores.iter_mut().zip([rouge.words, rouge.pairs, rouge.longest]) {
                scores.push(own);
            }
        }
        let names = ["rouge1", "rouge2", "rougeL"].into_iter();
        let metrics = names.zip(scores).map(|(name, own)| Metric::of_grades(name, own));
        Ok(Scores::new(metrics.collect(), rows.len()))
    }
}

/// The mean over the gaps of a text of the longest common subsequence with what belongs there. Gaps stand
/// between commas.
pub(super) struct AverageRouge;

impl Evaluator for AverageRouge {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        static INTRODUCTION: LazyLock<PythonRegex> =
            LazyLock::new(|| PythonRegex::constant(r"(?i)(正确答案[:：]|correct answer[:：])"));
        let (mut shares, mut details) = (Vec::new(), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "average_rouge");
            let plain = INTRODUCTION.replace(asked.prediction()?, "");
            let plain = plain.map_err(|error| asked.failed(error))?;
            let plain = strip(&plain);
            let reference = asked.reference()?.replace('，', ",");
            let golds: Vec<&str> = reference.split(',').map(strip).collect();
            let mut gaps: Vec<&str> = match golds.len() {
                1 => vec![plain],
                _ => plain.split(',').map(strip).collect(),
            };
            gaps.resize(golds.len(), NO_CONTENT);
            let mut sum = 0.0;
            for (gap, gold) in gaps.iter().zip(&golds) {
                sum += word_rouge(&asked, gap, gold)?.longest;
            }
            let share = sum / golds.len() as f64;
            shares.push(share);
            details.push(Map::from_iter([
                ("pred".to_owned(), json!(gaps)),
                ("answer".to_owned(), json!(golds)),
                ("correct".to_owned(), json!(100.0 * share)),
            ]));
        }
        let metric = Metric::of_grades("AvgRougeScore", shares);
        Ok(Scores::new(vec![metric], rows.len()).with_details(details))
    }
}
