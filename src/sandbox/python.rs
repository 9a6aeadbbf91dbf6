//! The user's Python: where it is, and which folders it needs to start.

use std::{path::PathBuf, process::Command};

use super::SandboxError;

/// A Python with its folders.
#[derive(Clone, Debug)]
pub(super) struct Python {
    pub(super) executable: PathBuf,
    /// Folders that it reads its library and packages from.
    pub(super) folders: Vec<PathBuf>,
}

/// Lists what Python says of itself, a path per line, the executable first.
const QUESTION: &str = "import os, sys, sysconfig\n\
    print(sys.executable)\n\
    paths = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()}\n\
    paths.add(os.path.dirname(os.path.realpath(sys.executable)))\n\
    [print(path) for path in sorted(paths) if os.path.isdir(path)]\n";

impl Python {
    pub(super) fn find() -> Result<Self, SandboxError> {
        let failed = |why: String| SandboxError::NoPython(why);
        let output = Command::new("python3").args(["-I", "-c", QUESTION]).output();
        let output = output.map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut lines = said.lines().map(PathBuf::from);
        let executable = lines.next().filter(|path| path.is_absolute());
        let executable =
            executable.ok_or_else(|| failed("it does not say where it is".to_owned()))?;
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in lines.filter(|path| path.is_absolute() && path.parent().is_some()) {
            // The paths are sorted: a folder comes before what is in it.
            if !folders.iter().any(|known| folder.starts_with(known)) {
                folders.push(folder);
            }
        }
        Ok(Self { executable, folders })
    }
}
