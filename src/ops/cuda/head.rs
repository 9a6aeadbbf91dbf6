//! Surprisals and the likeliest token, from logits that are made tile by tile.

use candle_core::{CudaDevice, DType, Result, Tensor};

use super::launch::{Launch, TOKEN_LOGPROB, address, device, optional_address};
use super::product::product_f32;
use super::upload::sent_words;
use crate::ops::head::{Head, Surprisal};
use crate::pass_trace::{PassPhase, phase};

/// Logits that are held at once, 256 MiB of them.
const TILE_LOGITS: usize = 1 << 26;
/// Fewer columns than this are no work for a product.
const LEAST_COLUMNS: usize = 1024;
/// Threads for each row of a tile.
const ROW_THREADS: u32 = 256;
/// What the kernel calls no token yet, and one whose row has a logit that is not a number.
const NO_TOKEN: u32 = u32::MAX;
const DAMAGED: u32 = u32::MAX - 1;

/// The surprisal of every `(row, token)` of `targets`, ascending by row, all inside.
pub(in crate::ops) fn surprisals(
    hidden: &Tensor,
    head: Head<'_>,
    targets: &[(usize, u32)],
) -> Result<Vec<Surprisal>> {
    if targets.is_empty() {
        return Ok(Vec::new());
    }
    let device = device(hidden)?;
    let rows = hidden.dim(0)?;
    let (target_rows, tokens): (Vec<u32>, Vec<u32>) =
        targets.iter().map(|&(row, token)| (row as u32, token)).unzip();
    let firsts = sent_words(&firsts(rows, &target_rows), &device)?;
    let (target_rows, tokens) = (sent_words(&target_rows, &device)?, sent_words(&tokens, &device)?);
    let empty = [f32::NEG_INFINITY, 0.0].repeat(rows);
    let normalisers = Tensor::new(empty, hidden.device())?;
    let chosen = Tensor::zeros(targets.len(), DType::F32, hidden.device())?;
    let likeliest = sent_words(&vec![NO_TOKEN; rows], &device)?;
    let lists = (&firsts, &tokens);
    let state = [&normalisers, &chosen, &likeliest];
    fold(&device, "token_logprob", hidden, head, lists, &state)?;
    // One copy to the host brings both.
    let found = Tensor::zeros((targets.len(), 2), DType::F32, hidden.device())?;
    let launch = Launch::new(&device, TOKEN_LOGPROB, "token_surprisals")?
        .address(address(&normalisers)?)
        .address(address(&chosen)?)
        .address(address(&likeliest)?)
        .address(address(&target_rows)?)
        .address(address(&tokens)?)
        .address(address(&found)?)
        .count(targets.len());
    let blocks = targets.len().div_ceil(ROW_THREADS as usize);
    // SAFETY: rows of targets are inside, by the caller's check.
    unsafe { launch.run((blocks, 1), ROW_THREADS, 0) }?;
    let found = phase(PassPhase::Read, || found.flatten_all()?.to_vec1::<f32>())?;
    let found = found.as_chunks::<2>().0.iter();
    Ok(found.map(|&[nats, flag]| Surprisal { nats, is_likeliest: flag > 0.5 }).collect())
}

/// The most likely token of every row that is not in its `banned`; of equals the lowest.
pub(in crate::ops) fn most_likely(
    hidden: &Tensor,
    head: Head<'_>,
    banned: &[&[u32]],
) -> Result<Vec<Option<u32>>> {
    let device = device(hidden)?;
    let rows = hidden.dim(0)?;
    if rows == 0 {
        return Ok(Vec::new());
    }
    let of: Vec<u32> = banned
        .iter()
        .enumerate()
        .flat_map(|(row, tokens)| std::iter::repeat_n(row as u32, tokens.len()))
        .collect();
    let firsts = sent_words(&firsts(rows, &of), &device)?;
    let tokens = sent_words(&banned.concat(), &device)?;
    let logits = Tensor::full(f32::NEG_INFINITY, rows, hidden.device())?;
    let best = sent_words(&vec![NO_TOKEN; rows], &device)?;
    let lists = (&firsts, &tokens);
    fold(&device, "likeliest_token", hidden, head, lists, &[&logits, &best])?;
    let tokens = phase(PassPhase::Read, || best.to_vec1::<u32>())?;
    Ok(tokens.into_iter().map(|token| Some(token).filter(|&token| token < DAMAGED)).collect())
}

/// Where each row's entries begin in a list that is sorted by row.
fn firsts(rows: usize, of: &[u32]) -> Vec<u32> {
    (0..=rows as u32).map(|row| of.partition_point(|&other| other < row) as u32).collect()
}

/// Shows a kernel the logits of all rows, tile after tile of the vocabulary.
fn fold(
    device: &CudaDevice,
    kernel: &str,
    hidden: &Tensor,
    head: Head<'_>,
    (firsts, list): (&Tensor, &Tensor),
    state: &[&Tensor],
) -> Result<()> {
    let (rows, _) = hidden.dims2()?;
    let hidden = hidden.contiguous()?;
    let vocabulary = head.weight.output_size();
    let bias = head.bias.map(|bias| bias.to_dtype(DType::F32)).transpose()?;
    if bias.as_ref().is_some_and(|bias| bias.dims() != [vocabulary]) {
        candle_core::bail!("the bias of a head does not fit a vocabulary of {vocabulary}")
    }
    let most_columns = (TILE_LOGITS / rows.max(1)).max(LEAST_COLUMNS);
    for first in (0..vocabulary).step_by(most_columns) {
        let columns = most_columns.min(vocabulary - first);
        let weight = head.weight.gpu_rows(first..first + columns, hidden.dtype())?;
        let logits = product_f32(&hidden, &weight, 0, columns)?;
        let mut launch = Launch::of_type(device, TOKEN_LOGPROB, kernel, DType::F32)?
            .address(address(&logits)?)
            .address(optional_address(bias.as_ref())?)
            .address(address(firsts)?)
            .address(address(list)?);
        for state in state {
            launch = launch.address(address(state)?);
        }
        let launch = launch
            .count(columns)
            .count(columns)
            .count(first)
            .factor(head.scale.map_or(1.0, |scale| scale as f32))
            .factor(head.soft_cap.map_or(0.0, |cap| cap as f32));
        // SAFETY: the lists begin and end where `firsts` says, and the state has a place for each row
        // and target.
        unsafe { launch.run((rows, 1), ROW_THREADS, 0) }?;
    }
    Ok(())
}
