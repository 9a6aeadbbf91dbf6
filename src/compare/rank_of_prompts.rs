//! Whether prompts that the model finds likely do better.

use serde::Serialize;

use super::Member;
use crate::statistics::RankCorrelation;

/// A rank correlation of fewer members says nothing.
const FEWEST: usize = 4;

/// Spearman's rank correlation, over members, of the prompt's nats a token with the metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RankOfPrompts {
    /// Spearman's rho.
    pub rho: Option<f64>,
    /// Its p.
    pub p: Option<f64>,
    /// Why there is none.
    pub unstated: Option<String>,
}

impl RankOfPrompts {
    /// Gonen et al., "Demystifying Prompts in Language Models via Perplexity Estimation" (2022), arXiv:2212.04037: the
    /// likelier the prompt, the better the answers, as a tendency.
    pub(super) fn of(members: &[Member]) -> Self {
        let unstated = |why: String| Self { unstated: Some(why), ..Self::default() };
        if members.len() < FEWEST {
            return unstated(format!("{} members, {FEWEST} are needed", members.len()));
        }
        if members.iter().any(|member| member.key.model != members[0].key.model) {
            return unstated("models differ, and with them what a token is".to_owned());
        }
        let figures: Option<(Vec<f64>, Vec<f64>)> =
            members.iter().map(|member| member.prompt_nats_per_token.zip(member.value)).collect();
        let Some((prompts, values)) = figures else {
            return unstated("not every prompt was scored".to_owned());
        };
        match RankCorrelation::of(&prompts, &values) {
            Ok(found) => Self { rho: Some(found.rho), p: Some(found.p), unstated: None },
            Err(why) => unstated(why.to_string()),
        }
    }
}
