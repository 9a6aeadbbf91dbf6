//! The feed-forward branch of a layer with many experts.
//!
//! Rows are sorted by expert, each expert maps its rows as a network of its own would, and the
//! results are added up expert after expert. A checkpoint stores an expert's projections by
//! themselves or stacked with the others'; either way they are kept as separate weights.

use candle_core::{Result, Tensor};

use super::error::ModelError;
use super::feed_forward::FeedForward;
use super::names::{ExpertNames, ExpertStorage, LayerNames};
use super::projection::Projection;
use super::spec::{ExpertsSpec, FeedForwardSpec, RouteRule};
use super::stacked_map::StackedMap;
use super::timings::{Operation, no_product, timed};
use super::weights::ParameterSource;
use crate::ops::experts::{self, ExpertSum, GroupedExperts, add_by_sigmoid, gather};
use crate::ops::host;
use crate::ops::linear::Residual;

/// Experts whose parameters are loaded.
#[derive(Clone, Debug)]
pub(super) struct Experts {
    rule: RouteRule,
    router: Projection,
    correction: Option<Vec<f32>>,
    networks: Vec<FeedForward>,
    /// The same networks, where a GPU computes them all at once.
    grouped: Option<GroupedExperts>,
    shared: Option<SharedExpert>,
}

/// The expert that every row goes through.
#[derive(Clone, Debug)]
struct SharedExpert {
    network: FeedForward,
    /// Gives the logit of its weight.
    weight: Option<Projection>,
}

/// Where one layer's experts are read from, and what they are.
struct Stored<'a> {
    source: &'a dyn ParameterSource,
    /// What stands before the layer's names.
    prefix: &'a str,
    names: &'a LayerNames,
    experts: &'a ExpertNames,
    spec: &'a FeedForwardSpec,
    count: usize,
    hidden_size: usize,
    /// Biases of stacked gates and ups, and of stacked downs, `(experts, outputs)`.
    biases: Option<[Tensor; 2]>,
}

impl Experts {
    /// Takes the parameters below `prefix`. `network` says what each expert computes.
    pub(super) fn load(
        source: &dyn ParameterSource,
        prefix: &str,
        names: &LayerNames,
        network: &FeedForwardSpec,
        spec: &ExpertsSpec,
        hidden_size: usize,
    ) -> std::result::Result<Self, ModelError> {
        let count = spec.count;
        let found = names.experts.iter().find(|names| is_spelling(source, prefix, names));
        let Some(experts) = found.or(names.experts.first()) else {
            return Err(ModelError::Tensor(candle_core::Error::msg("experts without a name")));
        };
        let router = format!("{prefix}.{}", experts.router);
        let router = Projection::load(source, &router, hidden_size, count, spec.router_bias)?;
        let correction = if spec.correction {
            let correction = format!("{prefix}.{}", experts.correction);
            let shape: &[usize] = if experts.correction_is_row { &[1, count] } else { &[count] };
            let correction = source.parameter(&correction, shape)?;
            Some(host::read(&correction, <[f32]>::to_vec)?)
        } else {
            None
        };
        let shared = match spec.shared {
            None => None,
            Some(shared) => {
                let [gate, up, down] = experts.shared;
                let names =
                    LayerNames { fused_gate_up: experts.shared_gate_up, gate, up, down, ..*names };
                let network = FeedForwardSpec {
                    size: shared.size,
                    bias: shared.bias,
                    experts: None,
                    ..network.clone()
                };
                let weight = if shared.weighted {
                    let name = format!("{prefix}.{}", experts.shared_weight);
                    Some(Projection::load(source, &name, hidden_size, 1, false)?)
                } else {
                    None
                };
                let network = FeedForward::load(source, prefix, &names, &network, hidden_size)?;
                Some(SharedExpert { network, weight })
            }
        };
        let biases = stacked_biases(source, prefix, experts, network, (count, hidden_size))?;
        let stored =
            Stored { source, prefix, names, experts, spec: network, count, hidden_size, biases };
        let networks = (0..count)
            .map(|expert| stored.expert(expert))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let grouped = grouped(&networks)?;
        Ok(Self { rule: spec.route, router, correction, networks, grouped, shared })
    }

