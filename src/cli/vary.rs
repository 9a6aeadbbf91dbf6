//! `surprisal vary`: how far the figure moves between formats that mean the same, and which is best.

use std::process::ExitCode;

use anyhow::{Context as _, ensure};

use super::{
    ERROR, SOME_FAILED,
    args::VaryArguments,
    chosen_datasets,
    facts::facts,
    formats,
    output::{print, print_json, stdout_columns, talk},
    run, shipped,
};
use crate::{
    plan::RunPlan,
    statistics::Resampling,
    vary::{self, Element, Findings, VaryOptions},
    warn,
};

/// Tries formats and prints what came of them.
pub(super) fn vary(arguments: &VaryArguments) -> anyhow::Result<ExitCode> {
    if arguments.grammar {
        return print_grammar(arguments.json);
    }
    let config = shipped::config(arguments.config.as_ref().context("a config is missing")?)?;
    let asking = &arguments.asking;
    ensure!(
        !asking.fresh,
        "--fresh would ask again what earlier steps of the same search have asked; another --work-dir begins anew"
    );
    let progress = run::start(asking)?;
    let mut plan = RunPlan::load(std::slice::from_ref(&config), &arguments.models)?;
    run::choose_judge(&mut plan, asking)?;
    chosen_datasets::keep(&mut plan, &asking.datasets)?;
    let elements = match arguments.elements.as_slice() {
        [] => Element::ALL.to_vec(),
        chosen => chosen.to_vec(),
    };
    let options = VaryOptions {
        config,
        formats: arguments.formats,
        changes: arguments.changes.unwrap_or(usize::MAX),
        elements,
        find: arguments.find,
        seed: arguments.seed,
        budget_tokens: arguments.budget_tokens,
        metric: arguments.metric.clone(),
        resampling: Resampling { resamples: arguments.resamples, seed: arguments.seed },
        output: arguments.output.clone(),
        run: run::options(asking),
    };
    let found = vary::vary(plan, &options, &progress)?;
    if arguments.json {
        print_json(&found)?;
    } else if !found.searches.is_empty() {
        print(&formats::text(&found, arguments.all, stdout_columns()))?;
        talk("");
    }
    Ok(ExitCode::from(tell(&found, arguments.asking.strict)))
}

/// Says what is wrong with a search; gives the exit code.
fn tell(found: &Findings, strict: bool) -> u8 {
    for line in warn::lines(&found.warnings) {
        talk(&line);
    }
    for path in &found.configs {
        talk(&format!("best format: {}", path.display()));
    }
    for note in &found.notes {
        talk(note);
    }
    for error in &found.errors {
        talk(&format!("error: {error}"));
    }
    if !found.errors.is_empty() {
        return ERROR;
    }
    if strict && !found.warnings.is_empty() {
        talk("error: there are warnings about the answers, and --strict makes them errors");
        return ERROR;
    }
    if found.failed_samples > 0 {
        talk(&format!("{} samples of a step have no answer", found.failed_samples));
        return SOME_FAILED;
    }
    0
}

fn print_grammar(as_json: bool) -> anyhow::Result<ExitCode> {
    let grammar = vary::grammar();
    if as_json {
        let elements: Vec<serde_json::Value> = grammar
            .iter()
            .map(|(element, values)| {
                serde_json::json!({"element": element, "about": element.about(), "values": values})
            })
            .collect();
        print_json(&elements)?;
    } else {
        let lines: Vec<(&str, String)> = grammar
            .iter()
            .map(|(element, values)| {
                (element.name(), format!("{}: {}", element.about(), values.join("  ")))
            })
            .collect();
        print(&facts(&lines, 0, stdout_columns()))?;
    }
    Ok(ExitCode::SUCCESS)
}
