//! Random inputs on the CPU and on the device under test.

use candle_core::{DType, Device, Result, Shape, Tensor};

use super::SelftestRow;
use crate::ops::{
    embedding::embedding,
    host,
    linear::{Fp8Part, Weight, WeightPart},
};

/// Numbers of the memory that is spoilt before a case.
const SPOILT_NUMBERS: usize = 1 << 16;

/// Steps of a 16-bit type that a result may be off: it is rounded several times on its way, and sums
/// are taken in another order.
const STEPS_OF_HALVES: f64 = 16.0;

/// The same value on both.
pub(super) struct HostAndDevice<T> {
    /// For the CPU, in f32.
    pub(super) host: T,
    /// For the device, in the type under test.
    pub(super) device: T,
}

/// Makes random inputs for the CPU and the device under test.
pub(super) struct TestInputs<'d> {
    device: &'d Device,
    dtype: DType,
    state: u64,
}

/// An operation and the inputs it is tried with.
pub(super) struct Operation {
    pub(super) name: &'static str,
    pub(super) cases: Vec<Case>,
}

/// Computes one input on both.
pub(super) type Case = Box<dyn Fn(&mut TestInputs<'_>) -> Result<HostAndDevice<Tensor>>>;

impl<'d> TestInputs<'d> {
    pub(super) fn new(device: &'d Device, dtype: DType, seed: u64) -> Self {
        Self { device, dtype, state: seed }
    }

    /// The next 64 random bits (`SplitMix64`, Steele et al. 2014).
    fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A random index below `count`.
    pub(super) fn index(&mut self, count: usize) -> usize {
        (self.bits() % count.max(1) as u64) as usize
    }

    /// Random tokens.
    pub(super) fn tokens(&mut self, count: usize, vocabulary_size: usize) -> Vec<u32> {
        (0..count).map(|_| self.index(vocabulary_size) as u32).collect()
    }

    /// Random numbers within ± `reach`.
    pub(super) fn tensor(
        &mut self,
        shape: impl Into<Shape>,
        reach: f32,
    ) -> Result<HostAndDevice<Tensor>> {
        let shape = shape.into();
        let numbers: Vec<f32> = (0..shape.elem_count())
            .map(|_| (self.bits() >> 40) as f32 / (1u64 << 23) as f32 - 1.0)
            .map(|number| number * reach)
            .collect();
        let rounded = Tensor::from_vec(numbers, shape, &Device::Cpu)?.to_dtype(self.dtype)?;
        // Operations of the CPU may change their input, so neither side shares it.
        let device = rounded.to_device(self.device)?.copy()?;
        Ok(HostAndDevice { host: rounded.to_dtype(DType::F32)?.copy()?, device })
    }

    /// A random weight `(out, in)` that keeps the size of its inputs.
    pub(super) fn weight(
        &mut self,
        output_size: usize,
        input_size: usize,
    ) -> Result<HostAndDevice<Weight>> {
        let reach = (3.0 / input_size as f32).sqrt();
        let HostAndDevice { host, device } = self.tensor((output_size, input_size), reach)?;
        Ok(HostAndDevice {
            host: Weight::from_tensor(&host)?,
            device: Weight::from_tensor(&device)?,
        })
    }

    /// A weight of blocks; on a device that keeps none, of the numbers that they stand for.
    pub(super) fn blocks(
        &self,
        parts: &[WeightPart<'_>],
        input_size: usize,
    ) -> Result<HostAndDevice<Weight>> {
        let host = Weight::pack(parts, input_size)?;
        let device = Weight::in_device_blocks(parts, input_size, self.device, self.dtype)?;
        let device = device.map_or_else(|| self.unblocked(&host), Ok)?;
        Ok(HostAndDevice { host, device })
    }

    /// A weight of 8-bit floats likewise.
    pub(super) fn fp8(
        &self,
        parts: &[Fp8Part<'_>],
        input_size: usize,
    ) -> Result<HostAndDevice<Weight>> {
        let host = Weight::pack_fp8(parts, input_size)?;
        let device = Weight::in_device_fp8(parts, input_size, self.device, self.dtype)?;
        let device = device.map_or_else(|| self.unblocked(&host), Ok)?;
        Ok(HostAndDevice { host, device })
    }

    /// A packed weight as what the device keeps in place of blocks: on the CPU itself, elsewhere its numbers.
    fn unblocked(&self, weight: &Weight) -> Result<Weight> {
        if self.device.is_cpu() {
            return Ok(weight.clone());
        }
        let ids: Vec<u32> = (0..weight.output_size() as u32).collect();
        let numbers = embedding(&ids, weight, None)?;
        Weight::plain(numbers.to_dtype(self.dtype)?.to_device(self.device)?)
    }

    /// Leaves NaN in memory that is free.
    fn spoil(&self) -> Result<()> {
        let spoilt = |numbers: usize| Tensor::full(f32::NAN, numbers, self.device);
        let held: Vec<Tensor> =
            (0..6).map(|size| spoilt(SPOILT_NUMBERS >> (2 * size))).collect::<Result<_>>()?;
        self.device.synchronize()?;
        drop(held);
        Ok(())
    }
}

/// How far a result in a type may be off, relative to what it is compared with.
pub(super) fn bound(dtype: DType) -> f64 {
    match dtype {
        DType::BF16 => STEPS_OF_HALVES / 256.0,
        DType::F16 => STEPS_OF_HALVES / 2048.0,
        _ => 1e-4,
    }
}

impl Operation {
    /// Tries every case.
    pub(super) fn compare(&self, inputs: &mut TestInputs<'_>) -> SelftestRow {
        let mut furthest: f64 = 0.0;
        let mut problem = None;
        for case in &self.cases {
            let computed =
                inputs.spoil().and_then(|()| case(inputs)).and_then(|both| distance(&both));
            match computed {
                Ok(distance) => furthest = furthest.max(distance),
                Err(error) => {
                    let error = error.to_string();
                    problem = Some(error.lines().next().unwrap_or_default().to_owned());
                }
            }
        }
        SelftestRow {
            cases: self.cases.len(),
            furthest,
            judged: furthest,
            bound: Some(bound(inputs.dtype)),
            problem,
            ..SelftestRow::of(self.name.to_owned(), inputs.dtype)
        }
    }
}

/// The largest difference, relative to 1 + |the CPU's|.
fn distance(both: &HostAndDevice<Tensor>) -> Result<f64> {
    if both.host.dims() != both.device.dims() {
        candle_core::bail!("a result of {:?}, not {:?}", both.device.dims(), both.host.dims())
    }
    host::read(&both.host, |expected| {
        host::read(&both.device, |found| {
            expected.iter().zip(found).fold(0.0, |furthest: f64, (&expected, &found)| {
                let (expected, found) = (f64::from(expected), f64::from(found));
                let distance = (found - expected).abs() / (1.0 + expected.abs());
                furthest.max(if distance.is_nan() { f64::INFINITY } else { distance })
            })
        })
    })?
}
