//! The classes of models that a config may name.
//!
//! OpenCompass has a class for each program that can run a model. Here all of them mean a checkpoint on
//! this machine, run by us, and what is left of their difference is how a model is given its prompts.

use crate::registry::{Registration, Registry};

/// How a model is given a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptForm {
    /// As plain text; a `meta_template` is ignored.
    Text,
    /// As text in which a `meta_template`, if there is one, marks who speaks.
    MarkedText,
    /// As messages, which the checkpoint's chat template turns into text.
    Messages,
}

/// All classes.
// A class is a line, however long.
#[rustfmt::skip]
pub const MODEL_CLASSES: Registry<PromptForm> = Registry {
    kind: "model class",
    registrations: &[
        Registration::new("base", &["HuggingFaceBaseModel"], "reads plain text; a meta_template is ignored", PromptForm::Text),
        Registration::new("causal", &["HuggingFaceCausalLM", "HuggingFace", "LmdeployPytorchModel", "TurboMindModel", "VLLM"], "reads text, in which a meta_template marks who speaks", PromptForm::MarkedText),
        Registration::new("chat", &["HuggingFacewithChatTemplate", "TurboMindModelwithChatTemplate", "VLLMwithChatTemplate"], "reads messages, through the checkpoint's chat template", PromptForm::Messages),
    ],
};
