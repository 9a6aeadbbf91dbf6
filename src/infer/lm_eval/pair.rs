//! A text and its continuation as ids, as lm-eval's `_encode_pair` makes them.

use std::sync::Arc;

use crate::{
    infer::{PreparedPrompt, Task, Tokenize, fit::Fitted},
    python::is_blank,
};

/// Ids of a text with the special tokens that the tokenizer adds, unless it begins with the first of them already.
pub(super) fn encode_text(tokenizer: &dyn Tokenize, text: &str) -> Result<Vec<u32>, String> {
    let begins = tokenizer.beginning().is_some_and(|(_, own)| text.starts_with(&own));
    tokenizer.encode_as(text, !begins)
}

/// The token that stands where there is no text.
pub(super) fn beginning(tokenizer: &dyn Tokenize) -> Result<u32, String> {
    let known = tokenizer.beginning().map(|(id, _)| id);
    known.ok_or_else(|| {
        "the tokenizer has neither a token that begins a text nor one that ends it, and one has to stand where a prompt is \
         empty"
            .to_owned()
    })
}

/// A continuation after its context, cut from the left to what the model can read.
pub(in crate::infer) fn encode(
    task: &Task<'_>,
    context: &str,
    continuation: &str,
) -> Result<PreparedPrompt, String> {
    let tokenizer = task.tokenizer;
    let text = format!("{context}{continuation}");
    let (mut ids, mut context_tokens) = if context.is_empty() {
        let own = tokenizer.encode_as(continuation, false)?;
        let first = beginning(tokenizer)?;
        let begins = own.first() == Some(&first);
        let ids = if begins { own } else { [&[first], &*own].concat() };
        (ids, 1)
    } else {
        let whole = encode_text(tokenizer, &text)?;
        // Blanks at the end of the context are part of the first token after it. Where a token reaches over the seam, the
        // context's own tokens are read all the same, as there.
        let mut ids = encode_text(tokenizer, context.trim_end_matches(is_blank))?;
        let context_tokens = ids.len();
        ids.extend(whole.iter().skip(context_tokens));
        (ids, context_tokens)
    };
    let answer_tokens = ids.len().saturating_sub(context_tokens);
    if answer_tokens == 0 {
        return Err(format!("the continuation {continuation:?} has no token of its own"));
    }
    if answer_tokens > task.max_seq_len_tokens {
        return Err(format!(
            "the continuation has {answer_tokens} tokens, and the model reads {}",
            task.max_seq_len_tokens
        ));
    }
    // The last token is scored and never read, so one more fits.
    let truncated_tokens = ids.len().saturating_sub(task.max_seq_len_tokens + 1);
    ids.drain(..truncated_tokens);
    context_tokens = ids.len() - answer_tokens;
    let fitted = Fitted { text, ids, truncated_tokens };
    Ok(PreparedPrompt {
        context_tokens,
        answer_start: context_tokens,
        answer_bytes: continuation.len(),
        testing_input: Arc::from(context),
        ..PreparedPrompt::of(fitted)
    })
}
