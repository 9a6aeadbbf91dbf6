//! Experts: choosing them, and the sum of what they give.

use candle_core::{DType, Error, Result, Tensor};

use super::launch::{EXPERTS, Launch, address, device, optional_address, threads_for};
use super::upload::sent_words;
use crate::ops::experts::{GroupScore, RouteGroups, RouteRule, RouteScore};
use crate::pass_trace::{PassPhase, phase};

/// What the kernel calls no result.
const NO_PLACE: u32 = u32::MAX;

/// The experts of every row of `logits`, `(rows, experts)`, ascending, and their weights. The caller has
/// checked the rule.
pub(in crate::ops) fn choose_experts(
    logits: &Tensor,
    correction: Option<&[f32]>,
    groups: RouteGroups,
    rule: &RouteRule,
) -> Result<Vec<Vec<(usize, f32)>>> {
    let device = device(logits)?;
    let logits = logits.contiguous()?;
    let (rows, experts) = logits.dims2()?;
    let chosen = rule.chosen;
    if rows * chosen == 0 {
        return Ok(vec![Vec::new(); rows]);
    }
    let correction =
        correction.map(|correction| Tensor::new(correction, logits.device())).transpose()?;
    // SAFETY: the kernel writes every number of both.
    let empty = |dtype| unsafe { Tensor::empty((rows, chosen), dtype, logits.device()) };
    let (choices, weights) = (empty(DType::U32)?, empty(DType::F32)?);
    let words = [
        experts as u32,
        chosen as u32,
        u32::from(rule.score == RouteScore::Sigmoid),
        groups.count as u32,
        groups.chosen.min(groups.count) as u32,
        u32::from(groups.score == GroupScore::BestTwo),
        u32::from(rule.renormalised.is_some()),
        rule.renormalised.unwrap_or(0.0).to_bits(),
        rule.scale.to_bits(),
    ];
    let launch = Launch::of_type(&device, EXPERTS, "choose_experts", logits.dtype())?
        .address(address(&logits)?)
        .address(optional_address(correction.as_ref())?)
        .address(address(&choices)?)
        .address(address(&weights)?)
        .words(&words);
    let shared_bytes = 8 * (experts + groups.count) as u32;
    // SAFETY: choices and weights have a place for each choice; the rule fits the logits.
    unsafe { launch.run((rows, 1), 32, shared_bytes) }?;
    let read = || Ok::<_, Error>((choices.to_vec2::<u32>()?, weights.to_vec2::<f32>()?));
    let (choices, weights) = phase(PassPhase::Read, read)?;
    let rows = choices.into_iter().zip(weights);
    Ok(rows
        .map(|(experts, weights)| {
            experts.into_iter().map(|expert| expert as usize).zip(weights).collect()
        })
        .collect())
}

/// The sum of all `outputs`, one below the other: row i of them, times its weight, belongs to a row of the
/// result, which is like `rows`. `sent` are these rows and weights; of one row's results the first comes
/// first.
pub(in crate::ops) fn add_experts(
    rows: &Tensor,
    outputs: &[Tensor],
    sent: &[(u32, f32)],
) -> Result<Tensor> {
    if outputs.is_empty() {
        return rows.zeros_like();
    }
    let device = device(rows)?;
    let (count, size) = rows.dims2()?;
    let outputs = Tensor::cat(outputs, 0)?.contiguous()?;
    if outputs.dims() != [sent.len(), size] || outputs.dtype() != rows.dtype() {
        candle_core::bail!("{:?} are not the results of {} rows", outputs.dims(), sent.len())
    }
    let mut of_row: Vec<Vec<(u32, f32)>> = vec![Vec::new(); count];
    for (place, &(row, weight)) in sent.iter().enumerate() {
        match of_row.get_mut(row as usize) {
            Some(own) => own.push((place as u32, weight)),
            None => candle_core::bail!("a result of row {row}, of which there are {count}"),
        }
    }
    // Rows may have gone to fewer experts than others.
    let chosen = of_row.iter().map(Vec::len).max().unwrap_or(0);
    for own in &mut of_row {
        own.resize(chosen, (NO_PLACE, 0.0));
    }
    let (places, weights): (Vec<u32>, Vec<f32>) = of_row.into_iter().flatten().unzip();
    let places = sent_words(&places, &device)?;
    let weights = Tensor::new(weights, rows.device())?;
    // SAFETY: the kernel writes every number.
    let sum = unsafe { rows.empty_like() }?;
    let launch = Launch::of_type(&device, EXPERTS, "add_experts", rows.dtype())?
        .address(address(&outputs)?)
        .address(address(&places)?)
        .address(address(&weights)?)
        .address(address(&sum)?)
        .count(size)
        .count(chosen);
    // SAFETY: places are those of outputs, by the check above.
    unsafe { launch.run((count, 1), threads_for(size, 4, 256), 0) }?;
    Ok(sum)
}
