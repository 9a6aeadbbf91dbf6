//! The kernels as a program of this machine.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use candle_core::DType;

use super::number;

/// The program; `None` where there is no C++ compiler.
#[expect(clippy::print_stderr, reason = "says why tests pass without having tested")]
static PROGRAM: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let program = folder.join("kernels");
    // Another process may run the same tests now: each writes a file of its own, and what is run is whole.
    let written = folder.join(format!("kernels.{}", std::process::id()));
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let compiled = Command::new(&compiler)
        .args(["-x", "c++", "-std=c++17", "-O1", "-ffp-contract=off", "-I"])
        .arg(kernels.join("emulator"))
        .arg("-o")
        .arg(&written)
        .arg(kernels.join("emulator/program.cpp"))
        .output();
    match compiled {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("kernels are not tested: there is no C++ compiler `{compiler}` (set CXX)");
            None
        }
        Err(error) => panic!("`{compiler}` does not run: {error}"),
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "the kernels are no C++:\n{errors}");
            std::fs::rename(&written, &program).unwrap();
            Some(program)
        }
    }
});

/// Whether kernels can be run here.
pub(crate) fn is_there() -> bool {
    PROGRAM.is_some()
}

/// What the program prints for `--tilings`.
pub(crate) fn tilings() -> String {
    let output = Command::new(PROGRAM.as_ref().unwrap()).arg("--tilings").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// A launch of a kernel.
#[derive(Clone)]
pub(crate) struct Launch {
    name: String,
    grid: (u32, u32),
    threads: u32,
    arguments: Vec<(u32, Vec<u8>)>,
}

impl Launch {
    pub(crate) fn new(name: impl Into<String>, grid: (usize, usize), threads: u32) -> Self {
        let grid = (grid.0 as u32, grid.1 as u32);
        Self { name: name.into(), grid, threads, arguments: Vec::new() }
    }

    /// Numbers that are passed by value, four bytes each.
    pub(crate) fn values(mut self, values: &[u32]) -> Self {
        self.arguments.push((0, number::words(values)));
        self
    }

    pub(crate) fn value(self, value: u32) -> Self {
        self.values(&[value])
    }

    pub(crate) fn factor(self, factor: f32) -> Self {
        self.value(factor.to_bits())
    }

    pub(crate) fn buffer(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.arguments.push((1, bytes.into()));
        self
    }

    pub(crate) fn numbers(self, numbers: &[f32], dtype: DType) -> Self {
        self.buffer(number::bytes(numbers, dtype))
    }

    /// Numbers, or a null pointer.
    pub(crate) fn optional(mut self, numbers: Option<&[f32]>, dtype: DType) -> Self {
        if let Some(numbers) = numbers {
            return self.numbers(numbers, dtype);
        }
        self.arguments.push((2, Vec::new()));
        self
    }

    pub(crate) fn words(self, words: &[u32]) -> Self {
        self.buffer(number::words(words))
    }

    /// The addresses of several buffers.
    pub(crate) fn list(mut self, buffers: &[Vec<u8>]) -> Self {
        let with_length =
            |buffer: &Vec<u8>| [number::words(&[buffer.len() as u32]), buffer.clone()].concat();
        self.arguments.push((3, buffers.iter().flat_map(with_length).collect()));
        self
    }

    /// Runs the kernel with its threads in two orders, which must not matter. The buffers afterwards.
    pub(crate) fn run(&self) -> Vec<Vec<u8>> {
        let forward = self.run_in_order(1);
        assert_eq!(forward, self.run_in_order(self.threads - 19), "{}: order matters", self.name);
        forward
    }

    fn run_in_order(&self, stride: u32) -> Vec<Vec<u8>> {
        let mut request = number::words(&[self.name.len() as u32]);
        request.extend(self.name.as_bytes());
        let (x, y) = self.grid;
        let count = self.arguments.len() as u32;
        request.extend(number::words(&[x, y, self.threads, stride, count]));
        for (kind, bytes) in &self.arguments {
            request.extend(number::words(&[*kind, bytes.len() as u32]));
            request.extend(bytes);
        }
        let mut child = Command::new(PROGRAM.as_ref().unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(&request).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{} ended with {}", self.name, output.status);
        let mut rest = output.stdout.as_slice();
        let buffers = self.arguments.iter().filter(|(kind, _)| *kind == 1);
        let buffers = buffers.map(|(_, bytes)| {
            let (own, others) = rest.split_at(bytes.len());
            rest = others;
            own.to_vec()
        });
        buffers.collect()
    }
}
