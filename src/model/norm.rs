//! A norm with its weights.

use std::ops::Range;

use candle_core::Tensor;

use super::error::ModelError;
use super::spec::NormSpec;
use super::timings::{Operation, no_product, timed};
use super::weights::ParameterSource;
use crate::ops::norm::{self, NormRule};

/// A norm whose parameters are loaded.
#[derive(Clone, Debug)]
pub(super) struct Norm {
    spec: NormSpec,
    weight: Option<Tensor>,
    bias: Option<Tensor>,
}

impl Norm {
    /// Takes the parameters of the norm `name` over `size` numbers.
    pub(super) fn load(
        source: &dyn ParameterSource,
        name: &str,
        spec: NormSpec,
        size: usize,
    ) -> Result<Self, ModelError> {
        let (has_weight, has_bias) = match spec {
            NormSpec::Identity => (false, false),
            NormSpec::Rms { .. } => (true, false),
            NormSpec::Layer { weight, bias, .. } => (weight, bias),
        };
        let parameter = |kind: &str| source.parameter(&format!("{name}.{kind}"), &[size]).map(Some);
        let weight = if has_weight { parameter("weight")? } else { None };
        let bias = if has_bias { parameter("bias")? } else { None };
        Self::new(spec, weight, bias)
    }

    /// Takes the parameters of `count` norms over `size` numbers each: the rows of the weight `name`,
    /// or norms of their own below it.
    pub(super) fn load_each(
        source: &dyn ParameterSource,
        name: &str,
        spec: NormSpec,
        count: usize,
        size: usize,
    ) -> Result<Vec<Self>, ModelError> {
        let together = format!("{name}.weight");
        if !source.contains(&together) {
            return (0..count)
                .map(|number| Self::load(source, &format!("{name}.{number}"), spec, size))
                .collect();
        }
        let weights = source.parameter(&together, &[count, size])?;
        (0..count).map(|row| Self::new(spec, Some(weights.get(row)?), None)).collect()
    }

    fn new(
        spec: NormSpec,
        mut weight: Option<Tensor>,
        bias: Option<Tensor>,
    ) -> Result<Self, ModelError> {
        let offset = match spec {
            NormSpec::Identity => 0.0,
            NormSpec::Rms { weight_offset, .. } | NormSpec::Layer { weight_offset, .. } => {
                weight_offset
            }
        };
        if offset != 0.0 {
            weight = weight.map(|weight| weight + offset).transpose()?;
        }
        Ok(Self { spec, weight, bias })
    }

    /// Normalises the last dimension.
    pub(super) fn forward(&self, input: &Tensor) -> candle_core::Result<Tensor> {
        match self.rule() {
            Some(rule) => timed(Operation::Norm, no_product, || norm::norm(input, rule)),
            None => Ok(input.clone()),
        }
    }

    /// Normalises every stretch of `size` of some columns, in place where that is possible.
    pub(super) fn forward_columns(
        &self,
        input: Tensor,
        columns: Range<usize>,
        size: usize,
    ) -> candle_core::Result<Tensor> {
        match self.rule() {
            Some(rule) => timed(Operation::Norm, no_product, || {
                norm::norm_columns(input, columns, size, rule)
            }),
            None => Ok(input),
        }
    }

    fn rule(&self) -> Option<NormRule<'_>> {
        let (centred, epsilon) = match self.spec {
            NormSpec::Identity => return None,
            NormSpec::Rms { epsilon, .. } => (false, epsilon),
            NormSpec::Layer { epsilon, .. } => (true, epsilon),
        };
        let (weight, bias) = (self.weight.as_ref(), self.bias.as_ref());
        Some(NormRule { centred, weight, bias, epsilon })
    }
}
