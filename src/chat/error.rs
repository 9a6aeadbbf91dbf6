//! What can be wrong with a chat template, said to the person who uses it.

use std::{io, path::PathBuf};

use minijinja::ErrorKind;

/// Why a conversation could not be written as text.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// The template is not one.
    #[error("{}: {problem}", place(template, *line))]
    Syntax {
        /// The template's name.
        template: String,
        /// Line in the template, from 1.
        line: Option<usize>,
        /// What the template says wrongly.
        problem: String,
    },
    /// A message has an image, a video or a sound that the model is not given.
    #[error("{problem}")]
    Media {
        /// Why, or what is wrong with it.
        problem: String,
    },
    /// The template itself refuses this conversation, with `raise_exception`.
    #[error("{}: the template refuses this conversation: {message}", place(template, *line))]
    Refused {
        /// The template's name.
        template: String,
        /// Line in the template, from 1.
        line: Option<usize>,
        /// The template's own words.
        message: String,
    },
    /// The template does something with the conversation that cannot be done.
    #[error("{}: {problem}; the template may not be made for such messages", place(template, *line))]
    Render {
        /// The template's name.
        template: String,
        /// Line in the template, from 1.
        line: Option<usize>,
        /// What it does.
        problem: String,
    },
    /// The template costs too much.
    #[error("{}: stopped, because {limit}", place(template, *line))]
    Limit {
        /// The template's name.
        template: String,
        /// Line in the template, from 1.
        line: Option<usize>,
        /// The limit that was reached.
        limit: String,
    },
    /// The last message cannot be continued.
    #[error("the last message cannot be continued: {problem}")]
    Continuation {
        /// What stands against it.
        problem: String,
    },
    /// A message is not one.
    #[error("message {index}: expected an object with a role, found {found}")]
    NotAMessage {
        /// Its index in the conversation, from 0.
        index: usize,
        /// What is there, as JSON.
        found: String,
    },
    /// A value is no conversation.
    #[error(
        "expected a list of messages, or an object with such a list under `messages`, found {found}"
    )]
    NotAConversation {
        /// What is there, shortened.
        found: String,
    },
    /// An argument of the rendering has another type.
    #[error("`{name}` must be {expected}, found {found}")]
    Argument {
        /// Its name.
        name: String,
        /// What it must be.
        expected: &'static str,
        /// What is there, shortened.
        found: String,
    },
    /// Where the assistant's text stands cannot be told.
    #[error(
        "chat template `{template}` does not mark what the assistant says, and of message {index} it cannot be told: \
         {problem}; put {{% generation %}} and {{% endgeneration %}} around it in a template of your own"
    )]
    Unmarked {
        /// The template's name.
        template: String,
        /// The message's index in the conversation, from 0.
        index: usize,
        /// What stands against it.
        problem: String,
    },
    /// What the user wrote is no template.
    #[error(
        "{written:?} is neither a file nor a chat template, which would have tags such as {{{{ }}}} in it"
    )]
    NotATemplate {
        /// As it was written.
        written: String,
    },
    /// The checkpoint has several templates and none of them is the default.
    #[error(
        "the checkpoint has several chat templates and none is named `default`; choose one of {}",
        available.join(", ")
    )]
    NoDefault {
        /// The names there are.
        available: Vec<String>,
    },
    /// There is no template of that name.
    #[error("there is no chat template named `{name}`; {}", known(available))]
    UnknownTemplate {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        available: Vec<String>,
    },
    /// The file system refused.
    #[error("cannot read the chat template {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file does not hold what its name promises.
    #[error("{}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What was expected.
        problem: String,
    },
}

/// The words of a template's `raise_exception`, inside the engine's error.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Refusal(pub(super) String);

impl ChatError {
    /// Understands an error of the template engine.
    pub(super) fn from_engine(template: &str, error: &minijinja::Error) -> Self {
        let (template, line) = (template.to_owned(), error.line());
        if let Some(Refusal(message)) = refusal(error) {
            return Self::Refused { template, line, message: message.clone() };
        }
        let detail = || error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
        match error.kind() {
            ErrorKind::SyntaxError | ErrorKind::BadEscape => {
                Self::Syntax { template, line, problem: detail() }
            }
            ErrorKind::OutOfFuel => {
                let limit = error.detail().unwrap_or("it runs too many instructions").to_owned();
                Self::Limit { template, line, limit }
            }
            kind => {
                let problem =
                    error.detail().map_or(kind.to_string(), |detail| format!("{kind}: {detail}"));
                Self::Render { template, line, problem }
            }
        }
    }
}

/// The refusal at the bottom of an error, however many macros it came through.
fn refusal(error: &minijinja::Error) -> Option<&Refusal> {
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        if let Some(refusal) = error.downcast_ref() {
            return Some(refusal);
        }
        source = error.source();
    }
    None
}

fn place(template: &str, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("chat template `{template}`, line {line}"),
        None => format!("chat template `{template}`"),
    }
}

fn known(names: &[String]) -> String {
    match names {
        [] => "the checkpoint has none".to_owned(),
        names => format!("the checkpoint has {}", names.join(", ")),
    }
}

/// The beginning of a value, for messages.
pub(super) fn shortened(value: &serde_json::Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
