//! What makes rows of the decoder's width of a tower's: the patches of a token side by side, two linear maps, GELU between them.

use candle_core::{Result, Tensor};

use super::patch_sizes::PatchSizes;
use crate::model::error::ModelError;
use crate::model::norm::Norm;
use crate::model::projection::Projection;
use crate::model::spec::NormSpec;
use crate::model::weights::ParameterSource;
use crate::ops::activation::Activation;

/// What a merger computes.
#[derive(Clone, Copy, Debug)]
pub(super) struct MergerSpec {
    /// Width of a patch.
    pub(super) hidden_size: usize,
    /// Patches of a token.
    pub(super) patches_of_token: usize,
    /// Width of a token.
    pub(super) output_size: usize,
    /// The norm of what comes.
    pub(super) norm: NormSpec,
    /// It is a norm of all patches of a token together, instead of one of each.
    pub(super) norms_tokens: bool,
}

/// Where its parameters are.
#[derive(Clone, Copy, Debug)]
pub(super) struct MergerNames {
    pub(super) norm: &'static str,
    pub(super) first: &'static str,
    pub(super) second: &'static str,
}

/// A merger whose parameters are loaded.
#[derive(Clone, Debug)]
pub(super) struct PatchMerger {
    spec: MergerSpec,
    norm: Norm,
    first: Projection,
    second: Projection,
}

impl PatchMerger {
    /// Takes the parameters whose names begin with `prefix`.
    pub(super) fn load(
        source: &dyn ParameterSource,
        prefix: &str,
        names: &MergerNames,
        spec: MergerSpec,
    ) -> std::result::Result<Self, ModelError> {
        let joined = spec.joined_size();
        let place = |name: &str| format!("{prefix}{name}");
        let normed = if spec.norms_tokens { joined } else { spec.hidden_size };
        Ok(Self {
            spec,
            norm: Norm::load(source, &place(names.norm), spec.norm, normed)?,
            first: Projection::load(source, &place(names.first), joined, joined, true)?,
            second: Projection::load(source, &place(names.second), joined, spec.output_size, true)?,
        })
    }

    /// `(tokens, output size)` of `(patches, hidden size)`, in which the patches of a token follow one another.
    pub(super) fn forward(&self, patches: &Tensor) -> Result<Tensor> {
        let joined = ((), self.spec.joined_size());
        let normed = if self.spec.norms_tokens {
            self.norm.forward(&patches.reshape(joined)?)?
        } else {
            self.norm.forward(patches)?.reshape(joined)?
        };
        let inner = self.first.activated(&normed, Activation::Gelu)?;
        self.second.forward(&inner, None)
    }
}

impl MergerSpec {
    /// One of a tower of these sizes, with a norm of each patch.
    pub(super) fn of(sizes: PatchSizes, output_size: usize, norm: NormSpec) -> Self {
        let (hidden_size, patches_of_token) = (sizes.hidden_size, sizes.patches_of_token());
        Self { hidden_size, patches_of_token, output_size, norm, norms_tokens: false }
    }

    fn joined_size(self) -> usize {
        self.hidden_size * self.patches_of_token
    }
}
