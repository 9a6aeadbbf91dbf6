//! What a view says in words, the same on a terminal and on a page.

use crate::view::{PieceKind, PromptView, ViewedPrompt};

/// A view's name: data set, model, sample, mode.
pub(super) fn title(view: &PromptView) -> [String; 2] {
    let model = view.model.as_deref().unwrap_or("no model");
    [view.dataset.clone(), format!("{model} · sample {} · {}", view.sample, view.mode)]
}

/// What is known about all its prompts, by name.
pub(super) fn facts(view: &PromptView) -> Vec<(&'static str, String)> {
    let dropped = match (view.dropped_examples, view.max_seq_len_tokens) {
        (0, _) => String::new(),
        (count, Some(most)) => format!(", {count} dropped to fit {most} tokens"),
        (count, None) => format!(", {count} dropped"),
    };
    let mut facts = vec![
        ("examples", format!("{}{dropped}", view.examples)),
        ("masked", masked(view)),
        ("scored", scored(view)),
    ];
    facts.extend(view.gold.as_ref().map(|gold| ("gold", format!("{gold:?}"))));
    if let Some(difference) = &view.first_difference {
        let token = difference.token.map_or_else(String::new, |token| format!(", token {token}"));
        facts.push(("differ", format!("from character {}{token}", difference.char)));
    }
    facts
}

/// What the candidates share.
pub(super) fn shared(view: &PromptView, split: usize) -> String {
    let names: Vec<&str> = view.candidates().filter_map(|prompt| prompt.label.as_deref()).collect();
    let tokens = view.first_difference.and_then(|difference| difference.token);
    let tokens = tokens.map_or_else(String::new, |count| format!(", {count} tokens"));
    format!("{} share {split} characters{tokens}", names.join(" "))
}

/// Whether a prompt is the candidate that is expected.
pub(super) fn is_gold(view: &PromptView, prompt: &ViewedPrompt) -> bool {
    prompt.label.is_some() && prompt.label == view.gold && prompt.asked_as.is_none()
}

/// How long a prompt is.
pub(super) fn length(prompt: &ViewedPrompt) -> String {
    let Some(count) = prompt.token_count else { return String::new() };
    match prompt.truncated_tokens {
        0 => format!("{count} tokens"),
        cut => format!("{count} tokens, {cut} cut off"),
    }
}

/// How long its sections are, if it has several.
pub(super) fn sizes(prompt: &ViewedPrompt) -> String {
    let sizes = prompt.sections.iter();
    let sizes: Vec<String> =
        sizes.filter_map(|size| Some(format!("{} {}", size.section, size.tokens?))).collect();
    if sizes.len() > 1 { format!(" = {}", sizes.join(" + ")) } else { String::new() }
}

/// What is hidden, in words.
fn masked(view: &PromptView) -> String {
    let Some(column) = &view.masked_column else { return "nothing".to_owned() };
    let mut pieces = view.prompts.iter().flat_map(|prompt| &prompt.pieces);
    if pieces.any(|piece| piece.kind == PieceKind::Mask) {
        format!("column {column:?}, at ⟨{column}⟩")
    } else {
        format!("column {column:?}; the prompt ends before it or does not name it")
    }
}

/// What is measured, in words.
fn scored(view: &PromptView) -> String {
    if view.max_new_tokens > 0 {
        return format!("nothing; the model goes on at ▸, at most {} tokens", view.max_new_tokens);
    }
    match view.candidates().count() {
        1 => "every token after the first".to_owned(),
        count => format!("every token after the first, in each of {count} candidates"),
    }
}
