//! Plans: the actions that mean one of the right plan, in its order.

use serde_json::Value;

use super::{
    super::EvaluateError,
    case::{Case, likeness},
    matching::heaviest,
    parsed::{LIST, read, text_at},
};
use crate::python::parse_integer;

/// What the names of two actions weigh in how alike they are, and their arguments.
const WEIGHTS: (f64, f64) = (0.75, 0.25);

/// Actions that are less alike are different ones.
const THRESHOLD: f64 = 0.7;

/// The action that ends a plan, and is no part of it.
const END: &str = "FinishAction";

struct Action {
    number: i64,
    name: String,
    arguments: String,
}

/// A plan and the one that is right.
pub(super) struct Plans {
    written: Vec<Action>,
    right: Vec<Action>,
    /// Whether both could be read.
    pub(super) is_read: bool,
}

/// How much of a plan is right, and how much of the right one is there.
#[derive(Clone, Copy, Default)]
pub(super) struct Agreement {
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) f1: f64,
}

impl Plans {
    /// Both plans of a case, in the order of their numbers and without their ends.
    pub(super) fn of(case: &Case<'_>) -> Result<Self, EvaluateError> {
        let form = case.value("/meta/prompt_type").and_then(Value::as_str).unwrap_or("json");
        let written = match form {
            "json" => listed(case.prediction()),
            "str" => named(case)?,
            _ => return Err(case.unreadable("a prompt_type of json or str")),
        };
        let right = case.value("/ground_truth").map(listed).unwrap_or_default();
        let is_read = !written.is_empty() && !right.is_empty();
        Ok(Self { written: ended(written), right: ended(right), is_read })
    }

    /// Whether a plan is nothing but its end, which the original does not expect.
    pub(super) fn is_nothing(&self) -> bool {
        self.is_read && (self.written.is_empty() || self.right.is_empty())
    }

    /// The texts that are compared: names, then arguments, of the one plan and of the other.
    pub(super) fn texts(&self) -> Vec<String> {
        if !self.is_read || self.is_nothing() {
            return Vec::new();
        }
        let both = || self.written.iter().chain(&self.right);
        let names = both().map(|action| action.name.clone());
        names.chain(both().map(|action| action.arguments.clone())).collect()
    }

    /// How the plans agree, the vectors being those of the texts.
    pub(super) fn agreement(&self, vectors: &[Vec<f32>]) -> Agreement {
        if !self.is_read || self.is_nothing() {
            return Agreement::default();
        }
        let (written, right) = (self.written.len(), self.right.len());
        let alike = |one: usize, other: usize| {
            let pair = vectors.get(one).zip(vectors.get(other));
            pair.map_or(0.0, |(one, other)| likeness(one, other))
        };
        let mut edges = Vec::new();
        for one in 0..written {
            for other in 0..right {
                let names = alike(one, written + other);
                let behind = written + right;
                let arguments = alike(behind + one, behind + written + other);
                let weight = names * WEIGHTS.0 + arguments * WEIGHTS.1;
                if weight > THRESHOLD {
                    edges.push((one, other, weight));
                }
            }
        }
        let in_order = longest_rise(&heaviest(written, right, &edges)) as f64;
        let (precision, recall) = (in_order / written as f64, in_order / right as f64);
        Agreement { precision, recall, f1: 2.0 * recall * precision / (recall + precision) }
    }
}

/// The actions of a list of records with `name`, `id` and `args`; none if one lacks them.
fn listed(written: &Value) -> Vec<Action> {
    let Some(Value::Array(items)) = read(written, LIST) else { return Vec::new() };
    let action = |item: &Value| {
        let record = item.as_object()?;
        Some(Action {
            number: whole(record.get("id")?)?,
            name: text_at(record, "name")?,
            arguments: text_at(record, "args")?,
        })
    };
    items.iter().map(action).collect::<Option<_>>().unwrap_or_default()
}

/// Python's `int(value)`.
fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => {
            number.as_i64().or_else(|| number.as_f64().map(|number| number.trunc() as i64))
        }
        Value::Bool(truth) => Some(i64::from(*truth)),
        Value::String(text) => parse_integer(text)?.parse().ok(),
        _ => None,
    }
}

/// The tools that the sentences of a text name first.
fn named(case: &Case<'_>) -> Result<Vec<Action>, EvaluateError> {
    let tools = case.value("/meta/API_list").and_then(Value::as_array);
    let tools = tools.ok_or_else(|| case.unreadable("a call with meta.API_list"))?;
    let text = case.prediction().as_str().unwrap_or_default().replace(". ", "\n");
    let mut actions = Vec::new();
    for sentence in text.split('\n') {
        let places = tools.iter().filter_map(Value::as_str);
        let places = places.filter_map(|tool| Some((sentence.find(tool)?, tool)));
        // The first of equals, as the original has it.
        if let Some((_, tool)) =
            places.min_by_key(|(place, _)| *place).filter(|(_, tool)| !tool.is_empty())
        {
            let (name, arguments) = (tool.to_owned(), sentence.to_owned());
            let number = i64::try_from(actions.len()).unwrap_or(i64::MAX);
            actions.push(Action { number, name, arguments });
        }
    }
    Ok(actions)
}

fn ended(mut actions: Vec<Action>) -> Vec<Action> {
    actions.sort_by_key(|action| action.number);
    actions.pop_if(|last| last.name == END);
    actions
}

/// The most items whose partners rise; an item without a partner stands alone.
fn longest_rise(partners: &[Option<usize>]) -> usize {
    let mut lengths: Vec<usize> = Vec::with_capacity(partners.len());
    for (place, partner) in partners.iter().enumerate() {
        let before = partners.iter().zip(&lengths).take(place);
        let longest = before
            .filter(|(other, _)| other.zip(*partner).is_some_and(|(other, own)| other < own))
            .map(|(_, length)| *length);
        lengths.push(longest.max().unwrap_or_default() + 1);
    }
    lengths.into_iter().max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_that_rise_are_counted() {
        assert_eq!(longest_rise(&[Some(2), Some(0), None, Some(1), Some(3)]), 3);
        assert_eq!(longest_rise(&[None, None]), 1);
        assert_eq!(longest_rise(&[]), 0);
    }
}
