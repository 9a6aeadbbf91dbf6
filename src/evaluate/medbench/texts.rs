//! Texts: the longest common subsequence of their letters and words.
//!
//! Each Chinese letter is a word, and so is each punctuation mark; everything is in lower case and without
//! accents, as the tokenizer of BERT has it before it looks words up.

use serde_json::{Map, Value, json};
use tokenizers::{
    NormalizedString, Normalizer, OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer,
    normalizers::BertNormalizer, pre_tokenizers::bert::BertPreTokenizer,
};

use super::super::{
    EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked,
    chinese_summary::rouge_of_words,
};

/// What stands for a text of which nothing is left.
const NOTHING: &str = "无 。";

/// The mean over the rows in which both texts say something.
pub(in super::super) struct Texts;

/// The same against references in named sections, which are written one to a line.
pub(in super::super) struct Sections;

impl Evaluator for Texts {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        // The original hands over both sides the other way round.
        compared(rows, ["answer", "pred"], |asked| Ok(asked.reference()?.to_owned()))
    }
}

impl Evaluator for Sections {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        compared(rows, ["pred", "answer"], |asked| {
            let expected = "a list of dicts of type and entity";
            let unreadable = || asked.unreadable_reference(expected);
            let section = |section: &Value| {
                let field = |name: &str| section.get(name).and_then(Value::as_str);
                let (name, text) = field("type").zip(field("entity")).ok_or_else(unreadable)?;
                Ok(format!("{name}：{text}\n"))
            };
            asked.row.reference.as_array().ok_or_else(unreadable)?.iter().map(section).collect()
        })
    }
}

/// The figure, with the prediction and the reference noted under these names.
fn compared(
    rows: &[Row<'_>],
    [own_name, other_name]: [&str; 2],
    reference: impl Fn(&Asked<'_>) -> Result<String, EvaluateError>,
) -> Result<Scores, EvaluateError> {
    let (mut shares, mut details) = (Vec::with_capacity(rows.len()), Vec::new());
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, "medbench");
        let (prediction, reference) = (asked.prediction()?, reference(&asked)?);
        if prediction.is_empty() || reference.is_empty() {
            shares.push(f64::NAN);
            continue;
        }
        let (own, other) = (words(&asked, prediction)?, words(&asked, &reference)?);
        shares.push(rouge_of_words(&asked, &own, &other)?.longest);
        details.push(Map::from_iter([
            (own_name.to_owned(), json!(own)),
            (other_name.to_owned(), json!(other)),
            ("correct".to_owned(), json!(false)),
        ]));
    }
    if details.is_empty() && !rows.is_empty() {
        let reason = "in every row the prediction or the reference is empty";
        return Err(EvaluateError::Undefined { evaluator: "medbench", reason });
    }
    let metric = Metric::of_numbers("RougeL", Unit::Number, shares);
    Ok(Scores::new(vec![metric], rows.len()).with_details(details))
}

/// The words of a text, joined by blanks.
fn words(asked: &Asked<'_>, text: &str) -> Result<String, EvaluateError> {
    let unreadable = |_| asked.wrong("a text", "one that can be cut into words", &json!(text));
    let mut normalized = NormalizedString::from(text);
    BertNormalizer::default().normalize(&mut normalized).map_err(unreadable)?;
    let mut cut = PreTokenizedString::from(normalized);
    BertPreTokenizer.pre_tokenize(&mut cut).map_err(unreadable)?;
    let words: Vec<&str> = cut
        .get_splits(OffsetReferential::Normalized, OffsetType::Byte)
        .into_iter()
        .map(|(word, ..)| word)
        .collect();
    Ok(if words.is_empty() { NOTHING.to_owned() } else { words.join(" ") })
}
