//! The blocks that `kernels/paged_attention.cu` is compiled for.

use candle_core::DType;

use crate::ops::kv::KvShape;

/// One block of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockShape {
    /// Rows of the stack that it takes.
    pub rows: usize,
    /// Its threads.
    pub threads: u32,
    /// Shared memory it is launched with.
    pub shared_bytes: u32,
}

/// Kernels for keys and values up to some size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// The numbers.
    pub dtype: DType,
    /// The largest keys, in numbers.
    pub key_size: usize,
    /// The largest values, in numbers.
    pub value_size: usize,
    /// Many rows.
    pub prefill: BlockShape,
    /// Few rows.
    pub decode: BlockShape,
}

impl Tiling {
    /// The smallest that takes keys and values of `shape`; `None` if they are too long.
    pub fn of(dtype: DType, shape: KvShape) -> Option<&'static Self> {
        TILINGS.iter().find(|tiling| {
            tiling.dtype == dtype
                && shape.key_size <= tiling.key_size
                && shape.value_size <= tiling.value_size
        })
    }

    /// The end of its kernels' names: type, key size, value size.
    pub fn suffix(&self) -> String {
        format!("{}_{}_{}", self.dtype.as_str(), self.key_size, self.value_size)
    }
}

const fn block(rows: usize, threads: u32, shared_bytes: u32) -> BlockShape {
    BlockShape { rows, threads, shared_bytes }
}

const fn tiling(
    dtype: DType,
    (key_size, value_size): (usize, usize),
    prefill: BlockShape,
    decode: BlockShape,
) -> Tiling {
    Tiling { dtype, key_size, value_size, prefill, decode }
}

/// All of them, smaller ones first; what the kernels say of themselves, which a test compares.
pub const TILINGS: [Tiling; 12] = {
    const fn halves(dtype: DType) -> [Tiling; 5] {
        [
            tiling(dtype, (64, 64), block(128, 128, 37_376), block(16, 128, 37_376)),
            tiling(dtype, (96, 96), block(128, 128, 80_384), block(16, 128, 53_760)),
            tiling(dtype, (128, 128), block(128, 128, 87_424), block(16, 128, 70_144)),
            tiling(dtype, (192, 128), block(128, 128, 94_464), block(16, 64, 49_664)),
            tiling(dtype, (256, 256), block(64, 128, 67_712), block(16, 64, 76_288)),
        ]
    }
    let [a, b, c, d, e] = halves(DType::BF16);
    let [f, g, h, i, j] = halves(DType::F16);
    let k = tiling(DType::F32, (128, 128), block(64, 128, 67_712), block(16, 64, 76_288));
    let l = tiling(DType::F32, (256, 256), block(32, 64, 99_968), block(16, 32, 83_328));
    [a, b, c, d, e, f, g, h, i, j, k, l]
};
