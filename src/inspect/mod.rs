//! What there is to know about a checkpoint before its weights are read.

mod architecture;

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value};

pub use self::architecture::ArchitectureLine;
use crate::{
    chat::checkpoint_templates,
    engine::{EngineOptions, MemoryEstimate},
    hub::DownloadProgress,
    model::{
        GenerationConfig, StoredType, Survey, Tokenizer, TokenizerFacts,
        spec::{DecoderSpec, FeedForwardSpec},
    },
};

/// A checkpoint in facts, as far as it can be read.
#[derive(Debug, Serialize)]
pub struct Inspection {
    /// As the user called it.
    pub model: String,
    /// Its folder; with an adapter, that of the base.
    pub folder: Option<PathBuf>,
    /// The config of the adapter that changes it.
    pub adapter_config: Option<PathBuf>,
    /// `model_type` of its config.
    pub model_type: Option<String>,
    /// `architectures` of its config.
    pub architectures: Vec<String>,
    /// The decoder's main sizes.
    pub sizes: Option<DecoderSizes>,
    /// The decoder in words.
    pub decoder: Vec<ArchitectureLine>,
    /// Numbers it has learned.
    pub parameters: Option<ParameterCount>,
    /// What its tensors take in the files.
    pub stored: Vec<StoredType>,
    /// Memory on the CPU.
    pub memory: Option<InspectedMemory>,
    /// Its tokenizer.
    pub tokenizer: Option<TokenizerFacts>,
    /// Its chat templates.
    pub chat_templates: Vec<FoundTemplate>,
    /// What its authors set for generation.
    pub generation: Option<GenerationFacts>,
    /// Why it cannot be run.
    pub problems: Vec<String>,
}

/// The sizes that most people look for.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DecoderSizes {
    /// Layers.
    pub layers: usize,
    /// Width of the residual stream.
    pub hidden_size: usize,
    /// Query heads of the first layer.
    pub heads: usize,
    /// Key and value heads of the first layer.
    pub key_value_heads: usize,
    /// Width of a head of the first layer.
    pub head_size: usize,
    /// Width of the feed-forward of the first layer, or of each of its experts.
    pub feed_forward_size: usize,
    /// Rows of the embedding.
    pub vocabulary_size: usize,
    /// Longest sequence the model was made for.
    pub context_tokens: usize,
    /// The longest sequence that positions are not stretched for, if there is a difference.
    pub native_context_tokens: Option<usize>,
}

/// How many numbers a model has learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ParameterCount {
    /// All; a head that is the embedding is counted once.
    pub total: usize,
    /// Those that one token goes through.
    pub active: usize,
}

/// Memory on the CPU, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct InspectedMemory {
    /// Its parameters.
    pub weight_bytes: usize,
    /// Keys and values of a thousand tokens.
    pub kv_bytes_per_1000_tokens: usize,
    /// What a forward pass holds at once, the head included.
    pub pass_bytes: usize,
    /// Rows of such a pass.
    pub pass_rows: usize,
}

/// A chat template of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundTemplate {
    /// Its name.
    pub name: String,
    /// The file it is in.
    pub file: Option<PathBuf>,
}

/// What a checkpoint's authors set for generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GenerationFacts {
    /// Tokens that end a generation: their ids and texts.
    pub ends_at: Vec<(u32, Option<String>)>,
    /// What else they wrote; it has no effect here.
    pub suggested: Map<String, Value>,
}

/// Looks at the checkpoint that `name` means: a folder, an adapter's folder, a GGUF file, or a
/// name on the hub. Only headers are read.
pub fn inspect(name: &str, progress: &dyn DownloadProgress) -> Inspection {
    let survey = Survey::of(name, progress);
    let mut problems: Vec<String> = survey.problems.iter().map(ToString::to_string).collect();
    let tokenizer = survey.tokenizer.as_ref().and_then(|tokenizer| {
        tokenizer.facts().map_err(|error| problems.push(error.to_string())).ok()
    });
    let chat_templates = templates(&survey).unwrap_or_else(|error| {
        problems.push(error);
        Vec::new()
    });
    let spec = survey.spec.as_ref();
    Inspection {
        model: name.to_owned(),
        parameters: survey.size.zip(spec).map(|(size, spec)| ParameterCount {
            total: size.parameters,
            active: size.parameters.saturating_sub(idle_parameters(spec)),
        }),
        memory: survey.size.zip(spec).map(|(size, spec)| memory(spec, size.weight_bytes)),
        sizes: spec.and_then(sizes),
        decoder: spec.map(architecture::architecture).unwrap_or_default(),
        generation: survey
            .generation
            .as_ref()
            .map(|generation| generation_facts(generation, survey.tokenizer.as_ref())),
        folder: survey.folder,
        adapter_config: survey.adapter_config,
        model_type: survey.model_type,
        architectures: survey.architectures,
        stored: survey.stored_types,
        tokenizer,
        chat_templates,
        problems,
    }
}

fn sizes(spec: &DecoderSpec) -> Option<DecoderSizes> {
    let first = spec.layers.first()?;
    Some(DecoderSizes {
        layers: spec.layers.len(),
        hidden_size: spec.hidden_size,
        heads: first.attention.heads,
        key_value_heads: first.attention.key_value_heads,
        head_size: first.attention.head_size,
        feed_forward_size: first.feed_forward.size,
        vocabulary_size: spec.vocabulary_size,
        context_tokens: spec.context_tokens,
        native_context_tokens: spec.native_context_tokens(),
    })
}

/// Parameters of experts that a token does not go through.
fn idle_parameters(spec: &DecoderSpec) -> usize {
    let idle = |network: &FeedForwardSpec| {
        let Some(experts) = network.experts else { return 0 };
        let inner_maps = if network.gated { 2 } else { 1 };
        let weights = (inner_maps + 1) * spec.hidden_size * network.size;
        let biases = inner_maps * network.size + spec.hidden_size;
        let each = weights + if network.bias { biases } else { 0 };
        experts.count.saturating_sub(experts.route.chosen) * each
    };
    spec.layers.iter().map(|layer| idle(&layer.feed_forward)).sum()
}

/// The engine's own estimate.
fn memory(spec: &DecoderSpec, weight_bytes: usize) -> InspectedMemory {
    let options = EngineOptions::default();
    let working = MemoryEstimate::new(spec, &options, 0, options.batch_tokens);
    InspectedMemory {
        weight_bytes,
        kv_bytes_per_1000_tokens: 1000 * working.kv_bytes_per_token,
        pass_bytes: working.activation_bytes + working.head_bytes,
        pass_rows: options.batch_tokens,
    }
}

fn templates(survey: &Survey) -> Result<Vec<FoundTemplate>, String> {
    let Some(folder) = &survey.folder else { return Ok(Vec::new()) };
    let settings = survey.tokenizer.as_ref().map(Tokenizer::settings);
    let known = settings.map_or(&[][..], |settings| &settings.chat_templates);
    let templates = checkpoint_templates(folder, known).map_err(|error| error.to_string())?;
    let found = templates.names().map(|name| FoundTemplate {
        name: name.to_owned(),
        file: templates.get(name).and_then(|template| template.file.clone()),
    });
    Ok(found.collect())
}

fn generation_facts(
    generation: &GenerationConfig,
    tokenizer: Option<&Tokenizer>,
) -> GenerationFacts {
    let text = |id: u32| tokenizer.and_then(|tokenizer| tokenizer.token(id));
    GenerationFacts {
        ends_at: generation.eos_ids.iter().map(|&id| (id, text(id))).collect(),
        suggested: generation.suggested.clone(),
    }
}
