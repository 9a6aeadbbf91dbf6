//! Conversations as the text a chat model was trained on.
//!
//! A checkpoint brings its own way of writing messages down, the *chat template*: a small program in
//! Jinja2. [`checkpoint_templates`] finds it, [`TemplateSet::choose`] picks and compiles one, and
//! [`ChatTemplate::render`] writes [`Message`]s with it, to the byte as transformers would, because a
//! model is only as good as its markup is right. A rendered text holds its special tokens,
//! so it is encoded without adding any. Where a template marks what the assistant says,
//! [`Rendered::assistant_spans`] tells where that stands.
//!
//! Templates are programs from strangers. They see their arguments and nothing else, and limits
//! bounds what they cost; any of their failures is a [`ChatError`] that names the template's line.
//!
//! Nothing here knows a tokenizer or a benchmark, and only `source` reads files.

mod assistant_text;
mod continuation;
mod dialect;
mod error;
mod limits;
mod message;
mod options;
mod source;
mod template;
mod template_set;

pub use error::ChatError;
pub use message::Message;
pub use options::RenderOptions;
pub use source::{checkpoint_templates, read_template};
pub use template::{ChatTemplate, Rendered};
pub use template_set::{ChosenTemplate, TemplateChoice, TemplateSet};
