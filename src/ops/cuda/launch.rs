//! Kernels that are embedded in the program, and launching them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use candle_core::cuda_backend::cudarc::driver::{
    CudaFunction, CudaModule, CudaStream, LaunchConfig, PushKernelArg,
    sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
};
use candle_core::cuda_backend::cudarc::nvrtc::Ptx;
use candle_core::cuda_backend::{CudaStorageSlice, WrapErr};
use candle_core::{CudaDevice, DType, Device, Layout, Result, Storage, Tensor};

/// The compiled kernels of one file, for all GPUs.
#[derive(Clone, Copy)]
pub(super) struct Program {
    name: &'static str,
    code: &'static [u8],
}

macro_rules! program {
    ($name:literal) => {
        Program {
            name: $name,
            code: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".fatbin")),
        }
    };
}

pub(super) const EMBEDDING: Program = program!("embedding");
pub(super) const EXPERTS: Program = program!("experts");
pub(super) const FEW_ROWS_PRODUCT: Program = program!("few_rows_product");
pub(super) const FINISH_PRODUCT: Program = program!("finish_product");
pub(super) const GATED_ACTIVATION: Program = program!("gated_activation");
pub(super) const GROUPED_PRODUCT: Program = program!("grouped_product");
pub(super) const MERGE_ATTENTION: Program = program!("merge_attention");
pub(super) const PAGED_ATTENTION: Program = program!("paged_attention");
pub(super) const RESIDUAL_NORM: Program = program!("residual_norm");
pub(super) const ROTARY_KV: Program = program!("rotary_kv");
pub(super) const TOKEN_LOGPROB: Program = program!("token_logprob");
pub(super) const WIDEN: Program = program!("widen");

