//! What the page shows of a sample once it is opened: a line of JSON.

use serde_json::{Map, Value as Json, json};

use super::sample::{Sample, SampleText};

/// The line of a sample.
pub(super) fn line(sample: &Sample) -> String {
    let mut body = Map::new();
    body.insert("gold".to_owned(), json!(sample.gold));
    body.insert("prediction".to_owned(), json!(sample.prediction));
    let mut put = |name: &str, value: Json, is_there: bool| {
        if is_there {
            body.insert(name.to_owned(), value);
        }
    };
    put("compared", json!(sample.compared), sample.compared.is_some());
    put("error", json!(sample.error), sample.error.is_some());
    put("warnings", json!(sample.warnings), !sample.warnings.is_empty());
    put("scores", json!(sample.scores), !sample.scores.is_empty());
    put("dropped_examples", json!(sample.dropped_examples), sample.dropped_examples > 0);
    put("truncated_tokens", json!(sample.truncated_tokens), sample.truncated_tokens > 0);
    put("facts", json!(sample.facts), !sample.facts.is_empty());
    put("stages", json!(sample.stages), !sample.stages.is_empty());
    put("columns", json!(sample.columns), !sample.columns.is_empty());
    let first = sample.texts.iter().map(|text| text.segment).min().unwrap_or(0);
    body.insert("segments_from".to_owned(), json!(first));
    body.insert("texts".to_owned(), Json::Object(columns(&sample.texts, first)));
    Json::Object(body).to_string()
}

/// What is known of a text, as JSON; null for what is not.
type TextField = (&'static str, fn(&SampleText, usize) -> Json);

/// The fields of texts.
const FIELDS: [TextField; 18] = [
    ("segment", |text, first| json!(text.segment - first)),
    ("label", |text, _| json!(text.label)),
    ("asked_as", |text, _| json!(text.asked_as)),
    ("gold", |text, _| json!(text.is_gold.then_some(true))),
    ("chosen", |text, _| json!(text.is_chosen.then_some(true))),
    ("score", |text, _| json!(text.score)),
    ("sum", |text, _| json!(text.sum_nats)),
    ("answer_sum", |text, _| json!(text.answer_nats)),
    ("answer_from", |text, _| json!(text.answer.as_ref().map(|own| own.start))),
    ("answer_to", |text, _| json!(text.answer.as_ref().map(|own| own.end))),
    ("cut_from", |text, _| json!(text.cut.as_ref().map(|own| own.start))),
    ("cut_to", |text, _| json!(text.cut.as_ref().map(|own| own.end))),
    // It may stand before the sample's own texts.
    ("normalizer", |text, first| {
        json!(text.normalizer.and_then(|own| own.checked_signed_diff(first)))
    }),
    ("turn", |text, _| json!(text.turn)),
    ("reply", |text, _| json!(text.reply)),
    ("extracted_from", |text, _| json!(text.extracted.as_ref().map(|own| own.start))),
    ("extracted_to", |text, _| json!(text.extracted.as_ref().map(|own| own.end))),
    ("finish", |text, _| json!(text.finish)),
];

/// A list for each field that a text has: that compresses to two thirds of an object for each text.
fn columns(texts: &[SampleText], first: usize) -> Map<String, Json> {
    let list = |(name, value): &TextField| {
        let values: Vec<Json> = texts.iter().map(|text| value(text, first)).collect();
        values
            .iter()
            .any(|value| !value.is_null())
            .then(|| ((*name).to_owned(), Json::Array(values)))
    };
    FIELDS.iter().filter_map(list).collect()
}
