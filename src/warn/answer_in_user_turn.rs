//! Chat models that are asked for the surprisal of what the user says.
//!
//! A plain text is one message of the user for a chat model. If the candidates are plain texts, the answer
//! stands in the user's turn, and what is compared is how likely a user is to say it.

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};
use crate::prompt::{Label, Markup, Message, Mode, Prompt, Rendered};

/// Who answers.
const ASSISTANT: &str = "assistant";

/// Compares the messages of two candidates. Roles are the template's, so one sample speaks for all.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let mut candidates = asked.candidates();
    let (Some(first), Some(second)) = (candidates.next(), candidates.next()) else {
        return Vec::new();
    };
    let (Some(left), Some(right)) = (&first.label, &second.label) else { return Vec::new() };
    if !matches!(subject.markup, Markup::Chat(_)) || first.text == second.text {
        return Vec::new();
    }
    let differ = || {
        let messages = |label| messages(subject, asked, label);
        messages(left)
            .zip(messages(right))
            .is_some_and(|(left, right)| differ_as_user(&left, &right))
    };
    if !*subject.answers_as_user.get_or_init(differ) {
        return Vec::new();
    }
    let message = "the model is a chat model, and the candidates differ in what the user says: the answer is not in the \
                   assistant's turn; write the template as a dialogue whose BOT turn is the answer, \
                   dict(round=[dict(role='HUMAN', prompt='…'), dict(role='BOT', prompt='A')]), or run it as a \
                   HuggingFaceCausalLM";
    vec![Finding::new(message)]
}

fn messages(subject: &Subject<'_>, asked: &Asked<'_>, label: &Label) -> Option<Vec<Message>> {
    let no_examples = Prompt::Text(String::new());
    let prompt = subject.task.assembly.candidate(asked.row, &no_examples, label, false).ok()?;
    match subject.markup.rendered(&prompt, Mode::Ppl).ok()? {
        Rendered::Messages(messages) => Some(messages),
        Rendered::Text(_) => None,
    }
}

/// Whether the first message that is not the same is somebody else's than the assistant's.
fn differ_as_user(left: &[Message], right: &[Message]) -> bool {
    let same = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let differing = left.get(same).or(right.get(same));
    differing.is_some_and(|message| message.role != ASSISTANT)
}
