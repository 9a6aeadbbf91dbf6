//! A last message that the model is to continue instead of answering it.
//!
//! The template closes every message with its markup, which must not stand behind a text that goes
//! on. So the text is given a tag at its end, the conversation is rendered, and everything from the
//! tag on is cut off: the way of transformers, which works for any template.

use serde_json::Value;

use super::{ChatError, Message, dialect::is_python_space, message::REASONING_FIELDS};

/// The tag; templates that trim a message remove its last space, which tells that they did.
const TAG: &str = "CONTINUE_FINAL_MESSAGE_TAG ";

/// Puts the tag behind a field of the last message and gives the text that was there.
/// `source` is the template, which must read the field.
pub(super) fn tag(
    messages: &mut [Message],
    field: &str,
    source: &str,
) -> Result<String, ChatError> {
    let Some(last) = messages.last_mut() else {
        return Err(problem("there are no messages".to_owned()));
    };
    let Some(continued) = last.get(field).filter(|value| !value.is_null()).cloned() else {
        return Err(problem(format!("it has no field `{field}`")));
    };
    // Reasoning stands under several names; the template reads one of them.
    let fields: Vec<&str> = if REASONING_FIELDS.contains(&field) {
        let holds = |alias: &&str| last.get(alias) == Some(&continued);
        REASONING_FIELDS.into_iter().filter(holds).collect()
    } else {
        vec![field]
    };
    if !fields.iter().any(|field| source.contains(field)) {
        return Err(problem(format!("the template does not read the field `{field}`")));
    }
    let mut text = None;
    for field in fields {
        let last_text = last.get_mut(field).and_then(last_text);
        if let Some(tagged) = last_text {
            text = Some(tagged.clone());
            tagged.push_str(TAG);
        }
    }
    text.ok_or_else(|| problem(format!("its field `{field}` holds no text")))
}

/// A text, or that of the last part that has one.
fn last_text(value: &mut Value) -> Option<&mut String> {
    match value {
        Value::String(text) => Some(text),
        Value::Array(parts) => {
            let text = parts.iter_mut().rev().find_map(|part| part.get_mut("text"))?;
            if let Value::String(text) = text { Some(text) } else { None }
        }
        _ => None,
    }
}

/// Cuts a rendered conversation at the tag.
pub(super) fn cut(mut rendered: String, continued: &str) -> Result<String, ChatError> {
    let at = rendered
        .rfind(TAG.trim_end())
        .filter(|_| rendered.contains(continued.trim_matches(is_python_space)));
    let Some(at) = at else {
        return Err(problem(
            "it does not appear in the rendered conversation; the template leaves out or changes it"
                .to_owned(),
        ));
    };
    let trimmed = !rendered[at..].starts_with(TAG);
    rendered.truncate(at);
    if trimmed {
        rendered.truncate(rendered.trim_end_matches(is_python_space).len());
    }
    Ok(rendered)
}

fn problem(problem: String) -> ChatError {
    ChatError::Continuation { problem }
}
