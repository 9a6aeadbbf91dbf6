//! Which experts a row goes to, and with what weight.
//!
//! A row has few numbers here, so routes are in host memory, whatever the device.

use candle_core::{Result, Tensor};
use rayon::prelude::*;

use super::sparse_mixer;
use crate::ops::{curves, host};

/// Logits that are worth a task of their own.
const TASK_NUMBERS: usize = 1 << 13;

/// How a row's logits become experts and weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RouteRule {
    /// How many experts a row goes to.
    pub chosen: usize,
    /// From logits to scores.
    pub score: RouteScore,
    /// Only experts of the best groups are chosen.
    pub groups: Option<RouteGroups>,
    /// The weights of the chosen are divided by their sum and this, which guards against zero.
    pub renormalised: Option<f32>,
    /// Factor on the weights.
    pub scale: f32,
}

impl RouteRule {
    /// Weights are the softmax of the chosen alone (Jiang et al. 2024).
    pub fn of_softmax(chosen: usize) -> Self {
        let (groups, renormalised) = (None, Some(0.0));
        Self { chosen, score: RouteScore::Softmax, groups, renormalised, scale: 1.0 }
    }
}

/// What becomes of the logits of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RouteScore {
    /// Their softmax.
    Softmax,
    /// The sigmoid of each.
    Sigmoid,
    /// The softmax among those near the best of what is left, expert after expert (Liu et al. 2023).
    SparseMixer {
        /// How far below the best is near, as a part of the larger magnitude.
        tolerance: f32,
    },
}

/// Experts in groups of equal size, in the order of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteGroups {
    /// How many there are.
    pub count: usize,
    /// How many of them experts are chosen from.
    pub chosen: usize,
    /// What a group's score is.
    pub score: GroupScore,
}

/// The score of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupScore {
    /// That of its best expert.
    Best,
    /// The sum of its two best.
    BestTwo,
}

/// Where rows go: for each expert its rows, ascending, and their weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// `experts[e]` is what goes to expert e.
    pub experts: Vec<(Vec<u32>, Vec<f32>)>,
}

/// Routes every row of `logits`, `(rows, experts)`.
///
/// `correction`, one number per expert, is added to the scores for the choice but not for the
/// weights (DeepSeek-AI 2024). Of experts with the same score the first is chosen.
pub fn route(logits: &Tensor, correction: Option<&[f32]>, rule: &RouteRule) -> Result<Route> {
    let (_, experts) = logits.dims2()?;
    let groups = checked_groups(logits, correction, rule)?;
    let choices = choices(logits, correction, groups, rule)?;
    let mut route = Route { experts: vec![Default::default(); experts] };
    for (row, choices) in choices.into_iter().enumerate() {
        for (expert, weight) in choices {
            let (rows, weights) = &mut route.experts[expert];
            rows.push(row as u32);
            weights.push(weight);
        }
    }
    Ok(route)
}

/// The groups of a rule, one of all experts if it has none; refuses a rule that does not fit the logits.
pub(super) fn checked_groups(
    logits: &Tensor,
    correction: Option<&[f32]>,
    rule: &RouteRule,
) -> Result<RouteGroups> {
    let (_, experts) = logits.dims2()?;
    let groups =
        rule.groups.unwrap_or(RouteGroups { count: 1, chosen: 1, score: GroupScore::Best });
    if rule.chosen > experts
        || groups.count == 0
        || !experts.is_multiple_of(groups.count)
        || correction.is_some_and(|correction| correction.len() != experts)
    {
        candle_core::bail!("a route of {rule:?} does not fit {experts} experts")
    }
    Ok(groups)
}

/// Whether there is a kernel for NVIDIA GPUs.
#[cfg(feature = "cuda")]
pub(super) fn has_kernel(rule: &RouteRule) -> bool {
    rule.chosen > 0 && !matches!(rule.score, RouteScore::SparseMixer { .. })
}

/// The experts of every row and their weights.
fn choices(
    logits: &Tensor,
    correction: Option<&[f32]>,
    groups: RouteGroups,
    rule: &RouteRule,
) -> Result<Vec<Vec<(usize, f32)>>> {
    #[cfg(feature = "cuda")]
    if logits.device().is_cuda() && has_kernel(rule) {
        return crate::ops::cuda::choose_experts(logits, correction, groups, rule);
    }
    let experts = logits.dim(1)?.max(1);
    host::read(logits, |logits| {
        logits
            .par_chunks(experts)
            .with_min_len(TASK_NUMBERS.div_ceil(experts))
            .map(|logits| choose(logits, correction, groups, rule))
            .collect()
    })
}

