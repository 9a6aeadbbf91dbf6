//! Programs that a model wrote, run where they can do no harm.
//!
//! A program runs in namespaces of its own: it sees no network, no other process and no file but those of the system and
//! of Python, none of which it can write to; it has a temporary folder of 64 MB that goes away with it, and limits of
//! time, memory, processes and file size. The namespaces are made by `unshare` or by bubblewrap; where neither works,
//! nothing is run. Python is the user's own.
//!
//! What is right or wrong about a program is not known here, only how it ended.

mod confinement;
mod program;
mod python;

use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    io::{Read, Write as _},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use rayon::prelude::*;

pub use self::program::{Ended, Program};
use self::{confinement::Confinement, python::Python};

/// Where programs run.
#[derive(Clone, Debug)]
pub struct Sandbox {
    confinement: Confinement,
    python: Python,
}

/// Why no program can be run.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SandboxError {
    /// There is no Python.
    #[error("programs are run by python3, and it does not start: {0}")]
    NoPython(String),
    /// Nothing confines programs here.
    #[error(
        "there is no sandbox here, and programs that a model wrote are run in none else: {0}; install bubblewrap, or allow \
         user namespaces"
    )]
    NoSandbox(String),
    /// A program could not be started although others were.
    #[error("the sandbox does not start: {0}")]
    Broken(String),
}

/// Runs a program and says how it ended: our own text, which Python reads.
const DRIVER: &str = include_str!("driver.py");

/// What starting and importing may take beyond a program's own time.
const GRACE: Duration = Duration::from_mins(1);

/// What importing large modules for the first time may take.
const IMPORT_SECONDS: f64 = 60.0;

/// Most bytes of what the driver says.
const MOST_REPLY_BYTES: u64 = 1 << 16;

/// How often is looked whether a program has ended.
const POLL: Duration = Duration::from_millis(5);

/// Every run has a user number of its own where it may choose one, so that the processes of one count alone.
static RUNS: AtomicU32 = AtomicU32::new(0);

impl Sandbox {
    /// Finds Python and what confines programs here, and tries whether it does.
    pub fn find() -> Result<Self, SandboxError> {
        let python = Python::find()?;
        let mut why = Vec::new();
        for confinement in Confinement::candidates() {
            let sandbox = Self { confinement, python: python.clone() };
            match sandbox.try_out() {
                Ok(()) => return Ok(sandbox),
                Err(error) => why.push(format!("{}: {error}", sandbox.confinement.name())),
            }
        }
        Err(SandboxError::NoSandbox(why.join("; ")))
    }

    /// Whether it runs what is harmless, and keeps from harm what is not.
    fn try_out(&self) -> Result<(), String> {
        let harmless = "import tempfile, threading, subprocess\n\
            with tempfile.TemporaryFile() as file: file.write(b'x')\n\
            one = threading.Thread(target=int); one.start(); one.join()\n\
            subprocess.run(['/bin/true'], check=True)\n";
        match self.run(&Program::new(harmless, "", 10.0)).map_err(|error| error.to_string())? {
            Ended::Passed => {}
            other => return Err(format!("a harmless program ended so: {other:?}")),
        }
        let harms = [
            ("writes to /usr", "open('/usr/surprisal-was-here', 'w')"),
            (
                "becomes somebody else",
                "import os; os.setuid(0); os.mkdir('/usr/surprisal-was-here')",
            ),
            ("has a network", "import socket; socket.create_connection(('127.0.0.1', 9), 1)"),
        ];
        for (what, program) in harms {
            let source = format!(
                "import errno\ntry:\n    {program}\nexcept OSError as error:\n    \
                 assert error.errno != errno.ECONNREFUSED\nelse:\n    assert False\n"
            );
            match self.run(&Program::new(&source, "", 10.0)).map_err(|error| error.to_string())? {
                Ended::Passed => {}
                other => return Err(format!("a program in it {what}: {other:?}")),
            }
        }
        Ok(())
    }

    /// What confines programs, for people.
    pub fn name(&self) -> String {
        format!("{} and {}", self.confinement.name(), self.python.executable.display())
    }

    /// Runs programs, as many at once as there are threads.
    pub fn run_all(&self, programs: &[Program]) -> Result<Vec<Ended>, SandboxError> {
        programs.par_iter().map(|program| self.run(program)).collect()
    }

    /// Whether Python finds modules.
    pub fn has_modules(&self, modules: &[&str]) -> Result<bool, SandboxError> {
        let source = format!("import {}", modules.join(", "));
        Ok(self.run(&Program::new(&source, "", IMPORT_SECONDS))?.is_passed())
    }

    /// Runs a program to its end, or until its time is over.
    pub fn run(&self, program: &Program) -> Result<Ended, SandboxError> {
        let broken = |error: std::io::Error| SandboxError::Broken(error.to_string());
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        let nonce = nonce(run);
        let mut command: Command = self.confinement.command(run, program, &self.python);
        command.args(["-I", "-B", "-c", DRIVER]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(broken)?;
        let job = program.job(&nonce);
        let stdin = child.stdin.take().map(|mut stdin| {
            // A program that ends before it has read everything is told by what it says.
            thread::spawn(move || drop(stdin.write_all(job.as_bytes())))
        });
        let stdout = child.stdout.take().map(reader);
        let stderr = child.stderr.take().map(reader);
        let most = Duration::from_secs_f64(program.seconds) + GRACE;
        let is_over = !wait(&mut child, most).map_err(broken)?;
        let heard = |reader: Option<thread::JoinHandle<Vec<u8>>>| {
            let heard = reader.and_then(|reader| reader.join().ok()).unwrap_or_default();
            String::from_utf8_lossy(&heard).into_owned()
        };
        let (said, complaint) = (heard(stdout), heard(stderr));
        drop(stdin.map(thread::JoinHandle::join));
        if is_over {
            return Ok(Ended::TimedOut);
        }
        if let Some(ended) = Ended::told(&said, &nonce) {
            return Ok(ended);
        }
        match complaint.trim() {
            // The driver hides what a program says: this is from what starts it.
            "" => Ok(Ended::Failed("it ended without a word".to_owned())),
            complaint => Err(SandboxError::Broken(complaint.to_owned())),
        }
    }
}

/// A word that only the driver knows.
fn nonce(run: u32) -> String {
    // Each has random keys of its own.
    let [first, second] = [(); 2].map(|()| RandomState::new().build_hasher().finish());
    format!("{first:016x}{second:016x}-{run}-")
}

/// Reads the first bytes of a pipe and lets the rest go.
fn reader(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.by_ref().take(MOST_REPLY_BYTES).read_to_end(&mut bytes);
        bytes
    })
}

/// Waits for the end of a process; ends it, with all that it has started, when its time is over. Whether it ended
/// itself.
fn wait(child: &mut Child, most: Duration) -> std::io::Result<bool> {
    let begun = Instant::now();
    while begun.elapsed() < most {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        thread::sleep(POLL);
    }
    child.kill()?;
    child.wait()?;
    Ok(false)
}
