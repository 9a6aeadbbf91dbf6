//! Language models: one decoder, described by data.
//!
//! [`Checkpoint::open`] reads and checks a folder in Hugging Face layout or a GGUF file; [`Checkpoint::load`]
//! turns it into a [`Model`]: a decoder, a tokenizer and the authors' defaults for generation. A
//! family of models is a file in [`families`] that maps its `config.json` to a
//! [`spec::DecoderSpec`]; a checkpoint that asks for something a spec cannot say is refused, never
//! approximated.
//!
//! [`EncoderCheckpoint`] is a sentence encoder: it gives a text's vector instead of surprisals.
//!
//! A low-rank adapter is opened like a checkpoint and merged into its base. [`hub`](crate::hub) finds checkpoints
//! that are no folders, and data sets too.
//!
//! Nothing here knows how requests are batched; that is the engine's.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a checkpoint is a folder of files"
)]

mod adapter;
mod alibi;
pub mod architectures;
mod attention_layer;
pub mod audio;
mod checkpoint;
mod checkpoint_folder;
mod decoder;
mod device;
mod encoder;
mod error;
mod experts;
pub mod families;
mod feed_forward;
mod file_kind;
mod fp8_scheme;
mod generation_config;
pub mod gguf;
mod inventory;
mod json;
mod kv_store;
mod latent;
mod layer;
mod layer_split;
mod local_files;
pub mod media;
pub mod names;
mod norm;
mod placeholders;
mod projection;
mod query_key_norms;
mod read_rows;
pub mod rope;
mod rotary_table;
mod rows;
mod sinusoids;
mod span_attention;
pub mod spec;
mod stacked_map;
mod stored_file;
mod stored_matrix;
mod survey;
mod synthetic;
pub mod timings;
mod tokenizer;
mod two_way_attention;
mod two_way_block;
pub mod vision;
mod weights;

pub use checkpoint::{Checkpoint, Model};
pub use checkpoint_folder::checkpoints_in;
pub use decoder::Decoder;
pub use device::{DeviceName, free_memory_bytes};
pub use encoder::{ENCODER_NUMERICS, EncoderCheckpoint, SentenceEncoder};
pub use error::ModelError;
pub use file_kind::{FILE_KINDS, FileKind};
pub use generation_config::GenerationConfig;
pub use kv_store::KvStore;
pub use layer_split::{LayerSplit, ModelBytes};
pub use local_files::LocalFiles;
pub use rows::{GivenRows, Rows, Run, Segment};
pub use survey::{ModelSize, Survey};
pub use synthetic::{SyntheticShape, UnknownShape};
pub use tokenizer::{
    SharedText, TokenSpan, Tokenizer, TokenizerFacts, TokenizerSettings, TruncationSide,
};
pub use weights::StoredType;

pub use crate::ops::linear::Activations;
