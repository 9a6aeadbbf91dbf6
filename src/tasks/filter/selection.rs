//! `take_first`, `take_first_k`, `majority_vote`: which of several answers to one request count.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{super::field::Row, Filter, parameters};
use crate::tasks::value::TaskValue;

struct TakeFirst;

pub(super) fn take_first(keys: Map<String, Value>) -> Result<Box<dyn Filter>, String> {
    parameters::<Nothing>(keys).map(|Nothing {}| Box::new(TakeFirst) as _)
}

/// Filters that say nothing of themselves.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

impl Filter for TakeFirst {
    fn apply(&self, answers: Vec<TaskValue>, _: &[&Row]) -> Result<Vec<TaskValue>, String> {
        let first = |answers: TaskValue| {
            let first = answers.items()?.into_iter().next();
            first.ok_or_else(|| "take_first: there is no answer to take".to_owned())
        };
        answers.into_iter().map(first).collect()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TakeFirstK {
    k: usize,
}

pub(super) fn take_first_k(keys: Map<String, Value>) -> Result<Box<dyn Filter>, String> {
    parameters::<TakeFirstK>(keys).map(|filter| Box::new(filter) as _)
}

impl Filter for TakeFirstK {
    fn apply(&self, answers: Vec<TaskValue>, _: &[&Row]) -> Result<Vec<TaskValue>, String> {
        let few = |count: usize| {
            let what = "is larger than the number of answers to a request";
            format!("take_first_k: k = {} {what}, {count}: raise `repeats`", self.k)
        };
        // Only the first request is counted, as in the original; all are made as often.
        if let Some(first) = answers.first() {
            let count = first.items()?.len();
            if count < self.k {
                return Err(few(count));
            }
        }
        let taken = |answers: TaskValue| match answers {
            TaskValue::Text(text) => Ok(TaskValue::Text(text.chars().take(self.k).collect())),
            other => Ok(TaskValue::List(other.items()?.into_iter().take(self.k).collect())),
        };
        answers.into_iter().map(taken).collect()
    }
}

struct MajorityVote;

pub(super) fn majority_vote(keys: Map<String, Value>) -> Result<Box<dyn Filter>, String> {
    parameters::<Nothing>(keys).map(|Nothing {}| Box::new(MajorityVote) as _)
}

impl Filter for MajorityVote {
    fn apply(&self, answers: Vec<TaskValue>, _: &[&Row]) -> Result<Vec<TaskValue>, String> {
        let vote = |answers: TaskValue| {
            let mut counts: Vec<(TaskValue, usize)> = Vec::new();
            for answer in answers.items()? {
                match counts.iter_mut().find(|(known, _)| *known == answer) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((answer, 1)),
                }
            }
            let most = counts.iter().map(|(_, count)| *count).max();
            // The one that came first wins a tie.
            let vote = counts.into_iter().find(|(_, count)| Some(*count) == most);
            let vote = vote.ok_or("majority_vote: there is no answer to count")?;
            Ok(TaskValue::List(vec![vote.0]))
        };
        answers.into_iter().map(vote).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn applied(
        build: super::super::FilterConstructor,
        keys: &Value,
        answers: &Value,
    ) -> Result<Vec<TaskValue>, String> {
        let TaskValue::List(answers) = TaskValue::from(answers) else { return Ok(Vec::new()) };
        build(keys.as_object().cloned().unwrap_or_default())?.apply(answers, &[])
    }

    #[test]
    fn the_first_of_the_most_frequent_wins() {
        let answers = json!([["a", "b", "b", "a", "c"], ["x"]]);
        let expected = TaskValue::from(&json!([["a"], ["x"]])).items();
        assert_eq!(applied(majority_vote, &json!({}), &answers), expected);
    }

    #[test]
    fn few_answers_are_told() {
        let answers = json!([["a", "b"], ["c", "d"]]);
        let expected = TaskValue::from(&json!([["a"], ["c"]])).items();
        assert_eq!(applied(take_first_k, &json!({"k": 1}), &answers), expected);
        assert!(applied(take_first_k, &json!({"k": 3}), &answers).is_err());
        assert!(applied(take_first, &json!({"k": 3}), &answers).is_err());
    }

    #[test]
    fn taking_the_first_again_takes_a_letter() {
        let answers = json!(["abc"]);
        let expected = TaskValue::from(&json!(["a"])).items();
        assert_eq!(applied(take_first, &json!({}), &answers), expected);
    }
}
