//! How often each question is asked: `n` and `k` of a data set's entry, or of a model's where that says nothing.

use crate::{
    config::{ConfigError, Node},
    evaluate::Repeats,
};

/// What an entry says of repeats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepeatsPlan {
    runs: Option<usize>,
    k: Option<Vec<usize>>,
}

impl RepeatsPlan {
    /// Takes `n` and `k` out of an entry.
    pub(super) fn take(entry: &mut Node) -> Result<Self, ConfigError> {
        let mut given = |field: &str| entry.remove(field).filter(|value| !value.is_none());
        let (runs, k) = (given("n"), given("k"));
        let runs = runs.map(|node| count(&node, "n")).transpose()?;
        let k = k.map(|node| match node.as_list() {
            Some(numbers) => numbers.iter().map(|number| count(number, "k")).collect(),
            None => count(&node, "k").map(|k| vec![k]),
        });
        Ok(Self { runs, k: k.transpose()?.filter(|k: &Vec<usize>| !k.is_empty()) })
    }

    /// Once, whatever a model's entry says.
    pub fn once() -> Self {
        Self { runs: Some(1), k: Some(vec![1]) }
    }

    /// What holds for a data set under a model, and what is left out of it.
    pub fn under(&self, model: &Self) -> (Repeats, Option<String>) {
        let runs = self.runs.or(model.runs).unwrap_or(1);
        let k = self.k.as_ref().or(model.k.as_ref()).cloned().unwrap_or_else(|| vec![1]);
        let (k, above): (Vec<usize>, Vec<usize>) = k.into_iter().partition(|k| *k <= runs);
        let note = above.iter().max().map(|k| {
            format!(
                "k={k} is left out: a question has n={runs} {}; set n to {k} or more",
                if runs == 1 { "answer" } else { "answers" }
            )
        });
        let k = if k.is_empty() { vec![runs] } else { k };
        (Repeats { runs, k }, note)
    }
}

fn count(node: &Node, field: &str) -> Result<usize, ConfigError> {
    let number = node.as_int().and_then(|number| usize::try_from(number).ok());
    number.filter(|number| *number > 0).ok_or_else(|| {
        let what = format!("{} is no number of answers", node.describe());
        ConfigError::at(&node.origin, what)
            .under(field)
            .with_hint("write a whole number from 1 on, for k also a list of them")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plan(entry: &serde_json::Value) -> Result<RepeatsPlan, String> {
        RepeatsPlan::take(&mut Node::from_json(entry)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_data_set_says_it_before_a_model() {
        let none = RepeatsPlan::default();
        let own = plan(&json!({"n": 4, "k": [1, 2, 8]})).unwrap();
        let (repeats, note) = own.under(&plan(&json!({"n": 9, "k": 9})).unwrap());
        assert_eq!(repeats, Repeats { runs: 4, k: vec![1, 2] });
        assert!(note.unwrap().contains("k=8 is left out"));
        let (repeats, note) = none.under(&plan(&json!({"n": 2, "k": 2})).unwrap());
        assert_eq!((repeats, note), (Repeats { runs: 2, k: vec![2] }, None));
        assert_eq!(none.under(&none).0, Repeats::default());
    }

    #[test]
    fn a_number_that_is_none_is_refused() {
        for entry in [json!({"n": 0}), json!({"n": 1.5}), json!({"k": "2"}), json!({"k": [1, -1]})]
        {
            assert!(plan(&entry).unwrap_err().contains("no number of answers"), "{entry}");
        }
    }
}