type Modules = HashMap<(usize, &'static str), Arc<CudaModule>>;
type Functions = HashMap<(usize, &'static str), HashMap<String, CudaFunction>>;

/// Programs that a GPU has loaded, by its number and their names.
static MODULES: LazyLock<Mutex<Modules>> = LazyLock::new(Mutex::default);
/// Their kernels: the driver would look for the name in every launch.
static FUNCTIONS: LazyLock<Mutex<Functions>> = LazyLock::new(Mutex::default);

impl Program {
    fn function(self, device: &CudaDevice, name: &str) -> Result<CudaFunction> {
        let stream = device.cuda_stream();
        let context = stream.context();
        // Work moves between threads of a pool; the driver goes by the thread.
        context.bind_to_thread().w()?;
        let key = (context.ordinal(), self.name);
        let mut functions = FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner);
        let functions = functions.entry(key).or_default();
        if let Some(function) = functions.get(name) {
            return Ok(function.clone());
        }
        let mut modules = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
        let module = if let Some(module) = modules.get(&key) {
            module.clone()
        } else {
            let module = context.load_module(Ptx::from_binary(self.code.to_vec())).w()?;
            modules.insert(key, module.clone());
            module
        };
        let function = module.load_function(name).w()?;
        functions.insert(name.to_owned(), function.clone());
        Ok(function)
    }
}

/// Most bytes of an argument.
const ARGUMENT_WORDS: usize = 12;
/// Shared memory that a block gets without asking.
const ORDINARY_SHARED_BYTES: u32 = 48 << 10;
/// Most blocks in the second direction of a grid.
const MOST_Y: usize = 65_535;

/// A kernel and its arguments so far.
pub(super) struct Launch {
    function: CudaFunction,
    stream: Arc<CudaStream>,
    /// Each begins at the first byte and may be longer than the kernel reads.
    arguments: Vec<[u64; ARGUMENT_WORDS / 2]>,
}

impl Launch {
    /// The kernel `name` of a program.
    pub(super) fn new(device: &CudaDevice, program: Program, name: &str) -> Result<Self> {
        let function = program.function(device, name)?;
        Ok(Self { function, stream: device.cuda_stream(), arguments: Vec::new() })
    }

    /// The kernel of a program for numbers of `dtype`.
    pub(super) fn of_type(
        device: &CudaDevice,
        program: Program,
        kernel: &str,
        dtype: DType,
    ) -> Result<Self> {
        if !matches!(dtype, DType::F32 | DType::F16 | DType::BF16) {
            candle_core::bail!("GPUs compute in f32, f16 and bf16, not in {}", dtype.as_str())
        }
        Self::new(device, program, &format!("{kernel}_{}", dtype.as_str()))
    }

    /// An address in the device's memory, or 0 for none.
    pub(super) fn address(self, address: u64) -> Self {
        self.words(&[address as u32, (address >> 32) as u32])
    }

    /// A value of one or several words.
    pub(super) fn words(mut self, words: &[u32]) -> Self {
        let mut argument = [0u64; ARGUMENT_WORDS / 2];
        for (place, &word) in words.iter().take(ARGUMENT_WORDS).enumerate() {
            argument[place / 2] |= u64::from(word) << (32 * (place % 2));
        }
        self.arguments.push(argument);
        self
    }

    /// A number of things.
    pub(super) fn count(self, count: usize) -> Self {
        self.words(&[count as u32])
    }

    /// A factor.
    pub(super) fn factor(self, factor: f32) -> Self {
        self.words(&[factor.to_bits()])
    }

    /// Begins the kernel.
    ///
    /// # Safety
    /// The arguments are those of the kernel, in its order, and their memory is as large as the kernel
    /// says and used by nothing that is not on the device's stream.
    pub(super) unsafe fn run(
        self,
        (x, y): (usize, usize),
        threads: u32,
        shared_bytes: u32,
    ) -> Result<()> {
        if x == 0 || y == 0 {
            return Ok(());
        }
        if x > i32::MAX as usize || y > MOST_Y {
            candle_core::bail!("{x} × {y} blocks are more than a GPU can be given at once")
        }
        if shared_bytes > ORDINARY_SHARED_BYTES {
            let attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            self.function.set_attribute(attribute, shared_bytes.cast_signed()).w()?;
        }
        let mut builder = self.stream.launch_builder(&self.function);
        for argument in &self.arguments {
            builder.arg(argument);
        }
        let config = LaunchConfig {
            grid_dim: (x as u32, y as u32, 1),
            block_dim: (threads, 1, 1),
            shared_mem_bytes: shared_bytes,
        };
        // SAFETY: the caller's promise.
        unsafe { builder.launch(config) }.w()?;
        Ok(())
    }
}

/// The GPU a tensor is on.
pub(super) fn device(tensor: &Tensor) -> Result<CudaDevice> {
    match tensor.device() {
        Device::Cuda(device) => Ok(device.clone()),
        _ => candle_core::bail!("a tensor that should be on a GPU is not"),
    }
}

/// Where a contiguous tensor begins in the device's memory.
pub(super) fn address(tensor: &Tensor) -> Result<u64> {
    if !tensor.is_contiguous() {
        candle_core::bail!("a tensor that should be contiguous is not: {:?}", tensor.dims())
    }
    start(tensor)
}

/// As [`address`]; 0 for none.
pub(super) fn optional_address(tensor: Option<&Tensor>) -> Result<u64> {
    tensor.map_or(Ok(0), address)
}

/// Where a tensor `(rows, width)` begins whose rows are whole, and how many numbers they are apart.
pub(super) fn rows_of(tensor: &Tensor) -> Result<(u64, usize)> {
    match *tensor.stride() {
        [stride, 1] => Ok((start(tensor)?, stride)),
        // One column is whole wherever its rows are.
        [stride, _] if tensor.dim(1)? == 1 => Ok((start(tensor)?, stride)),
        _ => candle_core::bail!("rows that should be whole are not: {:?}", tensor.dims()),
    }
}

fn start(tensor: &Tensor) -> Result<u64> {
    let (storage, layout) = tensor.storage_and_layout();
    let Storage::Cuda(storage) = &*storage else {
        candle_core::bail!("a tensor that should be on a GPU is not")
    };
    let first = first_address(&storage.slice, &storage.device)?;
    Ok(first + byte_offset(layout, tensor.dtype()))
}

fn byte_offset(layout: &Layout, dtype: DType) -> u64 {
    (layout.start_offset() * dtype.size_in_bytes()) as u64
}

fn first_address(slice: &CudaStorageSlice, device: &CudaDevice) -> Result<u64> {
    use candle_core::cuda_backend::cudarc::driver::DevicePtr;
    let stream = device.cuda_stream();
    // What comes with the address marks its use for other streams; there are none.
    Ok(match slice {
        CudaStorageSlice::F32(numbers) => numbers.device_ptr(&stream).0,
        CudaStorageSlice::F16(numbers) => numbers.device_ptr(&stream).0,
        CudaStorageSlice::BF16(numbers) => numbers.device_ptr(&stream).0,
        CudaStorageSlice::U32(numbers) => numbers.device_ptr(&stream).0,
        CudaStorageSlice::U8(numbers) => numbers.device_ptr(&stream).0,
        _ => candle_core::bail!("a tensor of a type that kernels do not read"),
    })
}

/// Threads of a block for `numbers` numbers: whole warps, `each` numbers a thread at least.
pub(super) fn threads_for(numbers: usize, each: usize, most: u32) -> u32 {
    let threads = numbers.div_ceil(each.max(1)).next_multiple_of(32).max(32);
    (threads as u64).min(u64::from(most)) as u32
}
