//! Prompts that begin with two BOS tokens: scores change a little, and no result shows it.

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};
use crate::prompt::Markup;

/// Says where the two come from.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    // Where no template writes the prompt, one stands before every document on purpose, as in lm-eval.
    let assembly = subject.task.assembly;
    if assembly.prompt_template().or(assembly.ice_template()).is_none() {
        return Vec::new();
    }
    let bos_id = subject.task.tokenizer.bos_id();
    let doubled = |ids: &[u32]| bos_id.is_some_and(|bos_id| ids.starts_with(&[bos_id, bos_id]));
    if !asked.prepared.prompts.iter().any(|prompt| doubled(&prompt.ids)) {
        return Vec::new();
    }
    vec![Finding::new(format!("the prompt {}", explanation(subject.markup)))]
}

/// What it comes from under a markup and what to do about it.
fn explanation(markup: &Markup) -> &'static str {
    match markup {
        Markup::Chat(_) => {
            "begins with two BOS tokens; none is the tokenizer's: the chat template and a message write one each, \
             or the template both; take it out of the prompt_template, or give another chat_template"
        }
        Markup::Meta(_) => {
            "begins with two BOS tokens, one from the markup and one from the tokenizer; take it out of the \
             meta_template"
        }
        Markup::Lines => {
            "begins with two BOS tokens, one from its text and one from the tokenizer; take it out of the \
             prompt_template"
        }
    }
}
