//! `surprisal view`: the Prompt Viewer.

use std::{fmt::Write as _, process::ExitCode};

use super::{args::ViewArguments, print, talk};
use crate::run::{PromptView, RunPlan, view as prompt_views};

/// Prints the prompts of a sample, as they are with and without the model's markup.
pub(super) fn view(arguments: &ViewArguments) -> anyhow::Result<ExitCode> {
    let plan = RunPlan::load(std::slice::from_ref(&arguments.config), &arguments.models)?;
    let mut views = prompt_views(
        &plan,
        arguments.sample,
        arguments.dataset.as_deref(),
        super::now(),
        &|note| talk(note),
    )?;
    if let Some(label) = &arguments.label {
        for view in &mut views {
            view.prompts.retain(|prompt| prompt.label.as_deref() == Some(label));
        }
        views.retain(|view| !view.prompts.is_empty());
        anyhow::ensure!(!views.is_empty(), "no candidate is called {label:?}");
    }
    if arguments.json {
        print(&serde_json::to_string_pretty(&views)?)?;
    } else {
        for view in &views {
            print(&shown(view))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn shown(view: &PromptView) -> String {
    let mut text = String::new();
    let line = "─".repeat(72);
    let PromptView {
        dataset,
        model,
        sample,
        mode,
        masked_column,
        examples,
        dropped_examples,
        prompts,
    } = view;
    let _ = writeln!(text, "{line}\n{dataset} · {model} · sample {sample} · {mode}\n{line}");
    let _ = writeln!(text, "examples: {examples} used, {dropped_examples} dropped to fit");
    match masked_column {
        Some(column) => {
            let _ = writeln!(text, "masked:   column {column:?} is empty in this prompt");
        }
        None => {
            let _ = writeln!(text, "masked:   nothing");
        }
    }
    for prompt in prompts {
        let name = prompt
            .label
            .as_ref()
            .map_or_else(|| "prompt".to_owned(), |label| format!("label {label}"));
        let _ = write!(text, "\n[{name}]");
        if let Some(tokens) = prompt.tokens {
            let _ = write!(text, " {tokens} tokens");
        }
        if prompt.truncated_tokens > 0 {
            let _ = write!(text, ", {} cut off", prompt.truncated_tokens);
        }
        let _ = writeln!(text, "; {}", prompt.scored);
        if prompt.without_markup != prompt.text {
            let _ = writeln!(
                text,
                "without the model's meta template:\n{}\nas the model reads it:",
                indented(&prompt.without_markup)
            );
        }
        let _ = writeln!(text, "{}", indented(&prompt.text));
    }
    text
}

/// Lines with a bar in front, so that blank lines and trailing spaces show where a text ends.
fn indented(text: &str) -> String {
    text.split('\n').map(|line| format!("  │{line}")).collect::<Vec<_>>().join("\n")
}
