//! Samples with faults in them, written as other programs write theirs.

use serde_json::{Map, Value as Json, json};

use crate::diff::{Side, lm_eval_side, opencompass_side};

/// A candidate as it is asked, and how likely its text is.
#[derive(Clone)]
pub(super) struct Planted {
    pub(super) context: String,
    pub(super) answer: String,
    pub(super) nats: f64,
    pub(super) tokens: usize,
}

/// What is done to a candidate of a sample.
pub(super) type Fault = fn(usize, &mut Planted);

/// Twelve questions behind two examples each, with three answers.
pub(super) fn rows() -> Vec<Vec<Planted>> {
    let things = [
        "raven", "glacier", "lantern", "violin", "harbour", "meadow", "compass", "orchard",
        "quarry", "teapot", "viaduct", "walrus",
    ];
    let row = |(index, thing): (usize, &&str)| {
        let shown = [things[(index + 3) % 12], things[(index + 7) % 12]];
        let examples =
            shown.map(|own| format!("Question: Is the {own} old?\nAnswer: surely so\n\n")).concat();
        let candidate = |place: usize| Planted {
            context: format!(
                "{examples}Question: Where does one find a {thing} in month {index}?\nAnswer:"
            ),
            answer: [" up north", " at sea, now and then", " nowhere"][place].to_owned(),
            nats: -40.0 - ((index * 7 + place * 5) % 11) as f64 * 0.37 - index as f64,
            tokens: 30 + place,
        };
        (0..3).map(candidate).collect()
    };
    things.iter().enumerate().map(row).collect()
}

pub(super) fn planted(fault: Fault) -> Vec<Vec<Planted>> {
    let mut rows = rows();
    for (index, row) in rows.iter_mut().enumerate() {
        for own in row {
            fault(index, own);
        }
    }
    rows
}

pub(super) fn likeliest(scores: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (place, score) in scores.enumerate() {
        if score > best.1 {
            best = (place, score);
        }
    }
    best.0
}

/// As lm-eval writes it, in another order.
pub(super) fn lm_eval(rows: &[Vec<Planted>]) -> Side {
    let line = |(index, row): (usize, &Vec<Planted>)| {
        let arguments: Map<String, Json> = row
            .iter()
            .enumerate()
            .map(|(place, own)| {
                (format!("gen_args_{place}"), json!({"arg_0": own.context, "arg_1": own.answer}))
            })
            .collect();
        let responses: Vec<Json> =
            row.iter().map(|own| json!([own.nats.to_string(), "False"])).collect();
        let resps: Vec<Json> = responses.iter().map(|own| json!([own])).collect();
        json!({"doc_id": index, "doc": {"id": index}, "target": "0", "arguments": arguments, "resps": resps,
            "filtered_resps": responses, "filter": "none", "metrics": []})
        .to_string()
    };
    let lines: Vec<String> = rows.iter().enumerate().map(line).rev().collect();
    lm_eval_side(&lines.join("\n"), "samples.jsonl", None).unwrap()
}

/// As OpenCompass writes it; with sums and counts of tokens, as a run of this program does.
pub(super) fn opencompass(rows: &[Vec<Planted>], has_sums: bool) -> Side {
    let labels = ["A", "B", "C"];
    let entry = |(index, row): (usize, &Vec<Planted>)| {
        let mean = |own: &Planted| -own.nats / own.tokens as f64;
        let mut entry = Map::from_iter([("in-context examples".to_owned(), json!(""))]);
        for (label, own) in labels.iter().zip(row) {
            let prompt = format!("{}{}", own.context, own.answer);
            let mut fields = json!({"testing input": prompt, "prompt": prompt, "PPL": mean(own)});
            if has_sums {
                fields["tokens"] = json!(own.tokens);
            }
            entry.insert(format!("label: {label}"), fields);
        }
        let best = likeliest(row.iter().map(|own| -mean(own)));
        entry.insert("prediction".to_owned(), json!(labels[best]));
        (index.to_string(), Json::Object(entry))
    };
    let file: Map<String, Json> = rows.iter().enumerate().map(entry).collect();
    opencompass_side(&[Json::Object(file).to_string()], None, "predictions.json").unwrap()
}
