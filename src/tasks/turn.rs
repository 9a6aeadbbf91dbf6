//! Question and answer as messages, for a chat template or put together as text.

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// `system`, `user` or `assistant`.
    pub role: &'static str,
    /// Its text.
    pub content: String,
    /// What follows it where it is no message but text.
    pub(super) delimiter: String,
}

impl Turn {
    pub(super) fn new(role: &'static str, content: impl Into<String>, delimiter: &str) -> Self {
        Self { role, content: content.into(), delimiter: delimiter.to_owned() }
    }
}

/// All messages as one text.
pub(super) fn text(turns: &[Turn]) -> String {
    turns.iter().flat_map(|turn| [&*turn.content, &*turn.delimiter]).collect()
}

/// All messages as one question, but for a system message before it and the beginning of an answer behind it.
pub(super) fn single(mut turns: Vec<Turn>) -> Vec<Turn> {
    let mut made = Vec::new();
    if turns.first().is_some_and(|turn| turn.role == "system") {
        made.push(turns.remove(0));
    }
    let answer = turns.last().is_some_and(|turn| turn.role == "assistant").then(|| turns.pop());
    if let Some(last) = turns.last_mut() {
        last.delimiter.clear();
    }
    made.push(Turn::new("user", text(&turns), ""));
    made.extend(answer.flatten());
    made
}

/// Whether a blank has to stand between two texts, neither having one there.
pub(super) fn needs_delimiter(before: &str, after: &str) -> bool {
    match (before.chars().next_back(), after.chars().next()) {
        (Some(before), Some(after)) => !before.is_whitespace() && !after.is_whitespace(),
        _ => false,
    }
}

/// Two texts with what stands between them where neither has a blank there.
pub(super) fn delimited(before: &str, after: &str, delimiter: &str) -> String {
    let between = if needs_delimiter(before, after) { delimiter } else { "" };
    format!("{before}{between}{after}")
}
