//! Prompts of models that see a prompt both ways and write what follows it, such as `PaliGemma`: images and one text, then the answer.
//!
//! Their checkpoints have no chat template, and their processor puts the prompt together. A row's answer has the end of sequence behind it, as
//! the processor writes it for training.

use serde_json::Value as Json;

use crate::{
    chat::{self, ChatError},
    model::media::{Medium, MediumKind, Sight},
    prompt::Mode,
};

/// Writes messages: one of the user's, and in [`Mode::Ppl`] the answer to it.
///
/// # Errors
/// There are other messages, the user shows no image, or nothing would be scored.
pub(super) fn written(
    (messages, media): (&[chat::Message], &[Medium]),
    mode: Mode,
    end_of_sequence: &str,
) -> Result<String, ChatError> {
    let refused = |problem: &str| Err(ChatError::Media { problem: problem.to_owned() });
    let roles: Vec<&str> = messages.iter().map(|own| own.role().unwrap_or_default()).collect();
    let (question, answer) = match (messages, &*roles, mode) {
        ([question], ["user"], Mode::Gen) => (question, None),
        ([question, answer], ["user", "assistant"], Mode::Ppl) => (question, Some(answer)),
        ([_], ["user"], Mode::Ppl) => {
            return refused(
                "of this model only what follows its prompt has a surprisal; let each candidate stand in a turn of the role BOT",
            );
        }
        _ => {
            return refused(
                "this model reads one prompt and answers it; give it one turn of the user's, without instructions or examples",
            );
        }
    };
    if media.is_empty() {
        return refused("this model reads an image before its text, and a prompt has none");
    }
    if media.iter().any(|medium| medium.kind != MediumKind::Image) {
        return refused("this model sees images, and no videos or sounds");
    }
    let answer = answer.map(|answer| text(answer) + end_of_sequence);
    let written = Sight::two_way(media, &text(question), answer.as_deref());
    written.map_err(|problem| ChatError::Media { problem })
}

/// The texts of a message, one behind the other.
fn text(message: &chat::Message) -> String {
    match message.get("content") {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Array(parts)) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::media::MediaAddress;

    fn image() -> Medium {
        let address = MediaAddress::parse("a.png").unwrap();
        Medium { kind: MediumKind::Image, address, frames_per_second: None }
    }

    fn user() -> chat::Message {
        let parts = json!([{"type": "text", "text": "caption en"}, {"type": "image"}]);
        chat::Message::new("user", parts)
    }

    #[test]
    fn images_stand_before_the_text_and_the_answer_ends() {
        let written = |messages: &[chat::Message], mode| {
            let text = written((messages, &[image()]), mode, "<eos>").unwrap();
            assert!(Sight::is_marked(&text));
            Sight::unmarked(&text).into_owned()
        };
        assert_eq!(written(&[user()], Mode::Gen), "caption en");
        let answered = [user(), chat::Message::new("assistant", "a cat")];
        assert_eq!(written(&answered, Mode::Ppl), "caption en\na cat<eos>");
    }

    #[test]
    fn what_is_no_prompt_of_such_a_model_is_refused() {
        let sound = Medium { kind: MediumKind::Sound, ..image() };
        let system = chat::Message::new("system", "Look.");
        for (messages, media, mode, wanted) in [
            (vec![user()], vec![], Mode::Gen, "reads an image"),
            (vec![user()], vec![image()], Mode::Ppl, "role BOT"),
            (vec![system, user()], vec![image()], Mode::Gen, "one turn"),
            (vec![user()], vec![sound], Mode::Gen, "no videos or sounds"),
        ] {
            let problem = written((&messages, &media), mode, "<eos>").unwrap_err().to_string();
            assert!(problem.contains(wanted), "{problem}");
        }
    }
}
