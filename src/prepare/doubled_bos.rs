//! Prompts that begin with two BOS tokens: scores change a little, and no result shows it.

use crate::prompt::Markup;

/// Whether a prompt does.
pub(crate) fn begins_with_two(ids: &[u32], bos_id: Option<u32>) -> bool {
    bos_id.is_some_and(|bos_id| ids.starts_with(&[bos_id, bos_id]))
}

/// What it comes from under a markup and what to do about it; a sentence that goes on after "sample 0".
pub(crate) fn explanation(markup: &Markup) -> &'static str {
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
