//! Lists the files that ship inside of the program, and compiles `kernels/*.cu` for the feature `cuda`.
//!
//! The compiler is `NVCC`, or that of `CUDA_HOME`, or `nvcc`.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// GPUs that get code of their own, so that none of them compiles PTX when the program starts. Code for `sm_80` also
/// runs on other 8.x, and so on; all others compile the PTX of the first.
const TARGETS: [&str; 6] = [
    "arch=compute_80,code=[sm_80,compute_80]",
    "arch=compute_86,code=sm_86",
    "arch=compute_89,code=sm_89",
    "arch=compute_90,code=sm_90",
    "arch=compute_100,code=sm_100",
    "arch=compute_120,code=sm_120",
];
/// The files, the longest first: they are compiled side by side.
const KERNELS: [&str; 12] = [
    "paged_attention",
    "grouped_product",
    "token_logprob",
    "experts",
    "residual_norm",
    "gated_activation",
    "finish_product",
    "few_rows_product",
    "rotary_kv",
    "embedding",
    "merge_attention",
    "widen",
];

/// The folders whose files ship inside of the program, with what their names end in.
const SHIPPED: [(&str, &[&str]); 3] = [
    ("configs", &[".py", ".jsonl"]),
    ("models/pocket", &[".json", ".safetensors", ".md"]),
    ("models/pocket_dialogue", &[".json", ".safetensors", ".md"]),
];

fn main() -> Result<(), String> {
    println!("cargo::rerun-if-changed=build.rs");
    list_shipped().map_err(|error| format!("the files that ship with the program: {error}"))?;
    if env::var_os("CARGO_FEATURE_CUDA").is_none() {
        return Ok(());
    }
    // The emulator is no part of the program.
    for entry in fs::read_dir("kernels").map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.extension().is_some_and(|ending| ending == "cu" || ending == "cuh") {
            println!("cargo::rerun-if-changed={}", path.display());
        }
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
    // Code for several GPUs is compiled side by side.
    command.args(["--threads", "2"]);
    command.arg("-o").arg(folder.join(kernel).with_extension("fatbin"));
    command.arg(Path::new("kernels").join(kernel).with_extension("cu"));
    command.spawn().map_err(|error| {
        format!(
            "the feature `cuda` needs CUDA's compiler, and `{compiler}` does not run ({error}); \
             `eval \"$(kernels/toolchain.sh FOLDER)\"` installs it, and NVCC names another"
        )
    })
}

/// Writes the list of files that ship inside of the program, sorted by name, as an expression.
fn list_shipped() -> io::Result<()> {
    let mut names = Vec::new();
    for (folder, endings) in SHIPPED {
        println!("cargo::rerun-if-changed={folder}");
        let mut found = Vec::new();
        files_below(folder, &mut found)?;
        found.retain(|name| endings.iter().any(|ending| name.ends_with(ending)));
        names.extend(found);
    }
    names.sort();
    let mut list = String::from("&[\n");
    for name in names {
        let place = format!("concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{name}\")");
        let _ = writeln!(list, "    ({name:?}, include_bytes!({place})),");
    }
    list.push(']');
    let folder = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    fs::write(folder.join("shipped_files.rs"), list)
}

/// Adds the names of all files below a folder, with slashes.
fn files_below(folder: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let file = entry.file_name();
        let Some(file) = file.to_str() else { continue };
        let name = format!("{folder}/{file}");
        if entry.file_type()?.is_dir() {
            files_below(&name, names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}
