//! `surprisal inspect`: what there is to know about a checkpoint before its weights are read.

use std::{path::Path, process::ExitCode};

use super::{
    ERROR,
    args::InspectArguments,
    facts::facts,
    output::{print, print_json, stdout_columns, talk},
    progress::TerminalProgress,
    visible::visible_line,
    width::folded,
};
use crate::{
    inspect::{self, FoundTemplate, GenerationFacts, Inspection},
    model::TokenizerFacts,
    report::{grouped, memory},
};

/// Special tokens that are listed; of more, the first are and all are counted.
const LISTED_TOKENS: usize = 8;

/// Prints what can be known; an error for a checkpoint that cannot be run.
pub(super) fn inspect(arguments: &InspectArguments) -> anyhow::Result<ExitCode> {
    let inspection = inspect::inspect(&arguments.model, &TerminalProgress::new());
    if arguments.json {
        print_json(&inspection)?;
    } else if inspection.folder.is_some() {
        print(&text(&inspection, stdout_columns()))?;
    }
    for problem in &inspection.problems {
        talk(&format!("error: {problem}"));
    }
    Ok(if inspection.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(ERROR) })
}

fn text(inspection: &Inspection, columns: usize) -> String {
    let folder = inspection.folder.as_deref().unwrap_or(Path::new(""));
    let mut lines: Vec<(&str, String)> =
        inspection.decoder.iter().map(|line| (line.subject, line.text.clone())).collect();
    lines.extend(inspection.sizes.map(|sizes| {
        let native = sizes
            .native_context_tokens
            .map_or_else(String::new, |tokens| format!(", {} as trained", grouped(tokens)));
        ("context", format!("{} tokens{native}", grouped(sizes.context_tokens)))
    }));
    lines.extend(inspection.parameters.map(|parameters| {
        let active = match parameters.active {
            all if all == parameters.total => String::new(),
            active => format!(", {} of them for a token", grouped(active)),
        };
        ("parameters", format!("{}{active}", grouped(parameters.total)))
    }));
    lines.extend((!inspection.stored.is_empty()).then(|| ("stored", stored(inspection))));
    lines.extend(inspection.memory.map(|held| {
        let text = format!(
            "weights {}, keys and values {} for 1,000 tokens, about {} for a pass of {} rows",
            memory(held.weight_bytes),
            memory(held.kv_bytes_per_1000_tokens),
            memory(held.pass_bytes),
            grouped(held.pass_rows),
        );
        ("memory", text)
    }));
    if let Some(facts) = &inspection.tokenizer {
        lines.push(("tokenizer", tokenizer(facts)));
        lines.push(("added", added(facts)));
        lines.push(("special", special(&facts.special_tokens)));
    }
    lines.push(("chat", templates(&inspection.chat_templates, folder)));
    lines.extend(inspection.generation.as_ref().map(|facts| ("generation", generation(facts))));
    lines.extend(
        inspection.adapter_config.as_ref().map(|path| ("adapter", path.display().to_string())),
    );
    let names = inspection.model_type.iter().chain(&inspection.architectures);
    let heading: Vec<&str> = names.map(String::as_str).collect();
    let heading = format!("{} · {}", heading.join(" · "), folder.display());
    let heading = folded(&visible_line(&heading), columns, 2).join("\n");
    format!("{heading}\n\n{}", facts(&lines, 12, columns))
}

fn stored(inspection: &Inspection) -> String {
    let kind = |stored: &crate::model::StoredType| {
        format!("{} {} in {} tensors", stored.dtype, memory(stored.bytes), grouped(stored.tensors))
    };
    inspection.stored.iter().map(kind).collect::<Vec<_>>().join(", ")
}

fn tokenizer(facts: &TokenizerFacts) -> String {
    let shares = if facts.shares_text { "once" } else { "each time" };
    format!(
        "{} of {} tokens; text that prompts share is encoded {shares}",
        facts.kind,
        grouped(facts.vocabulary_size)
    )
}

/// What stands around every text, and which tokens that are known for it do not.
fn added(facts: &TokenizerFacts) -> String {
    let side =
        |added: &[String], token: &Option<String>, name: &str, place: &str| match (added, token) {
            ([], None) => format!("no {name}"),
            ([], Some(token)) => format!("{name} {token} is not added"),
            (added, _) => format!("{} {place} every text", added.join(" ")),
        };
    format!(
        "{}; {}",
        side(&facts.added_before, &facts.bos_token, "BOS", "before"),
        side(&facts.added_behind, &facts.eos_token, "EOS", "behind"),
    )
}

fn special(tokens: &[String]) -> String {
    match tokens {
        [] => "no special tokens".to_owned(),
        few if few.len() <= LISTED_TOKENS => few.join(" "),
        many => format!("{} … {} in all", many[..LISTED_TOKENS].join(" "), grouped(many.len())),
    }
}

fn templates(found: &[FoundTemplate], folder: &Path) -> String {
    let one = |template: &FoundTemplate| {
        let file = template.file.as_deref().map(|file| file.strip_prefix(folder).unwrap_or(file));
        let file = file.map_or_else(String::new, |file| format!(" in {}", file.display()));
        format!("{}{file}", template.name)
    };
    match found {
        [] => "no template; ChatML is used".to_owned(),
        found => found.iter().map(one).collect::<Vec<_>>().join(", "),
    }
}

fn generation(facts: &GenerationFacts) -> String {
    let end = |(id, text): &(u32, Option<String>)| {
        text.as_ref().map_or_else(|| id.to_string(), |text| format!("{text} ({id})"))
    };
    let ends = match facts.ends_at.as_slice() {
        [] => "no token ends it".to_owned(),
        ends => format!("ends at {}", ends.iter().map(end).collect::<Vec<_>>().join(", ")),
    };
    if facts.suggested.is_empty() {
        return ends;
    }
    let suggested: Vec<String> =
        facts.suggested.iter().map(|(name, value)| format!("{name} {value}")).collect();
    format!("{ends}; its authors suggest {}, which a config may ask for", suggested.join(", "))
}
