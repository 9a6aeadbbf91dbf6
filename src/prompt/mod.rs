//! From a sample and its templates to the text a model reads.
//!
//! A prompt is built in three steps, each a value: the templates give a [`Prompt`] (plain text, or a
//! [`PromptList`] of dialogue turns between section markers), the in-context examples are inserted
//! into it, and the model's [`MetaTemplate`] turns the list into one string. The behaviour is
//! OpenCompass's, character by character; where its released code contradicts its documents, the
//! documents win: a template's `end` section works, `BOT` turns may stand in `begin`, `fallback_role`
//! also works inside `round`, and `prompt_template` may be left out without an `ice_token` as long as
//! no example is retrieved.
//!
//! Nothing here knows a tokenizer, a retriever or a file.

mod assembly;
mod fill;
mod label;
mod markup;
mod meta_template;
mod prompt_list;
mod template;
mod turn;

pub use assembly::PromptAssembly;
pub use label::Label;
pub use markup::{Markup, Mode};
pub use meta_template::MetaTemplate;
pub use prompt_list::{Prompt, PromptItem, PromptList, Section};
pub use template::PromptTemplate;
pub use turn::Turn;

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
}
