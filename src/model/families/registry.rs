//! Which families there are.
//!
//! The line of a family holds everything that is said of it as a whole, so that what
//! `surprisal models` lists is what can be read.

use serde::Serialize;

use super::{Config, Description};
use crate::model::error::ModelError;

/// Reads a checkpoint's config.
type Describe = fn(&Config) -> Result<Description, ModelError>;

/// A family that can be evaluated.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Family {
    /// Its `model_type` in `config.json`.
    pub model_type: &'static str,
    /// Its class in transformers, as `architectures` names it.
    pub architecture: &'static str,
    /// What is special about it, in a few words.
    pub traits: &'static str,
    #[serde(skip)]
    pub(super) describe: Describe,
}

const fn family(
    model_type: &'static str,
    architecture: &'static str,
    traits: &'static str,
    describe: Describe,
) -> Family {
    Family { model_type, architecture, traits, describe }
}

/// Every supported family, sorted by `model_type`.
// A family is a line, however long.
#[rustfmt::skip]
pub const FAMILIES: &[Family] = &[
    family("apertus", "ApertusForCausalLM", "llama with norms on heads, a plain feed-forward of xIELU", super::apertus::describe),
    family("arcee", "ArceeForCausalLM", "llama with a plain feed-forward of squared ReLU", super::arcee::describe),
    family("biogpt", "BioGptForCausalLM", "scaled embedding, learned positions, layer norms, biases", super::biogpt::describe),
    family("bloom", "BloomForCausalLM", "ALiBi, norm on the embedding, biases", super::bloom::describe),
    family("codegen", "CodeGenForCausalLM", "GPT-J with fused projections", super::codegen::describe),
    family("cohere", "CohereForCausalLM", "parallel branches, layer norm, scaled logits", super::cohere::describe),
    family("cohere2", "Cohere2ForCausalLM", "cohere with windows, and layers without positions", super::cohere2::describe),
    family("cwm", "CwmForCausalLM", "llama with windows in three of four layers", super::cwm::describe),
    family("deepseek_v2", "DeepseekV2ForCausalLM", "latent attention, experts with shared ones", super::deepseek::describe_2),
    family("deepseek_v3", "DeepseekV3ForCausalLM", "latent attention, experts chosen by corrected sigmoids in groups", super::deepseek::describe_3),
    family("dots1", "Dots1ForCausalLM", "qwen3's attention, deepseek_v3's experts", super::dots1::describe),
    family("ernie4_5", "Ernie4_5ForCausalLM", "rotates neighbours", super::ernie4_5::describe),
    family("ernie4_5_moe", "Ernie4_5_MoeForCausalLM", "ernie4_5 with experts chosen with a correction", super::ernie4_5_moe::describe),
    family("exaone4", "Exaone4ForCausalLM", "norms after branches and on heads, windows, layers without positions", super::exaone4::describe),
    family("exaone_moe", "ExaoneMoeForCausalLM", "exaone4's attention, deepseek_v3's experts", super::exaone_moe::describe),
    family("falcon", "FalconForCausalLM", "fused projections, parallel branches, rotary or ALiBi", super::falcon::describe),
    family("flex_olmo", "FlexOlmoForCausalLM", "olmo2 with experts in every layer", super::flex_olmo::describe),
    family("gemma", "GemmaForCausalLM", "scaled embedding, norms offset by one, tanh GELU", super::gemma::describe),
    family("gemma2", "Gemma2ForCausalLM", "norms around branches, soft caps, every other layer a window", super::gemma::describe_2),
    family("gemma3", "Gemma3ForConditionalGeneration", "the language model of one that also sees; as gemma3_text", super::gemma3::describe_with_vision),
    family("gemma3_text", "Gemma3ForCausalLM", "norms around branches and on heads, windows with own positions", super::gemma3::describe),
    family("glm", "GlmForCausalLM", "half of each head rotated, neighbours together", super::glm4::describe_first),
    family("glm4", "Glm4ForCausalLM", "norms around branches, half of each head rotated", super::glm4::describe),
    family("glm4_moe", "Glm4MoeForCausalLM", "partly rotated heads, deepseek_v3's experts", super::glm4_moe::describe),
    family("glm4_moe_lite", "Glm4MoeLiteForCausalLM", "deepseek_v3 in other sizes", super::glm4_moe_lite::describe),
    family("gpt2", "GPT2LMHeadModel", "learned positions, layer norms, plain feed-forward", super::gpt2::describe),
    family("gpt_bigcode", "GPTBigCodeForCausalLM", "learned positions, one key and value head", super::gpt_bigcode::describe),
    family("gpt_neo", "GPTNeoForCausalLM", "learned positions, scores without a factor, every other layer a window", super::gpt_neo::describe),
    family("gpt_neox", "GPTNeoXForCausalLM", "layer norms, partly rotated heads, parallel branches", super::gpt_neox::describe),
    family("gpt_oss", "GptOssForCausalLM", "experts with a clamped gate, attention sinks, windows", super::gpt_oss::describe),
    family("gptj", "GPTJForCausalLM", "parallel branches on one layer norm, rotates neighbours", super::gptj::describe),
    family("granite", "GraniteForCausalLM", "factors on embedding, scores, branches and logits", super::granite::describe),
    family("granitemoe", "GraniteMoeForCausalLM", "granite with experts", super::granite_moe::describe),
    family("granitemoeshared", "GraniteMoeSharedForCausalLM", "granitemoe with a shared expert", super::granite_moe::describe_with_shared),
    family("helium", "HeliumForCausalLM", "llama that rotates neighbours", super::helium::describe),
    family("hunyuan_v1_dense", "HunYuanDenseV1ForCausalLM", "norm on heads after the rotation", super::hunyuan::describe),
    family("hunyuan_v1_moe", "HunYuanMoEV1ForCausalLM", "hunyuan_v1_dense with experts", super::hunyuan::describe_with_experts),
    family("hyperclovax", "HyperCLOVAXForCausalLM", "granite with norms on branches, logits multiplied", super::hyperclovax::describe),
    family("internlm3", "InternLM3ForCausalLM", "biases on query, key and value by separate switches", super::internlm3::describe),
    family("jais2", "Jais2ForCausalLM", "layer norms, squared ReLU, biases everywhere", super::jais2::describe),
    family("llama", "LlamaForCausalLM", "grouped heads, RMS norms, gated feed-forward", super::llama::describe),
    family("minimax_m2", "MiniMaxM2ForCausalLM", "norms on whole queries and keys, experts chosen by corrected sigmoids", super::minimax_m2::describe),
    family("ministral", "MinistralForCausalLM", "mistral with windows layer by layer", super::ministral::describe),
    family("ministral3", "Ministral3ForCausalLM", "mistral with YaRN, queries that grow beyond the original context", super::ministral3::describe),
    family("mistral", "MistralForCausalLM", "window on every layer, if the config has one", super::mistral::describe),
    family("mistral3", "Mistral3ForConditionalGeneration", "the language model of one that also sees; mistral or ministral3", super::mistral3::describe),
    family("mixtral", "MixtralForCausalLM", "experts, two of eight for a token", super::mixtral::describe),
    family("mpt", "MptForCausalLM", "ALiBi, layer norms without bias", super::mpt::describe),
    family("nemotron", "NemotronForCausalLM", "layer norms offset by one, squared ReLU", super::nemotron::describe),
    family("olmo", "OlmoForCausalLM", "layer norms without weights, clipped projections", super::olmo::describe),
    family("olmo2", "Olmo2ForCausalLM", "norms after branches and on whole queries and keys", super::olmo2::describe),
    family("olmo3", "Olmo3ForCausalLM", "olmo2 with windows on three of four layers", super::olmo3::describe),
    family("olmoe", "OlmoeForCausalLM", "norms on whole queries and keys, experts", super::olmoe::describe),
    family("opt", "OPTForCausalLM", "learned positions, ReLU, norms before or after branches", super::opt::describe),
    family("persimmon", "PersimmonForCausalLM", "layer norms, norms on partly rotated heads, squared ReLU, biases", super::persimmon::describe),
    family("phi", "PhiForCausalLM", "parallel branches on one layer norm, biases", super::phi::describe),
    family("phi3", "Phi3ForCausalLM", "fused projections, window, LongRoPE", super::phi3::describe),
    family("phimoe", "PhimoeForCausalLM", "layer norms, biases, experts weighed against those near them", super::phimoe::describe),
    family("qwen2", "Qwen2ForCausalLM", "biases on query, key and value", super::qwen2::describe),
    family("qwen2_5_vl", "Qwen2_5_VLForConditionalGeneration", "the language model of one that also sees; a qwen2", super::qwen2_vl::describe),
    family("qwen2_moe", "Qwen2MoeForCausalLM", "experts with a weighted shared one", super::qwen2_moe::describe),
    family("qwen2_vl", "Qwen2VLForConditionalGeneration", "the language model of one that also sees; a qwen2", super::qwen2_vl::describe),
    family("qwen3", "Qwen3ForCausalLM", "norm on every query and key head", super::qwen3::describe),
    family("qwen3_moe", "Qwen3MoeForCausalLM", "qwen3 with experts", super::qwen3_moe::describe),
    family("qwen3_vl", "Qwen3VLForConditionalGeneration", "the language model of one that also sees; a qwen3", super::qwen3_vl::describe),
    family("seed_oss", "SeedOssForCausalLM", "biases of attention by separate switches", super::seed_oss::describe),
    family("smollm3", "SmolLM3ForCausalLM", "layers without positions", super::smollm3::describe),
    family("solar_open", "SolarOpenForCausalLM", "llama with deepseek_v3's experts", super::solar_open::describe),
    family("stablelm", "StableLmForCausalLM", "layer norms, partly rotated heads", super::stablelm::describe),
    family("starcoder2", "Starcoder2ForCausalLM", "layer norms, plain feed-forward, biases, window", super::starcoder2::describe),
    family("vaultgemma", "VaultGemmaForCausalLM", "gemma2 without norms after branches", super::gemma::describe_vault),
    family("xglm", "XGLMForCausalLM", "scaled embedding, positions as sines and cosines, layer norms, biases", super::xglm::describe),
    family("youtu", "YoutuForCausalLM", "deepseek_v3's attention, no experts", super::youtu::describe),
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_registry_is_sorted() {
        assert!(FAMILIES.is_sorted_by_key(|family| family.model_type));
    }

    #[test]
    fn the_registry_names_the_class_of_every_fixture_and_the_traits_of_every_family() {
        for family in FAMILIES {
            assert!(!family.traits.is_empty() && family.traits.is_ascii(), "{family:?}");
            let same = |other: &&Family| other.architecture == family.architecture;
            assert_eq!(FAMILIES.iter().filter(same).count(), 1, "{family:?}");
        }
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models");
        for folder in std::fs::read_dir(fixtures).unwrap() {
            let config = std::fs::read(folder.unwrap().path().join("config.json")).unwrap();
            let config: Value = serde_json::from_slice(&config).unwrap();
            let is_it = |family: &&Family| config["model_type"] == family.model_type;
            let family = FAMILIES.iter().find(is_it).unwrap();
            assert_eq!(config["architectures"], json!([family.architecture]));
        }
    }
}
