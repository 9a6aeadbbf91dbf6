//! Experts: choosing them, all their products, and the sum of what they give.

use candle_core::{CudaDevice, DType, Device, Error, Result, Tensor};

use super::launch::{
    EXPERTS, GROUPED_PRODUCT, Launch, address, device, optional_address, threads_for,
};
use super::upload::{constant_numbers, constant_words, sent_words};
use crate::ops::experts::{GroupScore, RouteGroups, RouteRule, RouteScore};
use crate::ops::linear::Residual;
use crate::pass_trace::{PassPhase, phase};

/// What the kernel calls no result.
const NO_PLACE: u32 = u32::MAX;
/// Rows and columns of a block of products, and its threads.
const TILE: usize = 64;
const TILE_THREADS: u32 = 128;
/// Numbers of each row that a block holds at once, in two stages.
const TILE_DEPTH: usize = 32;

/// The experts of every row, ascending, and their weights, `(rows, chosen)`.
#[derive(Debug)]
struct Choices {
    experts: Tensor,
    weights: Tensor,
}

fn choose(
    logits: &Tensor,
    correction: Option<&[f32]>,
    groups: RouteGroups,
    rule: &RouteRule,
) -> Result<Choices> {
    let device = device(logits)?;
    let logits = logits.contiguous()?;
    let (rows, experts) = logits.dims2()?;
    let chosen = rule.chosen;
    let correction =
        correction.map(|correction| constant_numbers(correction, &device)).transpose()?;
    // SAFETY: the kernel writes every number of both.
    let empty = |dtype| unsafe { Tensor::empty((rows, chosen), dtype, logits.device()) };
    let choices = Choices { experts: empty(DType::U32)?, weights: empty(DType::F32)? };
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
        .address(address(&choices.experts)?)
        .address(address(&choices.weights)?)
        .words(&words);
    let shared_bytes = 8 * (experts + groups.count) as u32;
    // SAFETY: choices and weights have a place for each choice; the rule fits the logits.
    unsafe { launch.run((rows, 1), 32, shared_bytes) }?;
    Ok(choices)
}

/// The experts of every row of `logits`, `(rows, experts)`, ascending, and their weights, in host memory. The caller
/// has checked the rule.
pub(in crate::ops) fn choose_experts(
    logits: &Tensor,
    correction: Option<&[f32]>,
    groups: RouteGroups,
    rule: &RouteRule,
) -> Result<Vec<Vec<(usize, f32)>>> {
    let rows = logits.dim(0)?;
    if rows * rule.chosen == 0 {
        return Ok(vec![Vec::new(); rows]);
    }
    let Choices { experts, weights } = choose(logits, correction, groups, rule)?;
    let read = || Ok::<_, Error>((experts.to_vec2::<u32>()?, weights.to_vec2::<f32>()?));
    let (experts, weights) = phase(PassPhase::Read, read)?;
    let rows = experts.into_iter().zip(weights);
    Ok(rows
        .map(|(experts, weights)| {
            experts.into_iter().map(|expert| expert as usize).zip(weights).collect()
        })
        .collect())
}

/// One linear map of every expert, all of the same shape.
#[derive(Clone, Debug)]
pub(in crate::ops) struct ExpertMap {
    /// They stay where they are as long as their addresses are used.
    weights: Vec<Tensor>,
    biases: Option<Vec<Tensor>>,
    weight_places: Tensor,
    bias_places: Option<Tensor>,
    depth: usize,
    outputs: usize,
}

impl ExpertMap {
    /// The maps of `weights` `(out, in)` and biases `(out)`; `None` unless they are contiguous and all of one shape and
    /// type on one GPU.
    pub(in crate::ops) fn new(
        weights: Vec<Tensor>,
        biases: Option<Vec<Tensor>>,
    ) -> Result<Option<Self>> {
        let Some(first) = weights.first() else { return Ok(None) };
        let (outputs, depth) = first.dims2()?;
        let is_alike = |tensor: &Tensor, shape: &[usize]| {
            tensor.dims() == shape && tensor.dtype() == first.dtype() && tensor.is_contiguous()
        };
        let fits = weights.iter().all(|weight| is_alike(weight, &[outputs, depth]))
            && biases.iter().flatten().all(|bias| is_alike(bias, &[outputs]))
            && biases.as_ref().is_none_or(|biases| biases.len() == weights.len());
        if !fits {
            return Ok(None);
        }
        let device = device(first)?;
        let weight_places = places(&weights, &device)?;
        let bias_places = biases.as_ref().map(|biases| places(biases, &device)).transpose()?;
        Ok(Some(Self { weights, biases, weight_places, bias_places, depth, outputs }))
    }

    /// How many experts there are.
    pub(in crate::ops) fn experts(&self) -> usize {
        self.weights.len()
    }

