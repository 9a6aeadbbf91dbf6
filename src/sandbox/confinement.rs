//! What confines a program: `unshare` with a root folder of our own making, or bubblewrap.

#![expect(clippy::disallowed_methods, reason = "a program may read what is there")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::{Program, Python};

/// A way to confine programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Confinement {
    /// As root: namespaces, and then a user that owns nothing.
    UnshareAsRoot,
    /// As anybody: namespaces within a user namespace.
    UnshareAsUser,
    /// `bwrap`.
    Bubblewrap,
}

/// Makes the root folder for `unshare`: our own text, which a shell reads.
const SETUP: &str = include_str!("setup.sh");

/// What every program may read, besides Python.
const READABLE: [&str; 7] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/alternatives", "/etc/ld.so.cache"];

/// How the names of folders in `/etc` begin that compilers and interpreters read.
const LANGUAGES: [&str; 5] = ["R", "java-", "mono", "php", "ruby"];

const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/urandom"];

/// A folder to make the root folder on: what is in it is not seen by a program.
const ROOTS: [&str; 5] = ["/mnt", "/media", "/srv", "/opt", "/home"];

/// Processes and threads.
const PROCESSES: u32 = 64;

const FILE_BYTES: u64 = 16 << 20;

/// Bytes of a temporary folder, as bubblewrap reads them.
const TEMPORARY_BYTES: &str = "67108864";

/// The first of the user numbers that programs have, beyond those that systems give.
const FIRST_USER: u32 = 1_900_000_000;

/// How many of them there are.
const USERS: u32 = 10_000_000;

impl Confinement {
    /// Those that may work here, best first.
    pub(super) fn candidates() -> Vec<Self> {
        if is_root() {
            vec![Self::UnshareAsRoot, Self::Bubblewrap]
        } else {
            vec![Self::Bubblewrap, Self::UnshareAsUser]
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::UnshareAsRoot | Self::UnshareAsUser => "unshare",
            Self::Bubblewrap => "bwrap",
        }
    }

    /// The beginning of a command that runs Python in it.
    pub(super) fn command(&self, run: u32, program: &Program, python: &Python) -> Command {
        let mut command = match self {
            Self::UnshareAsRoot | Self::UnshareAsUser => self.unshare(program, python),
            Self::Bubblewrap => bubblewrap(program, python),
        };
        let cpu_seconds = program.seconds.max(0.0).ceil() + 90.0;
        command.args([
            "prlimit".to_owned(),
            format!("--as={}", program.memory_bytes),
            format!("--cpu={cpu_seconds}"),
            format!("--nproc={PROCESSES}"),
            format!("--fsize={FILE_BYTES}"),
            "--core=0".to_owned(),
            "--".to_owned(),
        ]);
        match self {
            Self::UnshareAsRoot => {
                let user = FIRST_USER + run % USERS;
                command.args([
                    "setpriv".to_owned(),
                    format!("--reuid={user}"),
                    format!("--regid={user}"),
                ]);
                command.args(["--clear-groups", "--no-new-privs", "--bounding-set=-all"]);
                command.args(["--inh-caps=-all", "--"]);
            }
            Self::UnshareAsUser => {
                command.args(["setpriv", "--no-new-privs", "--bounding-set=-all"]);
                command.args(["--inh-caps=-all", "--"]);
            }
            Self::Bubblewrap => {}
        }
        command.arg(&python.executable);
        for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
            command.env(name, "1");
        }
        command
    }

    fn unshare(&self, program: &Program, python: &Python) -> Command {
        let mut command = Command::new("unshare");
        command.env_clear().env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin").env("HOME", "/tmp");
        command.env("LANG", "C.UTF-8").current_dir("/");
        if *self == Self::UnshareAsUser {
            command.args(["--user", "--map-root-user"]);
        }
        command.args(["--mount", "--net", "--pid", "--ipc", "--uts", "--fork"]);
        command.args(["--kill-child=SIGKILL", "--propagation", "private"]);
        command.args(["sh", "-c", SETUP, "sandbox"]).arg(root(program, python));
        command.args(readable(program, python)).args(DEVICES).arg("--");
        command
    }
}

fn bubblewrap(program: &Program, python: &Python) -> Command {
    let mut command = Command::new("bwrap");
    command.current_dir("/");
    command.args(["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]);
    command.args(["--clearenv", "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/tmp"]);
    command.args(["--setenv", "LANG", "C.UTF-8", "--setenv", "OMP_NUM_THREADS", "1"]);
    command.args(["--setenv", "OPENBLAS_NUM_THREADS", "1"]);
    command.args(["--dev", "/dev"]);
    // First, because Python may lie in a folder of this name too.
    for folder in ["/dev/shm", "/tmp"] {
        command.args(["--size", TEMPORARY_BYTES, "--tmpfs", folder]);
    }
    for path in readable(program, python) {
        match fs::read_link(&path) {
            Ok(target) => command.arg("--symlink").arg(target).arg(&path),
            Err(_) => command.arg("--ro-bind").arg(&path).arg(&path),
        };
    }
    command.args(["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp", "--"]);
    command
}

/// What is there of what a program may read.
fn readable(program: &Program, python: &Python) -> Vec<PathBuf> {
    let system = READABLE.iter().map(PathBuf::from).filter(|path| path.exists());
    let mut paths: Vec<PathBuf> = system.collect();
    let settings = fs::read_dir("/etc").into_iter().flatten().flatten();
    paths.extend(settings.map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        path.is_dir() && LANGUAGES.iter().any(|begin| name.starts_with(begin))
    }));
    for folder in python.folders.iter().chain(&program.readable) {
        if !paths.iter().any(|known| folder.starts_with(known)) {
            paths.push(folder.clone());
        }
    }
    paths
}

/// A folder that is there and holds nothing that a program needs.
fn root(program: &Program, python: &Python) -> &'static Path {
    let needed = || python.folders.iter().chain(&program.readable);
    let is_needed = |root: &Path| needed().any(|folder| folder.starts_with(root));
    let mut roots = ROOTS.iter().map(Path::new);
    roots.find(|root| root.is_dir() && !is_needed(root)).unwrap_or(Path::new("/mnt"))
}

/// Whether this process is the machine's own root.
fn is_root() -> bool {
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return false };
    let effective = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    let user = effective.and_then(|line| line.split_whitespace().nth(1));
    let is_named = env::var_os("USER").is_some_and(|name| name == "root");
    user.map_or(is_named, |user| user == "0")
}
