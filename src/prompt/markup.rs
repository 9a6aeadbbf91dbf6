//! How a model is given a dialogue.

use super::{MetaTemplate, Prompt, PromptError};

/// What the prompt is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It is continued: the text ends where the generating role of the last round begins.
    Gen,
    /// It is scored: everything is written out.
    Ppl,
}

/// The last step from a prompt to text, which belongs to the model and not to the data set.
#[derive(Clone, Debug)]
pub enum Markup {
    /// No markup: the texts, a line each.
    Lines,
    /// A `meta_template`.
    Meta(Box<MetaTemplate>),
}

impl Markup {
    /// The text that the model reads.
    pub fn render(&self, prompt: &Prompt, mode: Mode) -> Result<String, PromptError> {
        match self {
            Self::Lines => Ok(lines(prompt)),
            Self::Meta(meta) => meta.render(prompt, mode),
        }
    }
}

/// The text for a model without a meta template: the non-empty texts of a dialogue, a line each,
/// including what the answering role says. An empty first item still counts as a line.
fn lines(prompt: &Prompt) -> String {
    match prompt {
        Prompt::Text(text) => text.clone(),
        Prompt::List(list) => {
            let mut joined = String::new();
            for (index, text) in list.texts().enumerate() {
                if !text.is_empty() {
                    if index > 0 {
                        joined.push('\n');
                    }
                    joined.push_str(text);
                }
            }
            joined
        }
    }
}
