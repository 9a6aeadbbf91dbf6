//! Which files of a checkpoint are read.

use serde::Serialize;

use super::adapter::{ADAPTER_CONFIG_FILE, TENSORS_FILE};
use super::checkpoint::CONFIG_FILE;
use super::weights::{INDEX_FILE, SINGLE_FILE};

/// Files of a checkpoint that hold one thing together.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FileKind {
    /// Their names.
    pub files: &'static [&'static str],
    /// What they hold, and what of it is understood.
    pub content: &'static str,
}

/// Everything that is read, in the order in which a reader meets it.
pub const FILE_KINDS: &[FileKind] = &[
    FileKind {
        files: &[CONFIG_FILE],
        content: "family and sizes, as transformers 4 or 5 writes it",
    },
    FileKind {
        files: &[SINGLE_FILE],
        content: "weights in F32, F16, BF16, or E4M3 with scales (FP8)",
    },
    FileKind { files: &[INDEX_FILE], content: "the same in several files" },
    FileKind {
        files: &[ADAPTER_CONFIG_FILE, TENSORS_FILE],
        content: "PEFT's LoRA, rsLoRA or DoRA, merged into its base in F32",
    },
    FileKind {
        files: &["*.gguf"],
        content: "a whole model: sizes, weights (F32, F16, BF16, Q4_0 to Q8_1, Q2_K to Q8_K), tokenizer, chat templates",
    },
    FileKind {
        files: &["tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"],
        content: "the tokenizer and what transformers lays on top",
    },
    FileKind {
        files: &["tokenizer.model"],
        content: "sentencepiece, where tokenizer.json is missing",
    },
    FileKind {
        files: &["chat_template.jinja", "additional_chat_templates/*.jinja", "chat_template.json"],
        content: "chat templates, before those of tokenizer_config.json",
    },
    FileKind { files: &["generation_config.json"], content: "tokens that end a generation" },
];
