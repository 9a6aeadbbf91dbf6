//! Compiles `kernels/*.cu` for the feature `cuda`; without it there is nothing to build.
//!
//! The compiler is `NVCC`, or that of `CUDA_HOME`, or `nvcc`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// GPUs that get code of their own. That for `sm_80` runs on every 8.x; GPUs after 9.x compile the PTX when
/// the program starts.
const TARGETS: [&str; 2] =
    ["arch=compute_80,code=[sm_80,compute_80]", "arch=compute_90,code=sm_90"];
/// The files, the longest first: they are compiled side by side.
const KERNELS: [&str; 8] = [
    "paged_attention",
    "token_logprob",
    "experts",
    "residual_norm",
    "gated_activation",
    "rotary_kv",
    "embedding",
    "merge_attention",
];

fn main() -> Result<(), String> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=kernels");
    if env::var_os("CARGO_FEATURE_CUDA").is_none() {
        return Ok(());
    }
    for variable in ["NVCC", "CUDA_HOME", "NVCC_APPEND_FLAGS"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let compiler = env::var("NVCC")
        .or_else(|_| env::var("CUDA_HOME").map(|home| format!("{home}/bin/nvcc")))
        .unwrap_or_else(|_| "nvcc".to_owned());
    let folder = PathBuf::from(env::var("OUT_DIR").map_err(|error| error.to_string())?);
    let mut compilations = Vec::new();
    for kernel in KERNELS {
        compilations.push((kernel, compile(&compiler, kernel, &folder)?));
    }
    for (kernel, mut compilation) in compilations {
        let status = compilation.wait().map_err(|error| error.to_string())?;
        if !status.success() {
            return Err(format!("kernels/{kernel}.cu: `{compiler}` ended with {status}"));
        }
    }
    Ok(())
}

/// Begins to compile a file to code for all targets.
fn compile(compiler: &str, kernel: &str, folder: &Path) -> Result<Child, String> {
    let mut command = Command::new(compiler);
    command.args(["-fatbin", "-std=c++17", "-O3"]);
    for target in TARGETS {
        command.args(["-gencode", target]);
    }
    command.arg("-o").arg(folder.join(kernel).with_extension("fatbin"));
    command.arg(Path::new("kernels").join(kernel).with_extension("cu"));
    command.spawn().map_err(|error| {
        format!(
            "the feature `cuda` needs CUDA's compiler, and `{compiler}` does not run ({error}); \
             `eval \"$(kernels/toolchain.sh FOLDER)\"` installs it, and NVCC names another"
        )
    })
}
