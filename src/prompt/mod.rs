//! From a sample and its templates to what a model reads.
//!
//! A prompt is built in three steps, each a value: the templates give a [`Prompt`] (plain text, a
//! [`PromptList`] of dialogue turns between section markers, or finished chat [`Message`]s), the
//! in-context examples are inserted into it, and the model's [`Markup`] turns it into one string (a
//! [`MetaTemplate`]) or into messages (an [`ApiTemplate`]) for the checkpoint's own chat template. The
//! behaviour is OpenCompass's and AISBench's, character by character; where their released code
//! contradicts their documents, the documents win: a template's `end` section works, `BOT` turns may
//! stand in `begin`, `fallback_role` also works inside `round`, `prompt_template` may be left out
//! without an `ice_token` as long as no example is retrieved, the multi-turn mode `last` works, and
//! multimodal pieces may stand in the column `question`.
//!
//! Nothing here knows a tokenizer, a retriever or a file.

mod api_template;
mod assembly;
mod body;
mod chat;
mod choices;
mod deep_field;
mod dialogue_mode;
mod error;
mod fill;
mod form;
mod inverse_if_eval;
mod label;
mod markup;
mod message;
mod message_template;
mod meta_template;
mod multi_turn;
mod multimodal;
mod olympiad_bench;
mod piece;
mod prompt_list;
mod roles;
mod template;
mod turn;

pub use api_template::ApiTemplate;
pub use assembly::PromptAssembly;
pub use chat::{Chat, ChatColumns};
pub use dialogue_mode::DialogueMode;
pub use error::PromptError;
pub(crate) use fill::fill;
pub use label::Label;
pub use markup::{Markup, Mode, Rendered};
pub(crate) use message::for_server;
pub use message::{Content, Message};
pub use meta_template::MetaTemplate;
pub use multi_turn::MultiTurn;
pub use multimodal::{Media, MediaKind};
pub(crate) use multimodal::{
    emptied_pieces, marked_pieces, piece_tag, pieces, text_piece, untagged,
};
pub use piece::{Piece, PromptPlace, Source};
pub use prompt_list::{Prompt, PromptItem, PromptList, Section};
pub use template::PromptTemplate;
pub use turn::Turn;

use crate::{
    config::{Component, Node},
    registry::{Registration, Registry},
};

/// Makes a template from its parameters in a config.
pub type Constructor = fn(&Node) -> Result<PromptTemplate, PromptError>;

/// All kinds of templates.
// A kind is a line, however long.
#[rustfmt::skip]
pub const TEMPLATES: Registry<Constructor> = Registry {
    kind: "template type",
    registrations: &[
        Registration::new("choices", &["ChoicesTemplate"], "one text or dialogue for the options that the row itself lists, however many", PromptTemplate::choices),
        Registration::new("fields", &["PromptTemplate"], "a text, rounds of a dialogue, or one for each label, with {fields} of the row", PromptTemplate::from_node),
        Registration::new("inverse_ifeval", &["InverseIFEvalJudgePromptTemplate"], "what a judge is told of a row by the row itself", PromptTemplate::inverse_if_eval),
        Registration::new("messages", &["RawPromptTemplate"], "a list of chat messages with {fields} of the row", PromptTemplate::messages),
        Registration::new("multi_turn", &["MultiTurnPromptTemplate"], "a dialogue with one round for each entry of a row's lists", PromptTemplate::multi_turn),
        Registration::new("multimodal", &["MMPromptTemplate"], "rounds whose texts may hold images, sounds and videos", PromptTemplate::multimodal),
        Registration::new("olympiad_bench", &["OlympiadBenchTemplate"], "OlympiadBench's instruction for a problem, in its language and for its kinds of answers", PromptTemplate::olympiad_bench),
        Registration::new("olympiad_bench_messages", &["OlympiadBenchRawTemplate"], "the same as a chat message", PromptTemplate::olympiad_bench_messages),
    ],
};

/// The template that a config names.
pub fn build(component: &Component) -> Result<PromptTemplate, PromptError> {
    TEMPLATES.get(component)?(&component.params)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_unknown_template_is_compared_with_the_known_ones() {
        let component = Node::from_json(&json!({"type": "RawPromptTemplat", "messages": []}));
        let error = build(&Component::parse(&component).unwrap()).unwrap_err();
        assert!(error.to_string().contains("RawPromptTemplate"), "{error}");
    }
}