/// The experts of one row and their weights.
fn choose(
    logits: &[f32],
    correction: Option<&[f32]>,
    groups: RouteGroups,
    rule: &RouteRule,
) -> Vec<(usize, f32)> {
    let scores = match rule.score {
        RouteScore::Softmax => softmax(logits),
        RouteScore::Sigmoid => logits.iter().map(|&logit| sigmoid(logit)).collect(),
        RouteScore::SparseMixer { tolerance } => {
            return sparse_mixer::choose(logits, rule.chosen, tolerance);
        }
    };
    let mut ranked = scores.clone();
    if let Some(correction) = correction {
        ranked.iter_mut().zip(correction).for_each(|(score, correction)| *score += correction);
    }
    if groups.chosen < groups.count {
        let size = ranked.len() / groups.count;
        let kept = best(&group_scores(&ranked, size, groups.score), groups.chosen);
        for (group, scores) in ranked.chunks_mut(size).enumerate() {
            if !kept.contains(&group) {
                scores.fill(f32::NEG_INFINITY);
            }
        }
    }
    let mut chosen: Vec<(usize, f32)> =
        best(&ranked, rule.chosen).into_iter().map(|expert| (expert, scores[expert])).collect();
    let divisor = rule
        .renormalised
        .map_or(1.0, |least| chosen.iter().map(|(_, weight)| weight).sum::<f32>() + least);
    for (_, weight) in &mut chosen {
        *weight = *weight / divisor * rule.scale;
    }
    chosen
}

fn softmax(logits: &[f32]) -> Vec<f32> {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = logits.iter().map(|&x| curves::exp(x - highest)).collect();
    let sum: f32 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

fn group_scores(scores: &[f32], size: usize, score: GroupScore) -> Vec<f32> {
    let count = match score {
        GroupScore::Best => 1,
        GroupScore::BestTwo => 2,
    };
    scores
        .chunks(size)
        .map(|group| best(group, count).into_iter().map(|expert| group[expert]).sum())
        .collect()
}

/// The places of the `count` largest scores, largest first; what is not a number counts as largest.
fn best(scores: &[f32], count: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..scores.len()).collect();
    places.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    places.truncate(count);
    places
}

/// 1 / (1 + e⁻ˣ).
pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + curves::exp(-x))
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    const RULE: RouteRule = RouteRule {
        chosen: 2,
        score: RouteScore::Softmax,
        groups: None,
        renormalised: None,
        scale: 1.0,
    };

    /// The experts and weights of one row.
    fn routed(logits: &[f32], correction: Option<&[f32]>, rule: &RouteRule) -> Vec<(usize, f32)> {
        let logits = Tensor::new(logits, &Device::Cpu).unwrap().unsqueeze(0).unwrap();
        let route = route(&logits, correction, rule).unwrap();
        let all = route.experts.into_iter().enumerate();
        all.filter_map(|(expert, (_, weights))| Some((expert, *weights.first()?))).collect()
    }

    fn assert_routed(found: &[(usize, f32)], wanted: &[(usize, f32)]) {
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        for (found, wanted) in found.iter().zip(wanted) {
            assert!(found.0 == wanted.0 && (found.1 - wanted.1).abs() < 1e-6, "{found:?}");
        }
    }

    #[test]
    fn rows_go_to_the_best_with_the_weights_of_the_rule() {
        let logits = [0.0, 2f32.ln(), 4f32.ln(), 0.0];
        assert_routed(&routed(&logits, None, &RULE), &[(1, 0.25), (2, 0.5)]);
        let rule = RouteRule { renormalised: Some(0.0), scale: 3.0, ..RULE };
        assert_routed(&routed(&logits, None, &rule), &[(1, 1.0), (2, 2.0)]);
        let rule = RouteRule { score: RouteScore::Sigmoid, ..RULE };
        assert_routed(&routed(&logits, None, &rule), &[(1, 2.0 / 3.0), (2, 0.8)]);
        // Equal scores: the first; a correction changes the choice and not the weight.
        let correction = [0.5, 0.0, 0.0, 0.5];
        assert_routed(&routed(&[0.0; 4], None, &RULE), &[(0, 0.25), (1, 0.25)]);
        assert_routed(&routed(&logits, Some(&correction), &rule), &[(0, 0.5), (3, 0.5)]);
    }

    #[test]
    fn only_the_best_groups_are_chosen_from() {
        // The best expert is in the second group, the best two are in the first.
        let logits = [2.0, 2.0, 3.0, -9.0, 0.0, 1.0];
        let groups = |score| RouteRule {
            groups: Some(RouteGroups { count: 3, chosen: 1, score }),
            score: RouteScore::Sigmoid,
            ..RULE
        };
        let experts = |score| -> Vec<usize> {
            routed(&logits, None, &groups(score)).into_iter().map(|(expert, _)| expert).collect()
        };
        assert_eq!(experts(GroupScore::Best), [2, 3]);
        assert_eq!(experts(GroupScore::BestTwo), [0, 1]);
    }

    #[test]
    fn a_rule_that_does_not_fit_is_an_error() {
        let logits = Tensor::new(&[[0f32; 4]], &Device::Cpu).unwrap();
        assert!(route(&logits, None, &RouteRule { chosen: 5, ..RULE }).is_err());
        assert!(route(&logits, Some(&[0.0; 3]), &RULE).is_err());
    }
}
