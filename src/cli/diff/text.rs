//! Differences as text: what was compared, where it parts, the tables, and the causes.

use crate::{
    cli::{
        facts::facts,
        table::{Column, Table},
        visible::visible_line,
        width::folded_hard,
    },
    diff::{DiffReport, PromptDifference, RunDiff, TokenDifference, UnpairedSample},
    report::grouped,
};

/// All reports in lines of at most `columns`.
pub(super) fn text(found: &RunDiff, columns: usize) -> String {
    let mut parts: Vec<String> =
        found.reports.iter().map(|report| report_text(report, columns)).collect();
    parts.extend(found.notes.iter().map(|note| paragraph(&visible_line(note), columns)));
    parts.join("\n\n")
}

fn report_text(report: &DiffReport, columns: usize) -> String {
    let [left, right] = &report.sides;
    let title =
        format!("{} under {}: {left} (left) and {right} (right)", report.dataset, report.model);
    let verdict = if report.agree { "They agree." } else { "They differ." };
    let mut parts = vec![
        paragraph(&visible_line(&title), columns),
        folded_facts(&counts(report), columns),
        likelihood_table(report).map(|table| table.text(columns)).unwrap_or_default(),
        prediction_table(report).map(|table| table.text(columns)).unwrap_or_default(),
        paragraph(verdict, columns),
    ];
    if !report.agree {
        parts.extend(causes(report).iter().map(|line| paragraph(&visible_line(line), columns)));
    }
    parts.extend(report.notes.iter().map(|note| paragraph(&visible_line(note), columns)));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

fn paragraph(line: &str, columns: usize) -> String {
    folded_hard(line, columns, 2).join("\n")
}

/// Names and what is said of them; words that are longer than a line are broken.
fn folded_facts(lines: &[(&str, String)], columns: usize) -> String {
    facts(lines, 0, columns)
        .lines()
        .flat_map(|line| folded_hard(line, columns, 2))
        .collect::<Vec<String>>()
        .join("\n")
}

fn counts(report: &DiffReport) -> Vec<(&'static str, String)> {
    let pairing = &report.pairing;
    let mut ways = Vec::new();
    for (count, way) in [
        (pairing.by_row, "by their rows"),
        (pairing.by_prompt, "by their prompts"),
        (pairing.by_likeness, "by what only their prompts share"),
    ] {
        if count > 0 {
            ways.push(format!("{} {way}", grouped(count)));
        }
    }
    let ways = if ways.is_empty() { String::new() } else { format!(": {}", ways.join(", ")) };
    let mut lines = vec![(
        "samples",
        format!(
            "{} and {}; {} pair{ways}",
            grouped(report.samples[0]),
            grouped(report.samples[1]),
            grouped(pairing.paired)
        ),
    )];
    for (name, count, example) in [
        ("only left", pairing.only_left, &pairing.example_left),
        ("only right", pairing.only_right, &pairing.example_right),
    ] {
        if count > 0 {
            lines.push((name, unpaired(count, example.as_ref())));
        }
    }
    let prompts = &report.prompts;
    let more = match prompts.unaligned {
        0 => String::new(),
        count => format!("; {} more on one side only", grouped(count)),
    };
    lines.push((
        "prompts",
        format!("{} of {} differ{more}", grouped(prompts.differing), grouped(prompts.compared)),
    ));
    if let Some(first) = &prompts.first {
        lines.extend(parting(first));
    }
    if prompts.ids_compared > 0 {
        let (differing, compared) = (grouped(prompts.ids_differing), grouped(prompts.ids_compared));
        lines.push(("token ids", format!("of {differing} of {compared} prompts differ")));
    }
    if prompts.images_compared > 0 {
        let [differing, compared] =
            [prompts.images_differing, prompts.images_compared].map(grouped);
        lines.push(("images", format!("of {differing} of {compared} prompts differ")));
    }
    lines.extend(prompts.first_ids.as_ref().map(|first| ("first token", parting_ids(first))));
    lines.extend(likelihoods(report));
    lines.extend(predictions(report));
    for figure in &report.figures {
        let [left, right] = figure.values.map(|value| format!("{value:.2}"));
        lines.push(("figure", format!("{}: {left} and {right}", figure.metric)));
    }
    lines
}

fn unpaired(count: usize, example: Option<&UnpairedSample>) -> String {
    match example {
        None => grouped(count),
        Some(own) => format!("{}, such as {}: …{:?}", grouped(count), own.number, own.text),
    }
}

fn parting(first: &PromptDifference) -> Vec<(&'static str, String)> {
    let candidate = match first.candidate.as_str() {
        "" => String::new(),
        label => format!(", candidate {label}"),
    };
    let place = format!(
        "sample {}{candidate}, character {}:",
        numbers(first.samples),
        grouped(first.character)
    );
    let shown = |text: &str| {
        let before: String = text.chars().take(first.at).collect();
        let behind: String = text.chars().skip(first.at).collect();
        format!("{before:?} then {behind:?}")
    };
    let [left, right] = &first.around;
    vec![("first", place), ("  left", shown(left)), ("  right", shown(right))]
}

fn parting_ids(first: &TokenDifference) -> String {
    let id = |id: Option<u32>| id.map_or("the end".to_owned(), |id| id.to_string());
    let [left, right] = first.ids;
    let source = if first.is_tokenized_here {
        "; the right ones by the tokenizer of the left side's model"
    } else {
        ""
    };
    format!(
        "sample {}, token {}: {} and {}, of {} and {} tokens{source}",
        numbers(first.samples),
        grouped(first.token),
        id(left),
        id(right),
        grouped(first.tokens[0]),
        grouped(first.tokens[1])
    )
}

fn likelihoods(report: &DiffReport) -> Vec<(&'static str, String)> {
    let found = &report.likelihoods;
    let mut lines = Vec::new();
    if let (Some(quantity), Some(largest), Some(mean), Some(signed)) =
        (found.quantity, found.largest, found.mean, found.mean_signed)
    {
        let text = format!(
            "{}: {} of {} are more than {} {} apart; at most {}, on average {}, with signs {}",
            quantity.name(),
            grouped(found.above_tolerance),
            grouped(found.compared),
            found.tolerance,
            quantity.unit(),
            nats(largest),
            nats(mean),
            nats(signed)
        );
        lines.push(("likelihood", text));
    }
    if found.other_answers > 0 {
        let text = format!(
            "{} candidates have other answers, or answers that begin elsewhere, on both sides",
            grouped(found.other_answers)
        );
        lines.push(("answers", text));
    }
    lines
}

fn predictions(report: &DiffReport) -> Vec<(&'static str, String)> {
    let found = &report.predictions;
    let mut lines = Vec::new();
    if found.texts_compared > 0 {
        let (differing, compared) = (grouped(found.texts_differing), grouped(found.texts_compared));
        lines.push(("texts", format!("{differing} of {compared} that the model wrote differ")));
    }
    if found.compared > 0 {
        let (changed, compared) = (grouped(found.changed.len()), grouped(found.compared));
        lines.push(("predictions", format!("{changed} of {compared} differ")));
    }
    if found.failed_on_one_side > 0 {
        let count = grouped(found.failed_on_one_side);
        lines.push(("failed", format!("{count} samples have an answer on one side only")));
    }
    lines
}

fn likelihood_table(report: &DiffReport) -> Option<Table> {
    let listed = &report.likelihoods.listed;
    let unit = report.likelihoods.quantity?.unit();
    if listed.is_empty() {
        return None;
    }
    let mut table = Table::new([
        Column::text("sample"),
        Column::text("candidate").shortest(8),
        Column::number("left"),
        Column::number("right"),
        Column::number("difference"),
        Column::text("unit").optional(0),
    ]);
    for own in listed {
        let [left, right] = own.values.map(nats);
        let cells =
            [numbers(own.samples), own.candidate.clone(), left, right, nats(own.difference)];
        table.row(cells.into_iter().chain([unit.to_owned()]));
    }
    Some(table)
}

fn prediction_table(report: &DiffReport) -> Option<Table> {
    let changed = &report.predictions.changed;
    if changed.is_empty() {
        return None;
    }
    let mut table = Table::new([
        Column::text("changed sample"),
        Column::text("left prediction").shortest(12),
        Column::text("right prediction").shortest(12),
        Column::text("gold").shortest(6),
    ]);
    for own in changed {
        let shown = |text: &Option<String>| text.clone().unwrap_or_default();
        let [left, right] = &own.predictions;
        let gold = match &own.golds {
            [Some(left), Some(right)] if left != right => format!("{left} / {right}"),
            [left, right] => shown(if left.is_some() { left } else { right }),
        };
        table.row([numbers(own.samples), shown(left), shown(right), gold]);
    }
    Some(table)
}

/// The likeliest cause, then the others.
fn causes(report: &DiffReport) -> Vec<String> {
    let likeliest = report.likeliest();
    let mut lines = Vec::new();
    match likeliest {
        Some(cause) => lines.push(format!("Likeliest cause: {}", cause.sentence)),
        None => lines.push("No cause was found that explains most of it.".to_owned()),
    }
    let others = report.causes.iter().skip(usize::from(likeliest.is_some()));
    lines.extend(others.map(|cause| format!("Also: {}", cause.sentence)));
    lines
}

/// The numbers of a sample on both sides; one where they are the same.
fn numbers([left, right]: [usize; 2]) -> String {
    if left == right { left.to_string() } else { format!("{left} and {right}") }
}

/// Nats with as many decimals as tell something.
fn nats(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (1e-3..1e6).contains(&size) => format!("{value:.4}"),
        _ => format!("{value:.2e}"),
    }
}
