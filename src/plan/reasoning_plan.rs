//! How a model's thinking is told from its answers: `reasoning` and its kin of a model's entry.

use crate::{
    config::{ConfigError, Node},
    infer::ThinkingMarks,
};

/// What an entry says of thinking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReasoningPlan {
    /// Whether thinking stays in the text, as if it were part of the answer.
    pub stays: bool,
    /// What stands around it; without it, what the tokenizer and the chat templates know.
    pub marks: Option<ThinkingMarks>,
    /// Most tokens of it, which an answer then has beside its `max_out_len`.
    pub budget_tokens: Option<usize>,
}

impl ReasoningPlan {
    /// Takes `reasoning`, `reasoning_start`, `reasoning_end` and `reasoning_budget` out of an entry.
    pub(super) fn take(entry: &mut Node) -> Result<Self, ConfigError> {
        let mut given = |field: &'static str| {
            let value = entry.remove(field).filter(|value| !value.is_none());
            value.map(|value| (field, value))
        };
        let refused = |(field, node): &(&'static str, Node), hint: &str| {
            let what = format!("{} is not understood", node.describe());
            ConfigError::at(&node.origin, what).under(*field).with_hint(hint)
        };
        let stays = match given("reasoning") {
            None => false,
            Some(own) => match own.1.as_bool() {
                Some(is_parted) => !is_parted,
                None => return Err(refused(&own, "write True or False")),
            },
        };
        let text = |own: &(&'static str, Node)| match own.1.as_str() {
            Some(text) if !text.is_empty() => Ok(text.to_owned()),
            _ => Err(refused(own, "write the text of the mark")),
        };
        let marks = match (given("reasoning_start"), given("reasoning_end")) {
            (None, None) => None,
            (Some(start), Some(end)) => {
                Some(ThinkingMarks { start: text(&start)?, end: text(&end)? })
            }
            (Some(only), None) | (None, Some(only)) => {
                return Err(refused(&only, "give reasoning_start and reasoning_end together"));
            }
        };
        let budget_tokens = match given("reasoning_budget") {
            None => None,
            Some(own) => match own.1.as_int().and_then(|tokens| usize::try_from(tokens).ok()) {
                Some(tokens) if tokens > 0 => Some(tokens),
                _ => return Err(refused(&own, "write a number of tokens from 1 on")),
            },
        };
        Ok(Self { stays, marks, budget_tokens })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn marks_come_in_pairs() {
        let take = |entry| {
            ReasoningPlan::take(&mut Node::from_json(&entry)).map_err(|error| error.to_string())
        };
        let plan =
            take(json!({"reasoning_start": "<a>", "reasoning_end": "</a>", "reasoning_budget": 9}));
        let plan = plan.unwrap();
        assert_eq!((plan.budget_tokens, plan.stays), (Some(9), false));
        assert_eq!(plan.marks.unwrap().end, "</a>");
        for (entry, expected) in [
            (json!({"reasoning_start": "<a>"}), "together"),
            (json!({"reasoning_budget": 0}), "from 1 on"),
            (json!({"reasoning": "no"}), "True or False"),
        ] {
            assert!(take(entry).unwrap_err().contains(expected), "{expected}");
        }
    }
}
