//! A prompt of messages as one text, so that prompts of two files can be compared letter by letter.

use serde_json::Value as Json;

use crate::python::to_json;

/// A prompt as a file has it: a text as it is; a list of messages a line each, `role: text`; anything else as JSON.
pub(super) fn message_text(prompt: &Json) -> String {
    match prompt {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Array(messages) if !messages.is_empty() => {
            let lines: Option<Vec<String>> = messages.iter().map(line).collect();
            lines.map_or_else(|| to_json(prompt, false), |lines| lines.join("\n"))
        }
        other => to_json(other, false),
    }
}

/// One message; nothing if it is none.
fn line(message: &Json) -> Option<String> {
    let role = message.get("role")?.as_str()?;
    let content = message.get("prompt").or_else(|| message.get("content"))?;
    let content = content.as_str().map_or_else(|| to_json(content, false), str::to_owned);
    Some(format!("{role}: {content}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_are_lines() {
        let messages =
            json!([{"role": "HUMAN", "prompt": "a\nb"}, {"role": "BOT", "content": "c"}]);
        assert_eq!(message_text(&messages), "HUMAN: a\nb\nBOT: c");
        assert_eq!(message_text(&json!("x")), "x");
        assert_eq!(message_text(&json!([1])), "[1]");
    }
}
