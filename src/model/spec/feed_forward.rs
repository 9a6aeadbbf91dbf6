//! Feed-forward networks, and mixtures of them.

use super::{Activation, RouteRule};

/// The feed-forward network of a layer, or each of its experts.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedForwardSpec {
    /// Its intermediate width.
    pub size: usize,
    /// `down(activation(gate x) · up x)` instead of `down(activation(up x))`.
    pub gated: bool,
    /// The non-linearity.
    pub activation: Activation,
    /// All its projections have a bias.
    pub bias: bool,
    /// Many such networks, of which each token is sent to a few; `None` for one.
    pub experts: Option<ExpertsSpec>,
}

/// A mixture of experts (Shazeer et al. 2017).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpertsSpec {
    /// How many there are.
    pub count: usize,
    /// Which of them a token is sent to.
    pub route: RouteRule,
    /// The router has a bias.
    pub router_bias: bool,
    /// A learned number for each expert is added to its score when experts are chosen, not to its weight.
    pub correction: bool,
    /// A network that every token goes through besides.
    pub shared: Option<SharedExpertSpec>,
}

impl ExpertsSpec {
    /// Experts without router bias, correction or shared expert.
    pub fn new(count: usize, route: RouteRule) -> Self {
        Self { count, route, router_bias: false, correction: false, shared: None }
    }
}

/// The expert that every token goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedExpertSpec {
    /// Its intermediate width.
    pub size: usize,
    /// Its output is multiplied by a gate: the sigmoid of a linear map of the token to one number.
    pub weighted: bool,
    /// All its projections have a bias.
    pub bias: bool,
}
