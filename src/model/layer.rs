//! One layer: two branches around the residual stream.

use candle_core::{Result, Tensor};

use super::attention_layer::AttentionLayer;
use super::error::ModelError;
use super::experts::Experts;
use super::feed_forward::FeedForward;
use super::names::LayerNames;
use super::norm::Norm;
use super::read_rows::ReadRows;
use super::rows::Rows;
use super::spec::{LayerSpec, NormSpec};
use super::weights::ParameterSource;
use crate::ops::kv::KvLayer;
use crate::ops::linear::Residual;
use crate::ops::rotary::Angles;

/// A layer whose parameters are loaded.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    attention: AttentionLayer,
    feed_forward: FeedForwardBranch,
    before_attention: Option<Norm>,
    after_attention: Option<Norm>,
    before_feed_forward: Option<Norm>,
    after_feed_forward: Option<Norm>,
    parallel: bool,
    residual_scale: Option<f64>,
    norms_after_sum: bool,
    adds_to_normed: bool,
}

/// One network or many.
#[derive(Clone, Debug)]
enum FeedForwardBranch {
    One(FeedForward),
    Experts(Box<Experts>),
}

impl Layer {
    /// Takes the parameters below `prefix`.
    pub(super) fn load(
        source: &dyn ParameterSource,
        prefix: &str,
        names: &LayerNames,
        spec: &LayerSpec,
        hidden_size: usize,
    ) -> std::result::Result<Self, ModelError> {
        let norm = |name: &str, spec: Option<NormSpec>| {
            spec.map(|spec| Norm::load(source, &format!("{prefix}.{name}"), spec, hidden_size))
                .transpose()
        };
        let network = &spec.feed_forward;
        let feed_forward = match &network.experts {
            None => FeedForwardBranch::One(FeedForward::load(
                source,
                prefix,
                names,
                network,
                hidden_size,
            )?),
            Some(experts) => FeedForwardBranch::Experts(Box::new(Experts::load(
                source,
                prefix,
                names,
                network,
                experts,
                hidden_size,
            )?)),
        };
        Ok(Self {
            before_attention: norm(names.before_attention, spec.norms.before_attention)?,
            after_attention: norm(names.after_attention, spec.norms.after_attention)?,
            before_feed_forward: norm(names.before_feed_forward, spec.norms.before_feed_forward)?,
            after_feed_forward: norm(names.after_feed_forward, spec.norms.after_feed_forward)?,
            attention: AttentionLayer::load(source, prefix, names, &spec.attention, hidden_size)?,
            feed_forward,
            parallel: spec.parallel,
            residual_scale: spec.residual_scale,
            norms_after_sum: spec.norms_after_sum,
            adds_to_normed: spec.adds_to_normed,
        })
    }

    /// Adds both branches to the residual stream, which must not be read elsewhere: it may be added to where it lies.
    /// Arguments as [`AttentionLayer::forward`]; where not all rows are read, the others are left out.
    pub(super) fn forward(
        &self,
        stream: &Tensor,
        rows: &Rows<'_>,
        read: Option<&ReadRows>,
        angles: Option<&Angles<'_>>,
        kv_layer: &mut KvLayer,
    ) -> Result<Tensor> {
        let all_normed = apply(self.before_attention.as_ref(), stream)?;
        let of_all = |all: &Tensor| read.map_or_else(|| Ok(all.clone()), |read| read.read(all));
        let (stream, normed) = (&of_all(stream)?, of_all(&all_normed)?);
        let stream = if self.adds_to_normed { &normed } else { stream };
        // Branches side by side read the same stream, or its norm.
        let is_spent = !self.parallel;
        let branch_norm = self.after_attention.as_ref();
        let after_attention = self.add((stream, is_spent), branch_norm, |residual| {
            self.attention.forward(&all_normed, residual, (rows, read), angles, kv_layer)
        })?;
        let normed = match (self.parallel, &self.before_feed_forward) {
            (false, norm) => apply(norm.as_ref(), &after_attention)?,
            (true, Some(norm)) => norm.forward(stream)?,
            (true, None) => normed,
        };
        let stream = if self.adds_to_normed { &normed } else { &after_attention };
        self.add((stream, true), self.after_feed_forward.as_ref(), |residual| {
            match &self.feed_forward {
                FeedForwardBranch::One(network) => network.forward(&normed, residual),
                FeedForwardBranch::Experts(experts) => experts.forward(&normed, residual),
            }
        })
    }

    /// Adds a branch to the stream, within its last map unless a norm comes between; and whether nobody reads the
    /// stream once the branch has.
    fn add(
        &self,
        (stream, is_spent): (&Tensor, bool),
        norm: Option<&Norm>,
        branch: impl FnOnce(Option<Residual<'_>>) -> Result<Tensor>,
    ) -> Result<Tensor> {
        let residual = Residual { stream, scale: self.residual_scale, is_spent };
        match norm {
            None => branch(Some(residual)),
            Some(norm) if self.norms_after_sum => norm.forward(&branch(Some(residual))?),
            Some(norm) => residual.add(norm.forward(&branch(None)?)?),
        }
    }
}

fn apply(norm: Option<&Norm>, input: &Tensor) -> Result<Tensor> {
    norm.map_or_else(|| Ok(input.clone()), |norm| norm.forward(input))
}
