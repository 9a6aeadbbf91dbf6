//! Rows of a table.

use candle_core::{Result, Tensor};

use super::launch::{EMBEDDING, Launch, address, device, threads_for};
use super::upload::shared_words;

/// The rows `ids` of `table`, `(any, size)`, times `factor`; all ids are inside.
pub(in crate::ops) fn embedding(ids: &[u32], table: &Tensor, factor: f32) -> Result<Tensor> {
    let device = device(table)?;
    let table = table.contiguous()?;
    let (_, size) = table.dims2()?;
    // SAFETY: the kernel writes every number.
    let output = unsafe { Tensor::empty((ids.len(), size), table.dtype(), table.device()) }?;
    let id_words = shared_words(ids, &device)?;
    let launch = Launch::of_type(&device, EMBEDDING, "embedding", table.dtype())?
        .address(address(&table)?)
        .address(address(&id_words)?)
        .address(address(&output)?)
        .count(size)
        .factor(factor);
    // SAFETY: the caller has checked the ids, and the output has a row for each.
    unsafe { launch.run((ids.len(), 1), threads_for(size, 8, 256), 0) }?;
    Ok(output)
}
