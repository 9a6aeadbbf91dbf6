//! OpenCompass's classes of models that stand for a local model.
//!
//! Which library a class would use means nothing here: the engine runs them all. What remains of a class
//! is how it gives a model its prompts.

use crate::config::{ConfigError, Origin, unknown_name};

/// How a class gives a model its prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PromptForm {
    /// A dialogue is text whose turns are lines; a `meta_template` is not read.
    Lines,
    /// Text that the `meta_template` writes, or lines without one.
    MetaTemplate,
    /// Messages, written by the checkpoint's chat template.
    Messages,
}

/// A class and what it means.
struct ModelClass {
    name: &'static str,
    form: PromptForm,
}

/// All classes, sorted by name.
const MODEL_CLASSES: &[ModelClass] = &[
    // transformers, the class of OpenCompass 0.2: float16, any template.
    ModelClass { name: "HuggingFace", form: PromptForm::MetaTemplate },
    // transformers, a model that was not tuned to follow instructions.
    ModelClass { name: "HuggingFaceBaseModel", form: PromptForm::Lines },
    // transformers, `AutoModelForCausalLM` instead of `AutoModel`.
    ModelClass { name: "HuggingFaceCausalLM", form: PromptForm::MetaTemplate },
    // transformers, a model that was tuned.
    ModelClass { name: "HuggingFacewithChatTemplate", form: PromptForm::Messages },
    // lmdeploy's engine in PyTorch.
    ModelClass { name: "LmdeployPytorchModel", form: PromptForm::MetaTemplate },
    // lmdeploy's engine in C++.
    ModelClass { name: "TurboMindModel", form: PromptForm::MetaTemplate },
    // The same with the checkpoint's chat template.
    ModelClass { name: "TurboMindModelwithChatTemplate", form: PromptForm::Messages },
    // vLLM.
    ModelClass { name: "VLLM", form: PromptForm::MetaTemplate },
    // The same with the checkpoint's chat template.
    ModelClass { name: "VLLMwithChatTemplate", form: PromptForm::Messages },
];

/// How a class gives prompts; an error for one that is no local model.
pub(super) fn prompt_form(class: &str, origin: &Origin) -> Result<PromptForm, ConfigError> {
    let known = MODEL_CLASSES.iter().find(|known| known.name == class);
    known.map(|known| known.form).ok_or_else(|| {
        let names = MODEL_CLASSES.iter().map(|known| known.name);
        unknown_name("model type", class, names, origin)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(MODEL_CLASSES.is_sorted_by_key(|class| class.name));
    }
}
