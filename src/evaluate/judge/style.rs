//! How an answer looks: its length and the marks of its layout, which judges are known to be swayed by.
//!
//! The counts are those that OpenCompass writes beside a match, so that whoever fits a Bradley-Terry model to matches can
//! take their influence out. Length is in tokens of `gpt-3.5-turbo`, whatever model has answered.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use tiktoken_rs::cl100k_base_singleton;

use crate::postprocess::{PatternError, PythonRegex};

macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant($pattern));
    };
}

pattern!(CODE, r"```([^`]*)```");
pattern!(ORDERED, r"(?m)^\s*\d+\.\s");
pattern!(UNORDERED, r"(?m)^\s*[-*+]\s");
pattern!(STARS, r"\*\*[^*\n]+\*\*");
pattern!(UNDERSCORES, r"__[^_\n]+__");
pattern!(HEADER, r"(?m)^(#{1,6})\s");

/// The counts of an answer, the names of which end in `suffix`; code in fences is left out.
pub(super) fn counts(answer: &str, suffix: &str) -> Result<Map<String, Value>, PatternError> {
    let mut text = answer.to_owned();
    for block in CODE.all(answer)?.into_iter().filter(|block| !block.is_empty()) {
        text = text.replace(block, "");
    }
    let headers = HEADER.all(&text)?;
    let of_level = |level: usize| headers.iter().filter(|marks| marks.len() == level).count();
    let levels: Map<String, Value> =
        (1..=6).map(|level| (format!("h{level}"), json!(of_level(level)))).collect();
    let count = |pattern: &PythonRegex| -> Result<usize, PatternError> {
        Ok(pattern.matches(&text)?.len())
    };
    let tokens = cl100k_base_singleton().encode_with_special_tokens(&text).len();
    let lists = json!({"ordered": count(&ORDERED)?, "unordered": count(&UNORDERED)?});
    let bold = json!({"double_star": count(&STARS)?, "double_underscore": count(&UNDERSCORES)?});
    let named = [
        ("sum_assistant_tokens", json!(tokens)),
        ("header_count", levels.into()),
        ("list_count", lists),
        ("bold_count", bold),
    ];
    Ok(named.into_iter().map(|(name, value)| (format!("{name}{suffix}"), value)).collect())
}

/// What a model has said: a text, or the turns of a dialogue, one on each line; nothing where it is neither.
pub(super) fn spoken(answer: &Value) -> Option<String> {
    let turns = match answer {
        Value::String(text) => return Some(text.clone()),
        other => other.as_array()?,
    };
    let first = turns.first()?;
    let is_own = |turn: &&Value| {
        first.get("role").is_none() || turn.get("role") == Some(&Value::from("assistant"))
    };
    let said = turns.iter().filter(is_own).map(|turn| turn.get("assistant")?.as_str());
    Some(said.collect::<Option<Vec<&str>>>()?.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_joined_and_code_is_left_out() {
        let turns =
            json!([{"role": "user", "content": "x"}, {"role": "assistant", "assistant": "a"}]);
        assert_eq!(spoken(&turns).as_deref(), Some("a"));
        assert_eq!(
            spoken(&json!([{"assistant": "a"}, {"assistant": "b"}])).as_deref(),
            Some("a\nb")
        );
        assert_eq!(spoken(&json!(3)), None);
        let made = counts("# t\n- a\n```# c\n- d```\n**b**", "_a").unwrap_or_default();
        assert_eq!(made["header_count_a"]["h1"], 1);
        assert_eq!(made["list_count_a"]["unordered"], 1);
        assert_eq!(made["bold_count_a"]["double_star"], 1);
    }
}
