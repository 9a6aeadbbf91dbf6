//! Why a prompt could not be built.

use super::{Label, MediaKind};
use crate::config::{ConfigError, Origin};

/// Why a prompt cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// The template itself is unusable, whatever the sample.
    #[error("{origin}: {what}")]
    Template {
        /// Where the template is written.
        origin: Origin,
        /// What is wrong and what to do.
        what: String,
    },
    /// A field of the config has the wrong shape.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A label template has no entry for a label that the data holds.
    #[error("no template for label {label}; the template has {known}")]
    UnknownLabel {
        /// The label that was asked for.
        label: Label,
        /// The labels there are, joined by commas.
        known: String,
    },
    /// A dialogue without empty replies, or with others.
    #[error(
        "multiround=True fills the empty assistant messages of a RawPromptTemplate, and {what}; leave the replies empty \
         or multiround out"
    )]
    Slots {
        /// What is wrong.
        what: &'static str,
    },
    /// Dialogue turns were to be inserted into a place that only holds text.
    #[error(
        "the in-context examples are dialogue turns, but the ice_token {token:?} stands inside the \
         text {text:?}; give it an item of its own (begin='{token}') or write the ice_template as a string"
    )]
    DialogueIntoText {
        /// The placeholder.
        token: String,
        /// The text that holds it.
        text: String,
    },
    /// The checkpoint's chat template refuses the conversation.
    #[error(transparent)]
    Chat(Box<dyn std::error::Error + Send + Sync>),
    /// Both templates are missing.
    #[error("infer_cfg has neither a prompt_template nor an ice_template; one is needed")]
    NoTemplate,
    /// There are examples to insert, and no place for them.
    #[error(
        "{template} has no ice_token, so in-context examples have no place; add ice_token='</E>' and put </E> into it"
    )]
    NoIceToken {
        /// Which of the two templates.
        template: &'static str,
    },
    /// Examples were retrieved without a template for them.
    #[error(
        "{count} in-context examples were retrieved, but infer_cfg has no ice_template to write them with"
    )]
    NoIceTemplate {
        /// How many.
        count: usize,
    },
    /// A turn speaks in a role that the meta template does not know.
    #[error(
        "role {role:?} of the template is not in the model's meta_template (it has {known}) and has no usable \
         fallback_role; add the role or a fallback_role"
    )]
    UnknownRole {
        /// The role.
        role: String,
        /// The roles there are.
        known: String,
    },
    /// In-context turns inside a `round`, which a meta template cannot place.
    #[error(
        "in-context examples stand inside `round`; with a meta_template they belong into `begin`"
    )]
    NestedSection,
    /// A turn without a role meets a meta template.
    #[error("a turn of the template has no role: {text:?}")]
    NoRole {
        /// Its text.
        text: String,
    },
    /// Chat messages were to be inserted into a template of another kind.
    #[error(
        "the in-context examples are chat messages, but the prompt_template is not; write both as \
         RawPromptTemplate, or neither"
    )]
    MessagesIntoTemplate,
    /// Examples of another kind were to be inserted between chat messages.
    #[error(
        "the prompt_template is a RawPromptTemplate, but the in-context examples are no chat messages; \
         write the ice_template as a RawPromptTemplate too"
    )]
    IntoMessages,
    /// A template of this kind cannot do what is asked of it.
    #[error("{origin}: a {kind} cannot write {what}; use a PromptTemplate for that")]
    Unsupported {
        /// Where the template is written.
        origin: Origin,
        /// OpenCompass's name of the kind of template.
        kind: &'static str,
        /// What was asked.
        what: &'static str,
    },
    /// A column that the template reads is not there, or holds something else.
    #[error(
        "the {kind} reads the column {column:?}, which must be {expected}; the sample has {found}"
    )]
    Column {
        /// OpenCompass's name of the kind of template.
        kind: &'static str,
        /// The column.
        column: String,
        /// What it must hold.
        expected: &'static str,
        /// What it holds.
        found: String,
    },
    /// The options of a row do not make up candidates.
    #[error("the options of the sample cannot be asked about: it has {what}")]
    Choices {
        /// What the row has.
        what: String,
    },
    /// A piece of multimodal content has no place in `prompt_mm`.
    #[error(
        "the row has a piece of the kind {name}, and the template's prompt_mm shows none: it needs the entry {name}={entry}",
        name = .kind.name(),
        entry = .kind.entry()
    )]
    NoMediaPlace {
        /// The piece's kind.
        kind: MediaKind,
    },
    /// A role of a chat meta template lacks its name in the messages.
    #[error("role {role:?} speaks in the prompt, but the meta_template gives it no api_role")]
    NoApiRole {
        /// The role.
        role: String,
    },
    /// A role that chat templates do not know.
    #[error(
        "the api_role {role:?} has no place in a chat; use HUMAN, BOT or SYSTEM (or user, assistant, system)"
    )]
    UnknownApiRole {
        /// The role.
        role: String,
    },
    /// A role says nothing in a multimodal dialogue.
    #[error(
        "role {role:?} of the meta_template says nothing between two multimodal turns; give it a turn, or \
         write what surrounds it as one turn"
    )]
    SilentRole {
        /// The role.
        role: String,
    },
    /// Nothing is said before the model is to speak.
    #[error("nobody says anything before the model is to answer; the template needs a HUMAN turn")]
    EmptyDialogue,
    /// A list of messages is the model's `meta_template`, but the prompt is a dialogue of roles.
    #[error(
        "the model's meta_template is a list of messages, which only fits a RawPromptTemplate; for a dialogue \
         template write dict(round=[dict(role='HUMAN', api_role='HUMAN'), dict(role='BOT', api_role='BOT', generate=True)])"
    )]
    MessagesForDialogue,
    /// A prompt without answers to ask for was given to a multi-turn dialogue.
    #[error("the prompt has no round with a BOT turn, so there is no answer to ask for")]
    NoAnswer,
    /// The columns of a sample do not make up a chat.
    #[error("no chat can be made of the sample: {what}")]
    NoChat {
        /// What is wrong and what to do.
        what: String,
    },
    /// A text model is given a message with images or sound.
    #[error(
        "a message of the role {role:?} holds more than text, which only a chat model is given: name it in the config, \
         models=[dict(type=HuggingFacewithChatTemplate, path=…)]"
    )]
    NotText {
        /// Who says it.
        role: String,
    },
    /// Nobody answers in a chat.
    #[error("the model's meta_template has no role BOT, which is to answer the chat")]
    NoAnswerer,
    /// Text was asked of a model that reads messages.
    #[error("this model is given chat messages, not text")]
    ChatOnly,
    /// The assistant's text was asked for of a model without a chat template.
    #[error("assistant_only needs a model with a chat template; use HuggingFacewithChatTemplate")]
    NotChat,
}