    /// Sends every row to its experts, and adds the result to `residual`.
    pub(super) fn forward(
        &self,
        hidden: &Tensor,
        residual: Option<Residual<'_>>,
    ) -> Result<Tensor> {
        let Self { rule, router, correction, .. } = self;
        let count = hidden.dim(0)?;
        let flops = || router.flops(count);
        let logits = timed(Operation::Route, flops, || router.forward(hidden, None))?;
        // What a shared expert gives comes before the stream.
        let own_residual = residual.filter(|_| self.shared.is_none());
        let together = match &self.grouped {
            None => None,
            Some(grouped) => timed(
                Operation::GateUp,
                || self.networks.first().map_or(0.0, |one| one.flops(count * rule.chosen)),
                || grouped.forward(hidden, &logits, correction.as_deref(), rule, own_residual),
            )?,
        };
        let sum = match together {
            Some(sum) if self.shared.is_none() => return Ok(sum),
            Some(sum) => sum,
            None => self.one_by_one(hidden, &logits)?,
        };
        let sum = match &self.shared {
            Some(shared) => shared.add(sum, hidden)?,
            None => sum,
        };
        match residual {
            None => Ok(sum),
            Some(residual) => timed(Operation::Route, no_product, || residual.add(sum)),
        }
    }

    /// The weighted sum of what the experts of each row give, expert after expert.
    fn one_by_one(&self, hidden: &Tensor, logits: &Tensor) -> Result<Tensor> {
        let route = timed(Operation::Route, no_product, || {
            experts::route(logits, self.correction.as_deref(), &self.rule)
        })?;
        let mut sum = ExpertSum::new(hidden)?;
        for (network, (rows, weights)) in self.networks.iter().zip(&route.experts) {
            if !rows.is_empty() {
                let sent = timed(Operation::Route, no_product, || gather(hidden, rows))?;
                let output = network.forward(&sent, None)?;
                timed(Operation::Route, no_product, || sum.add(&output, rows, weights))?;
            }
        }
        timed(Operation::Route, no_product, || sum.finish())
    }
}

/// The maps of all networks, if they are computed at once.
fn grouped(networks: &[FeedForward]) -> Result<Option<GroupedExperts>> {
    let mut maps = (Vec::new(), Vec::new());
    let mut activation = None;
    for network in networks {
        let Some((gate_up, down, own)) = network.joined() else { return Ok(None) };
        maps.0.push((&gate_up.weight, gate_up.bias.as_ref()));
        maps.1.push((&down.weight, down.bias.as_ref()));
        activation = Some(own);
    }
    match activation {
        Some(activation) => GroupedExperts::new(&maps.0, &maps.1, activation),
        None => Ok(None),
    }
}

impl SharedExpert {
    fn add(&self, sum: Tensor, hidden: &Tensor) -> Result<Tensor> {
        let Some(weight) = &self.weight else {
            let residual = Residual { is_spent: true, ..Residual::of(&sum) };
            return self.network.forward(hidden, Some(residual));
        };
        let output = self.network.forward(hidden, None)?;
        let count = hidden.dim(0)?;
        timed(
            Operation::Route,
            || weight.flops(count),
            || add_by_sigmoid(sum, &output, &weight.forward(hidden, None)?),
        )
    }
}

/// Whether a checkpoint spells its experts this way.
fn is_spelling(source: &dyn ParameterSource, prefix: &str, names: &ExpertNames) -> bool {
    let experts = names.experts;
    let first = match names.storage {
        ExpertStorage::Single([_, _, down]) => format!("{experts}.0.{down}.weight"),
        ExpertStorage::Apart([_, _, down]) => format!("{down}.weight"),
        ExpertStorage::Stacked([_, down]) | ExpertStorage::StackedInTurn([_, down]) => {
            format!("{experts}.{down}")
        }
    };
    source.contains(&format!("{prefix}.{}.weight", names.router))
        && source.contains(&format!("{prefix}.{first}"))
}

