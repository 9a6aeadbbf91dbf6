//! Conversations as the text a chat model was trained on.
//!
//! A checkpoint brings its own way of writing messages down, the *chat template*: a small program in
//! Jinja2. [`checkpoint_templates`] finds it, [`TemplateSet::choose`] picks and compiles one, and
//! [`ChatTemplate::render`] writes [`Message`]s with it, to the byte as transformers would, because a
//! model is only as good as its markup is right. A rendered text holds its special tokens,
//! so it is encoded without adding any. Where a template marks what the assistant says,
//! [`Rendered::assistant_spans`] tells where that stands; [`ChatTemplate::assistant_turns`] also finds it
//! where a template does not.
//!
//! Templates are programs from strangers. They see their arguments and nothing else, and limits
//! bounds what they cost; any of their failures is a [`ChatError`] that names the template's line.
//!
//! Nothing here knows a tokenizer or a benchmark, and only `source` reads files.

mod assistant_text;
mod assistant_turns;
mod continuation;
mod conversation;
mod dialect;
mod error;
mod limits;
mod message;
mod options;
mod row_template;
mod source;
mod template;
mod template_set;
mod text_parts;

pub use assistant_turns::{AssistantTurns, MarkedBy};
pub use conversation::Conversation;
pub use error::ChatError;
pub use message::Message;
pub use options::RenderOptions;
pub use row_template::RowTemplate;
pub use source::{checkpoint_templates, own_template};
pub use template::{ChatTemplate, Rendered};
pub use template_set::{ChosenTemplate, NamedTemplate, TemplateChoice, TemplateSet};
