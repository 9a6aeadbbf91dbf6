//! Dialogues in a predictions file, as OpenCompass's `ChatInferencer` and AISBench write them.
//!
//! Two of OpenCompass's forms say less than they seem to, and scripts read them as they are: in mode
//! `every` the golds are the model's own replies, and in mode `every_with_gt` turn `t` of sample `i`
//! is added to entry `i + t`, where turns of other samples stand too. The gold answers, and which turn
//! belongs to which sample, are in the records; evaluation works from those.

use serde_json::{Map, Value, json};

use crate::infer::{DialogueForm, Exchange};
use crate::python::is_truthy;

/// One sample's dialogue; `gold` is the sample's, if it has one.
pub(super) fn entry(form: DialogueForm, exchanges: &[Exchange], gold: Option<&Value>) -> Value {
    let predictions: Vec<&str> = all(exchanges, |own| own.continuation.text.as_str());
    let prompts: Vec<&Value> = all(exchanges, |own| &own.origin_prompt);
    match form {
        DialogueForm::Last => {
            let own = exchanges.first().and_then(|own| own.gold.as_ref());
            let gold = own.map_or(gold, |own| Some(own).filter(|own| is_truthy(own)));
            let mut entry = Map::from_iter(gold.map(|gold| ("gold".to_owned(), gold.clone())));
            entry.insert("prediction".to_owned(), json!(predictions.first()));
            entry.insert("origin_prompt".to_owned(), json!(prompts.first()));
            Value::Object(entry)
        }
        DialogueForm::Turns | DialogueForm::Slots => {
            let prompt = match form {
                DialogueForm::Slots => json!(prompts.first()),
                _ => json!(prompts),
            };
            let mut entry = json!({"origin_prompt": prompt, "prediction": predictions});
            if let (Some(gold), Some(entry)) = (gold, entry.as_object_mut()) {
                entry.insert("gold".to_owned(), gold.clone());
            }
            entry
        }
        DialogueForm::Every => {
            json!({"gold": predictions, "prediction": predictions, "origin_prompt": prompts})
        }
        DialogueForm::EveryWithGt => {
            let golds = all(exchanges, |own| &own.gold);
            json!({"gold": golds, "prediction": predictions, "origin_prompt": prompts})
        }
        DialogueForm::Rounds => {
            let rounds = exchanges.iter().zip(1..).map(|(own, round)| {
                json!({"round": round, "user": own.origin_prompt, "assistant": own.continuation.text})
            });
            json!({"prediction": rounds.collect::<Vec<_>>(), "origin_prompt": null})
        }
    }
}

/// Adds every turn of sample `id` to the entry where OpenCompass looks for it in mode `every_with_gt`.
pub(super) fn add_turns(file: &mut Map<String, Value>, id: usize, exchanges: &[Exchange]) {
    for (exchange, place) in exchanges.iter().zip(id..) {
        let turn = [
            ("gold", json!(exchange.gold)),
            ("prediction", json!(exchange.continuation.text)),
            ("origin_prompt", exchange.origin_prompt.clone()),
        ];
        let entry = file.entry(place.to_string()).or_insert_with(|| Value::Object(Map::new()));
        let Some(entry) = entry.as_object_mut() else { continue };
        for (field, value) in turn {
            match entry.get_mut(field) {
                Some(Value::Array(turns)) => turns.push(value),
                _ => {
                    entry.insert(field.to_owned(), json!([value]));
                }
            }
        }
    }
}

fn all<'a, T>(exchanges: &'a [Exchange], field: impl Fn(&'a Exchange) -> T) -> Vec<T> {
    exchanges.iter().map(field).collect()
}
