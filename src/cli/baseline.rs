//! `surprisal bench --baseline BINARY`: this build and another one, in turn, and by how much one is faster.
//!
//! Each build measures in a process of its own, started with what was typed, so that neither warms the machine up for
//! the other: which comes first alternates. The figures are made of what `--json` prints.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context as _, bail};

use super::{
    args::BenchArguments,
    output::{print, print_json, stdout_columns, talk},
    table::{Column, Table},
    visible::visible_line,
    width::folded,
};
use crate::bench::{BenchReport, BenchRound, BuildComparison, QuantityRatio, compare_builds};

/// Options with a value that the builds are not given.
const OWN_OPTIONS: [&str; 2] = ["--baseline", "--rounds"];

/// Measures with both builds and prints the ratios.
pub(super) fn bench(baseline: &Path, arguments: &BenchArguments) -> anyhow::Result<ExitCode> {
    let this = Build {
        program: env::current_exe().context("cannot tell where this program lies")?,
        name: "this build",
    };
    let baseline = Build::open(baseline)?;
    let typed = forwarded(env::args_os().skip(1));
    let mut rounds = Vec::with_capacity(arguments.rounds);
    for number in 0..arguments.rounds {
        let (now, before);
        if number % 2 == 0 {
            now = this.measure(&typed)?;
            before = baseline.measure(&typed)?;
        } else {
            before = baseline.measure(&typed)?;
            now = this.measure(&typed)?;
        }
        let seconds = |reports: &[BenchReport]| -> f64 {
            reports.iter().map(|report| report.wall_seconds).sum()
        };
        talk(&format!(
            "round {} of {}: {:.2} s, the baseline {:.2} s",
            number + 1,
            arguments.rounds,
            seconds(&now),
            seconds(&before)
        ));
        rounds.push(BenchRound { now, before });
        // What cannot be compared is told after one round, not after all.
        compare_builds(&rounds)?;
    }
    let compared = compare_builds(&rounds)?;
    if arguments.json {
        print_json(&compared)?;
        return Ok(ExitCode::SUCCESS);
    }
    let columns = stdout_columns();
    for comparison in &compared {
        if !comparison.other_settings.is_empty() {
            talk(&format!("settings differ: {}", comparison.other_settings.join("; ")));
        }
        print(&text(comparison, columns))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A build of this program.
struct Build {
    program: PathBuf,
    name: &'static str,
}

impl Build {
    /// The baseline; an error if it is no build of this program.
    fn open(path: &Path) -> anyhow::Result<Self> {
        let program = fs::canonicalize(path)
            .with_context(|| format!("cannot find the baseline {}", path.display()))?;
        let baseline = Self { program, name: "the baseline" };
        let said = baseline.said(&[OsString::from("--version")])?;
        if !said.starts_with("surprisal ") {
            let said = said.lines().next().unwrap_or_default();
            bail!(
                "{} is no build of surprisal: `--version` says `{}`",
                path.display(),
                visible_line(said)
            );
        }
        Ok(baseline)
    }

    /// What it measures.
    fn measure(&self, arguments: &[OsString]) -> anyhow::Result<Vec<BenchReport>> {
        let said = self.said(arguments)?;
        serde_json::from_str(&said).with_context(|| {
            format!("{} does not print what `bench --json` prints", self.program.display())
        })
    }

    /// What it writes to stdout.
    fn said(&self, arguments: &[OsString]) -> anyhow::Result<String> {
        let output = Command::new(&self.program)
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        if !output.status.success() {
            let talk = String::from_utf8_lossy(&output.stderr);
            let lines = || talk.lines().filter(|line| !line.trim().is_empty());
            // What is wrong stands before how to ask for help.
            let said =
                lines().rfind(|line| line.starts_with("error")).or_else(|| lines().next_back());
            bail!(
                "{} ({}) ended with {}: {}",
                self.name,
                self.program.display(),
                output.status,
                visible_line(said.unwrap_or("no word"))
            );
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// What was typed after the program's name, for a build that is to measure alone and print JSON.
fn forwarded(typed: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut typed = typed;
    let mut forwarded = Vec::new();
    while let Some(word) = typed.next() {
        if word == "--" {
            forwarded.push(word);
            forwarded.extend(typed);
            break;
        }
        if OWN_OPTIONS.iter().any(|option| word == *option) {
            typed.next();
            continue;
        }
        let has_value = |option: &str| {
            let bytes = word.as_encoded_bytes();
            bytes.strip_prefix(option.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'='))
        };
        if word == "--json" || OWN_OPTIONS.into_iter().any(has_value) {
            continue;
        }
        let is_command = word == OsStr::new("bench") && !forwarded.contains(&word);
        forwarded.push(word);
        if is_command {
            forwarded.push("--json".into());
        }
    }
    forwarded
}

fn text(comparison: &BuildComparison, columns: usize) -> String {
    let BuildComparison { model, workload, version, baseline_version, rounds, .. } = comparison;
    let times = if *rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") };
    let heading =
        format!("{model} · {workload} · {version} beside {baseline_version}, {times} in turn");
    let mut table = Table::new([
        Column::text("quantity").shortest(16),
        Column::number("now").optional(0),
        Column::number("before").optional(1),
        Column::number("now / before"),
        Column::number("95 % interval"),
    ]);
    for quantity in &comparison.quantities {
        let QuantityRatio { name, now, before, ratio, low, high } = quantity;
        let interval = low.zip(*high).map(|(low, high)| format!("{low:.3}–{high:.3}"));
        table.row([
            name.clone(),
            number(*now),
            number(*before),
            ratio.map_or_else(String::new, |ratio| format!("{ratio:.3}")),
            interval.unwrap_or_default(),
        ]);
    }
    format!("{}\n\n{}", folded(&visible_line(&heading), columns, 2).join("\n"), table.text(columns))
}

fn number(number: f64) -> String {
    let decimals = if number >= 1000.0 { 0 } else { 3 };
    format!("{number:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_given_what_was_typed_but_what_is_not_its_own() {
        for (typed, expected) in [
            ("bench --baseline old --limit 3", "bench --json --limit 3"),
            ("--allow-unverified bench --rounds=9 --baseline=old --json a.py", {
                "--allow-unverified bench --json a.py"
            }),
            ("bench bench --rounds 2 -- --baseline", "bench --json bench -- --baseline"),
        ] {
            let typed = typed.split(' ').map(OsString::from);
            let expected: Vec<OsString> = expected.split(' ').map(OsString::from).collect();
            assert_eq!(forwarded(typed), expected);
        }
    }
}
