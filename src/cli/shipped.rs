//! Configs that ship with the program, where names of configs are typed.

use std::path::{Path, PathBuf};

use super::output::talk;
use crate::{benchmark::FOLDER, config::nearest, shipped};

/// What may be left out of the name of a config that ships, in front of it and behind it.
const FRONTS: [&str; 3] = ["", "configs", FOLDER];
const ENDINGS: [&str; 2] = ["", ".py"];

/// The configs that were typed, each as [`config`] finds it.
pub(super) fn configs(typed: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    typed.iter().map(|typed| config(typed)).collect()
}

/// The config that was typed, if it is here; else the one that ships with the program under that name, which is told.
///
/// `configs/benchmarks/mmlu.py`, `benchmarks/mmlu` and `mmlu` are names of one config.
pub(super) fn config(typed: &Path) -> anyhow::Result<PathBuf> {
    if typed.exists() && !typed.is_dir() {
        return Ok(typed.to_owned());
    }
    let Some(name) = name(typed) else {
        if let Some(like) = typed.to_str().filter(|_| !typed.exists()).and_then(like) {
            anyhow::bail!(
                "there is no file {}; did you mean {like}, a benchmark that ships with the program?",
                typed.display()
            );
        }
        return Ok(typed.to_owned());
    };
    let place = shipped::unpacked()?.join(&name);
    talk(&format!(
        "{} is no file here: taken from the program, {}",
        typed.display(),
        place.display()
    ));
    Ok(place)
}

/// The name of the config that ships which was meant, if one was.
fn name(typed: &Path) -> Option<String> {
    let typed = typed.to_str()?;
    let mut names = FRONTS.iter().flat_map(|front| {
        ENDINGS.iter().map(move |ending| {
            let slash = if front.is_empty() { "" } else { "/" };
            format!("{front}{slash}{typed}{ending}")
        })
    });
    names.find(|name| shipped::names().any(|shipped| shipped == name))
}

/// The benchmark whose name is most like a word that names none, and no file either.
fn like(typed: &str) -> Option<&'static str> {
    if typed.contains(['.', '/', '\\']) {
        return None;
    }
    let benchmarks =
        shipped::names().filter_map(|file| file.strip_prefix(FOLDER)?.strip_prefix('/'));
    let benchmarks = benchmarks.filter_map(|file| file.strip_suffix(".py"));
    nearest(typed, benchmarks.filter(|name| !name.contains('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_config_that_ships_has_short_names() {
        let of = |typed: &str| name(Path::new(typed));
        for typed in [
            "configs/benchmarks/mmlu.py",
            "configs/benchmarks/mmlu",
            "benchmarks/mmlu",
            "mmlu",
            "mmlu.py",
        ] {
            assert_eq!(of(typed).as_deref(), Some("configs/benchmarks/mmlu.py"), "{typed}");
        }
        assert_eq!(of("demo").as_deref(), Some("configs/demo.py"));
        for typed in ["./mmlu", "/mmlu.py", "", "benchmarks", "mmlu.json", "../configs/demo.py"] {
            assert_eq!(of(typed), None, "{typed}");
        }
        assert_eq!(like("mmul"), Some("mmlu"));
        assert_eq!(like("mmul.py"), None);
    }
}