    /// The product of each place's input row, which is `rows[place]` or the place itself, with its expert's map,
    /// `(places, out)`.
    fn multiply(
        &self,
        input: &Tensor,
        rows: Option<&Tensor>,
        firsts: &Tensor,
        places: usize,
    ) -> Result<Tensor> {
        let device = device(input)?;
        let input = input.contiguous()?;
        let dtype = input.dtype();
        let own_type = self.weights.first().map(Tensor::dtype);
        if input.dim(1)? != self.depth || own_type != Some(dtype) {
            candle_core::bail!("{:?} does not fit experts of {} numbers", input.dims(), self.depth)
        }
        debug_assert!(self.biases.is_some() == self.bias_places.is_some());
        // SAFETY: every place is one of an expert's, whose block writes it.
        let output = unsafe { Tensor::empty((places, self.outputs), dtype, input.device()) }?;
        let launch = Launch::of_type(&device, GROUPED_PRODUCT, "grouped_product", dtype)?
            .address(address(&input)?)
            .address(optional_address(rows)?)
            .address(address(firsts)?)
            .address(address(&self.weight_places)?)
            .address(optional_address(self.bias_places.as_ref())?)
            .address(address(&output)?)
            .count(self.experts())
            .count(self.depth)
            .count(self.outputs);
        let bytes = dtype.size_in_bytes();
        // Rows are 16 bytes further apart than they are long.
        let shared_bytes = 2 * 2 * TILE * (TILE_DEPTH * bytes + 16);
        let grid = (places / TILE + self.experts(), self.outputs.div_ceil(TILE));
        // SAFETY: firsts and rows are those of `group`, and the maps have the shape that is told.
        unsafe { launch.run(grid, TILE_THREADS, shared_bytes as u32) }?;
        Ok(output)
    }
}

/// Where tensors begin, two words each.
fn places(tensors: &[Tensor], device: &CudaDevice) -> Result<Tensor> {
    let mut words = Vec::with_capacity(2 * tensors.len());
    for tensor in tensors {
        let place = address(tensor)?;
        words.extend([place as u32, (place >> 32) as u32]);
    }
    constant_words(&words, device)
}

/// Rows that were sent to their experts without the host's knowing where.
#[derive(Debug)]
pub(in crate::ops) struct Routed {
    choices: Choices,
    /// Where each expert's places begin, the row of each place, and the place of each choice.
    firsts: Tensor,
    rows: Tensor,
    places: Tensor,
    count: usize,
}

impl Routed {
    /// Routes every row of `logits`; the caller has checked the rule.
    pub(in crate::ops) fn new(
        logits: &Tensor,
        correction: Option<&[f32]>,
        groups: RouteGroups,
        rule: &RouteRule,
    ) -> Result<Self> {
        let device = device(logits)?;
        let (rows, experts) = logits.dims2()?;
        let count = rows * rule.chosen;
        let choices = choose(logits, correction, groups, rule)?;
        // SAFETY: the kernel writes every word of all three.
        let empty = |count| unsafe { Tensor::empty(count, DType::U32, logits.device()) };
        let (firsts, sent, places) = (empty(experts + 1)?, empty(count)?, empty(count)?);
        let launch = Launch::new(&device, EXPERTS, "group_rows")?
            .address(address(&choices.experts)?)
            .address(address(&firsts)?)
            .address(address(&sent)?)
            .address(address(&places)?)
            .count(rows)
            .count(rule.chosen);
        // SAFETY: there is a block for each expert and a place for each choice.
        unsafe { launch.run((experts, 1), threads_for(count, 4, 1024), 0) }?;
        Ok(Self { choices, firsts, rows: sent, places, count })
    }

    /// The products of `hidden`, whose rows were routed, with the first map of their experts.
    pub(in crate::ops) fn send(&self, hidden: &Tensor, map: &ExpertMap) -> Result<Tensor> {
        map.multiply(hidden, Some(&self.rows), &self.firsts, self.count)
    }

    /// The products of what came of [`Self::send`] with the last map, summed by their weights and added to the stream.
    pub(in crate::ops) fn collect(
        &self,
        inner: &Tensor,
        map: &ExpertMap,
        residual: Option<Residual<'_>>,
    ) -> Result<Tensor> {
        let outputs = map.multiply(inner, None, &self.firsts, self.count)?;
        let (rows, chosen) = self.choices.weights.dims2()?;
        sum(&outputs, (&self.places, &self.choices.weights), (rows, chosen), residual)
    }
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
    let weights = Tensor::from_vec(weights, (count, chosen), &Device::Cuda(device))?;
    sum(&outputs, (&places, &weights), (count, chosen), None)
}

/// Σ weight · outputs\[place\] over the choices of each row, added to the stream, which may be where the sum goes.
fn sum(
    outputs: &Tensor,
    (places, weights): (&Tensor, &Tensor),
    (rows, chosen): (usize, usize),
    residual: Option<Residual<'_>>,
) -> Result<Tensor> {
    let device = device(outputs)?;
    let (size, dtype) = (outputs.dim(1)?, outputs.dtype());
    let stream = match residual {
        None => None,
        Some(residual) if residual.stream.dims() != [rows, size] => {
            candle_core::bail!("a stream of {:?} for {rows} rows", residual.stream.dims())
        }
        Some(residual) => Some(residual.stream.contiguous()?.to_dtype(dtype)?),
    };
    let scale = residual.and_then(|residual| residual.scale).map_or(1.0, |scale| scale as f32);
    let spent = stream.as_ref().filter(|_| residual.is_some_and(|residual| residual.is_spent));
    let sum = match spent {
        Some(stream) => stream.clone(),
        // SAFETY: the kernel writes every number.
        None => unsafe { Tensor::empty((rows, size), dtype, outputs.device()) }?,
    };
    let launch = Launch::of_type(&device, EXPERTS, "add_experts", dtype)?
        .address(address(outputs)?)
        .address(address(places)?)
        .address(address(weights)?)
        .address(optional_address(stream.as_ref())?)
        .address(address(&sum)?)
        .count(size)
        .count(chosen)
        .factor(scale);
    // SAFETY: places are those of outputs, by the callers.
    unsafe { launch.run((rows, 1), threads_for(size, 4, 256), 0) }?;
    Ok(sum)
}
