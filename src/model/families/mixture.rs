//! Mixtures of experts as `config.json` describes them.

use serde_json::Value;

use super::config::Config;
use crate::model::error::ModelError;
use crate::model::spec::{
    DecoderSpec, ExpertsSpec, FeedForwardSpec, GroupScore, RouteGroups, RouteRule, RouteScore,
    SharedExpertSpec,
};

/// The fields that families count their experts in. Configs of one family use more than one.
const COUNT_FIELDS: [&str; 3] = ["num_local_experts", "num_experts", "n_routed_experts"];

/// Guards the division by the sum of weights.
const LEAST_WEIGHT_SUM: f32 = 1e-20;

/// Experts of a layer, and those that a token goes to.
pub(super) fn sizes(
    config: &Config,
    default_count: usize,
    default_chosen: usize,
) -> Result<(usize, usize), ModelError> {
    let field = COUNT_FIELDS.into_iter().find(|field| config.get(field).is_some());
    let count = field.map_or(Ok(default_count), |field| config.count(field))?;
    let chosen = config.count_or("num_experts_per_tok", default_chosen)?;
    if chosen > count {
        return Err(config.expected("num_experts_per_tok", "at most the number of experts"));
    }
    Ok((count, chosen))
}

/// A positive number that may be listed for every layer, if it is the same in all of them.
pub(super) fn same_count(
    config: &Config,
    field: &str,
    default: usize,
) -> Result<usize, ModelError> {
    let Some(listed) = config.get(field).and_then(Value::as_array) else {
        return config.count_or(field, default);
    };
    match listed.split_first() {
        Some((first, rest)) if rest.iter().all(|other| other == first) => {
            config.with(field, first.clone()).count(field)
        }
        _ => Err(config.unsupported(field)),
    }
}

/// What a family with the experts of `DeepSeek` 3 assumes where its config is silent.
pub(super) struct GroupDefaults {
    /// Experts of a layer.
    pub(super) count: usize,
    /// Those that a token goes to.
    pub(super) chosen: usize,
    /// Groups of experts.
    pub(super) groups: usize,
    /// Those that experts are chosen from.
    pub(super) chosen_groups: usize,
    /// The weights of the chosen add up to `scale`.
    pub(super) renormalised: bool,
    /// Factor on the weights.
    pub(super) scale: f64,
    /// Width of an expert.
    pub(super) size: usize,
    /// How many experts every token goes through.
    pub(super) shared: usize,
    /// How many layers, the first ones, have a single network.
    pub(super) dense_layers: usize,
}

/// Gives layers the experts of `DeepSeek` 3 (DeepSeek-AI 2024): scored by sigmoids, chosen from the
/// best groups with a correction.
pub(super) fn apply_grouped(
    config: &Config,
    spec: &mut DecoderSpec,
    defaults: &GroupDefaults,
) -> Result<(), ModelError> {
    let (count, chosen) = sizes(config, defaults.count, defaults.chosen)?;
    let groups = RouteGroups {
        count: config.count_or("n_group", defaults.groups)?,
        chosen: config.count_or("topk_group", defaults.chosen_groups)?,
        score: GroupScore::BestTwo,
    };
    let route = RouteRule {
        chosen,
        score: RouteScore::Sigmoid,
        groups: Some(groups),
        renormalised: config
            .flag_or("norm_topk_prob", defaults.renormalised)?
            .then_some(LEAST_WEIGHT_SUM),
        scale: config.number_or("routed_scaling_factor", defaults.scale)? as f32,
    };
    let experts = ExpertsSpec { correction: true, ..ExpertsSpec::new(count, route) };
    let size = config.count_or("moe_intermediate_size", defaults.size)?;
    apply_after_dense(config, spec, experts, size, (defaults.shared, defaults.dense_layers))
}

/// Gives experts of width `size` to all layers but the first few.
///
/// `defaults` are how many experts are shared and how many layers have none.
pub(super) fn apply_after_dense(
    config: &Config,
    spec: &mut DecoderSpec,
    experts: ExpertsSpec,
    size: usize,
    (shared, dense_layers): (usize, usize),
) -> Result<(), ModelError> {
    if config.count_or("moe_layer_freq", 1)? != 1 {
        return Err(config.unsupported("moe_layer_freq"));
    }
    check_groups(config, &experts)?;
    let shared = SharedExpertSpec {
        size: size * config.count_or("n_shared_experts", shared)?,
        weighted: false,
        bias: spec.layers.iter().any(|layer| layer.feed_forward.bias),
    };
    let experts = ExpertsSpec { shared: Some(shared), ..experts };
    let dense_layers = config.count_or_zero("first_k_dense_replace", dense_layers)?;
    let kinds = config.texts("mlp_layer_types")?;
    if kinds.as_ref().is_some_and(|kinds| kinds.len() != spec.layers.len()) {
        return Err(config.expected("mlp_layer_types", "one entry per layer"));
    }
    for (number, layer) in spec.layers.iter_mut().enumerate() {
        let sparse = match kinds.as_ref().and_then(|kinds| kinds.get(number)) {
            None => number >= dense_layers,
            Some(&"sparse") => true,
            Some(&"dense") => false,
            Some(_) => return Err(config.unsupported("mlp_layer_types")),
        };
        if !sparse {
            continue;
        }
        // Only networks that every token goes through have biases.
        let network = FeedForwardSpec { bias: false, ..layer.feed_forward.clone() };
        layer.feed_forward = FeedForwardSpec { size, experts: Some(experts), ..network };
    }
    Ok(())
}

fn check_groups(config: &Config, experts: &ExpertsSpec) -> Result<(), ModelError> {
    let ExpertsSpec { count, route, .. } = experts;
    let Some(groups) = route.groups else { return Ok(()) };
    let least_size = match groups.score {
        GroupScore::Best => 1,
        GroupScore::BestTwo => 2,
    };
    if !count.is_multiple_of(groups.count) || count / groups.count < least_size {
        return Err(config.expected("n_group", "such that it divides the experts evenly"));
    }
    if groups.chosen > groups.count {
        return Err(config.expected("topk_group", "at most `n_group`"));
    }
    if route.chosen > groups.chosen * (count / groups.count) {
        return Err(config.expected("num_experts_per_tok", "at most the experts of `topk_group`"));
    }
    Ok(())
}
