//! Hunyuan: Llama with a norm on every query and key head, after the rotation; with experts, each layer
//! has a mixture of them and one network that every token goes through.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, mixture, rotary};
use crate::model::error::ModelError;
use crate::model::names::{self, ExpertNames, LayerNames, TensorNames};
use crate::model::spec::{
    ExpertsSpec, QueryKeyNorm, QueryKeyNormOrder, QueryKeyNormSpan, RotaryScaling, RouteRule,
    SharedExpertSpec,
};

const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        query_norm: "self_attn.query_layernorm",
        key_norm: "self_attn.key_layernorm",
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

const SINGLE: ExpertNames = ExpertNames {
    router: "mlp.gate.wg",
    shared: ["mlp.shared_mlp.gate_proj", "mlp.shared_mlp.up_proj", "mlp.shared_mlp.down_proj"],
    ..names::SINGLE_EXPERTS
};

const NAMES_WITH_EXPERTS: TensorNames = TensorNames {
    layer: LayerNames {
        experts: &[SINGLE, ExpertNames { storage: names::STACKED_EXPERTS.storage, ..SINGLE }],
        ..NAMES.layer
    },
    ..NAMES
};

const DEFAULTS: Defaults =
    Defaults { vocabulary_size: 290_943, norm_epsilon: 1e-5, ..Defaults::LLAMA };

/// Reads a dense Hunyuan config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::describe_with(config, &DEFAULTS)?.spec;
    let norm = spec.final_norm;
    let theta_factor = theta_factor(config)?;
    for layer in &mut spec.layers {
        if let (Some(rotary), Some(factor)) = (&mut layer.attention.rotary, theta_factor) {
            let size = layer.attention.head_size as f64;
            rotary.theta *= factor.powf(size / (size - 2.0));
            rotary.scaling = RotaryScaling::None;
        }
        layer.attention.query_key_norm = Some(QueryKeyNorm {
            norm,
            span: QueryKeyNormSpan::Head,
            order: QueryKeyNormOrder::AfterRotary,
        });
    }
    Ok(Description { spec, names: NAMES })
}

/// Reads the config of a Hunyuan with experts.
pub(super) fn describe_with_experts(config: &Config) -> Result<Description, ModelError> {
    let config = &config.without(&["mlp_bias"]);
    let mut spec = describe(config)?.spec;
    let count = mixture::same_count(config, "num_experts", 1)?;
    let chosen = mixture::same_count(config, "moe_topk", 1)?;
    if chosen > count {
        return Err(config.expected("moe_topk", "at most the number of experts"));
    }
    for layer in &mut spec.layers {
        let size = layer.feed_forward.size;
        layer.feed_forward.experts = Some(ExpertsSpec {
            shared: Some(SharedExpertSpec { size, weighted: false, bias: false }),
            ..ExpertsSpec::new(count, RouteRule::of_softmax(chosen))
        });
    }
    Ok(Description { spec, names: NAMES_WITH_EXPERTS })
}

/// `alpha`, which under the name of `dynamic` stretches the base of the frequencies once and for
/// all.
fn theta_factor(config: &Config) -> Result<Option<f64>, ModelError> {
    let Some(parameters) = rotary::parameters(config)? else { return Ok(None) };
    let field = if parameters.get("rope_type").is_some() { "rope_type" } else { "type" };
    if parameters.text(field)? != Some("dynamic") {
        return Ok(None);
    }
    Ok(parameters.optional_number("alpha")?.filter(|alpha| *alpha > 0.0))
}