/// Takes the biases of stacked experts, if they have some.
fn stacked_biases(
    source: &dyn ParameterSource,
    prefix: &str,
    names: &ExpertNames,
    spec: &FeedForwardSpec,
    (count, hidden_size): (usize, usize),
) -> std::result::Result<Option<[Tensor; 2]>, ModelError> {
    let (ExpertStorage::Stacked([gate_up, down]) | ExpertStorage::StackedInTurn([gate_up, down])) =
        names.storage
    else {
        return Ok(None);
    };
    if !spec.bias {
        return Ok(None);
    }
    let biases = |name: &str, output_size: usize| {
        let name = format!("{prefix}.{}.{name}_bias", names.experts);
        source.parameter(&name, &[count, output_size])
    };
    Ok(Some([biases(gate_up, 2 * spec.size)?, biases(down, hidden_size)?]))
}

impl Stored<'_> {
    fn expert(&self, expert: usize) -> std::result::Result<FeedForward, ModelError> {
        let Self { source, spec, hidden_size, .. } = *self;
        let prefix = format!("{}.{}", self.prefix, self.experts.experts);
        let (in_turn, [gate_up, down_name]) = match self.experts.storage {
            ExpertStorage::Single([gate, up, down]) => {
                let names = LayerNames { fused_gate_up: None, gate, up, down, ..*self.names };
                let prefix = format!("{prefix}.{expert}");
                return FeedForward::load(source, &prefix, &names, spec, hidden_size);
            }
            ExpertStorage::Apart(names) => return self.apart(expert, names),
            ExpertStorage::Stacked(names) => (false, names),
            ExpertStorage::StackedInTurn(names) => (true, names),
        };
        let size = spec.size;
        let both = StackedMap {
            maps: self.count,
            map: expert,
            input_size: hidden_size,
            output_size: 2 * size,
            inputs_first: in_turn,
            first: 0,
            step: if in_turn { 2 } else { 1 },
            count: size,
        };
        let other = StackedMap { first: if in_turn { 1 } else { size }, ..both };
        let name = format!("{prefix}.{gate_up}");
        let [both_biases, down_biases] = match &self.biases {
            Some([both, down]) => [Some(both), Some(down)],
            None => [None, None],
        };
        let gate = self.stacked(&name, both, both_biases)?;
        let up = self.stacked(&name, other, both_biases)?;
        let down = StackedMap {
            input_size: size,
            output_size: hidden_size,
            step: 1,
            count: hidden_size,
            ..both
        };
        let down = self.stacked(&format!("{prefix}.{down_name}"), down, down_biases)?;
        Ok(FeedForward::gated(spec.activation, gate, up, down)?)
    }

    /// An expert whose projections are each stacked with those of the others.
    fn apart(
        &self,
        expert: usize,
        names: [&str; 3],
    ) -> std::result::Result<FeedForward, ModelError> {
        let (size, hidden_size) = (self.spec.size, self.hidden_size);
        let projection = |name: &str, input_size: usize, output_size: usize| {
            let map = StackedMap {
                maps: self.count,
                map: expert,
                input_size,
                output_size,
                inputs_first: false,
                first: 0,
                step: 1,
                count: output_size,
            };
            self.stacked(&format!("{}.{name}.weight", self.prefix), map, None)
        };
        let [gate, up, down] = names;
        let gate = projection(gate, hidden_size, size)?;
        let up = projection(up, hidden_size, size)?;
        let down = projection(down, size, hidden_size)?;
        Ok(FeedForward::gated(self.spec.activation, gate, up, down)?)
    }

    /// One projection out of a stack; `biases` are those of the whole stack.
    fn stacked(
        &self,
        name: &str,
        map: StackedMap,
        biases: Option<&Tensor>,
    ) -> std::result::Result<Projection, ModelError> {
        let weight = self.source.stacked_weight(name, map)?;
        let bias = match biases {
            None => None,
            Some(biases) => {
                let outputs: Vec<u32> = (map.first..map.output_size)
                    .step_by(map.step)
                    .take(map.count)
                    .map(|output| output as u32)
                    .collect();
                let outputs = Tensor::new(outputs, biases.device())?;
                Some(biases.get(map.map)?.contiguous()?.index_select(&outputs, 0)?)
            }
        };
        Ok(Projection { weight, bias })
    }
}
