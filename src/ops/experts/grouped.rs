//! All experts of a layer at once, on a GPU that keeps to itself which rows go where.
//!
//! Elsewhere, and where experts differ in type, every expert maps its rows as a network of its own would.

use candle_core::{Result, Tensor};

use super::RouteRule;
use crate::ops::activation::Activation;
use crate::ops::linear::{Residual, Weight};

/// The maps of all experts of a layer, where one launch computes each of them.
#[derive(Clone, Debug)]
pub struct GroupedExperts {
    #[cfg(feature = "cuda")]
    maps: [crate::ops::cuda::ExpertMap; 2],
    activation: Activation,
}

/// A map and its bias.
pub type BiasedWeight<'a> = (&'a Weight, Option<&'a Tensor>);

impl GroupedExperts {
    /// Of every expert its gates and ups, one below the other, and its downs. `None` where they are to be computed one
    /// by one.
    pub fn new(
        gate_ups: &[BiasedWeight<'_>],
        downs: &[BiasedWeight<'_>],
        activation: Activation,
    ) -> Result<Option<Self>> {
        #[cfg(feature = "cuda")]
        if let (Some(gate_ups), Some(downs)) = (expert_map(gate_ups)?, expert_map(downs)?) {
            return Ok(Some(Self { maps: [gate_ups, downs], activation }));
        }
        let _ = (gate_ups, downs, activation);
        Ok(None)
    }

    /// Sends every row of `hidden` to the experts that its logits choose ([`route`](super::route)) and adds the
    /// weighted sum of what they give to `residual`.
    ///
    /// `None` where rows are not routed on the device.
    pub fn forward(
        &self,
        hidden: &Tensor,
        logits: &Tensor,
        correction: Option<&[f32]>,
        rule: &RouteRule,
        residual: Option<Residual<'_>>,
    ) -> Result<Option<Tensor>> {
        #[cfg(feature = "cuda")]
        if logits.device().is_cuda() && super::route::has_kernel(rule) && logits.dim(0)? > 0 {
            let [gate_ups, downs] = &self.maps;
            let groups = super::route::checked_groups(logits, correction, rule)?;
            let routed = crate::ops::cuda::Routed::new(logits, correction, groups, rule)?;
            let both = routed.send(hidden, gate_ups)?;
            let size = both.dim(1)? / 2;
            let (gate, up) = (both.narrow(1, 0, size)?, both.narrow(1, size, size)?);
            let inner = crate::ops::activation::gated_activation(&gate, &up, self.activation)?;
            return routed.collect(&inner, downs, residual).map(Some);
        }
        let _ = (hidden, logits, correction, rule, residual, self.activation);
        Ok(None)
    }
}

/// The same map of all experts, if a GPU has all of them as numbers of one type.
#[cfg(feature = "cuda")]
fn expert_map(maps: &[BiasedWeight<'_>]) -> Result<Option<crate::ops::cuda::ExpertMap>> {
    use crate::ops::linear::Matrix;
    let mut weights = Vec::with_capacity(maps.len());
    let mut biases = Vec::new();
    for (weight, bias) in maps {
        let Matrix::Plain(matrix) = &weight.matrix else { return Ok(None) };
        if !matrix.device().is_cuda() {
            return Ok(None);
        }
        weights.push(matrix.clone());
        biases.extend(bias.cloned());
    }
    if !biases.is_empty() && biases.len() != weights.len() {
        return Ok(None);
    }
    let biases = (!biases.is_empty()).then_some(biases);
    crate::ops::cuda::ExpertMap::new(weights, biases)
}
