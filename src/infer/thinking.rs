//! A reasoning model's thinking, kept apart from its answer.
//!
//! What marks it differs from model to model, and a chat template may open it already in the prompt. So a text is
//! parted by all marks that the model's tokenizer or templates know, or those that its entry gives. Marks that are
//! special tokens are shown in generated text for this alone.
//!
//! With a budget of its own, thinking is asked for first and ends at the budget if it does not end before; the answer
//! is asked for after that and has `max_out_len` to itself.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What stands around thinking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThinkingMarks {
    /// Before it.
    pub start: String,
    /// After it; a text that only has this one was opened by the prompt.
    pub end: String,
}

/// How a model thinks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thinking {
    /// The marks that may come.
    pub marks: Arc<[ThinkingMarks]>,
    /// Special tokens of marks, which generated text shows.
    pub shown: Arc<[u32]>,
    /// Most tokens of thinking, if it is asked for on its own.
    pub budget_tokens: Option<usize>,
}

/// What is kept of how a text may think.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThinkingForm {
    /// The marks that may come.
    pub marks: Vec<ThinkingMarks>,
    /// Whether the prompt ends inside of thinking.
    #[serde(default)]
    pub is_opened: bool,
    /// Which answers were asked for in two steps, the thinking and what follows it, in the order of the second steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub continued: Vec<usize>,
}

/// Thinking that was parted from its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thought {
    /// It, without marks.
    pub text: String,
    /// Whether it came to its own end.
    pub is_finished: bool,
}

/// Marks of known families, and the texts that end them.
const KNOWN: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("[THINK]", "[/THINK]"),
    ("<seed:think>", "</seed:think>"),
    ("<mm:think>", "</mm:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
    ("<|channel|>commentary<|message|>", "<|channel|>final<|message|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<unused94>thought", "<unused95>"),
    ("◁think▷", "◁/think▷"),
];

/// What stands between the analysis of a channel and the answer.
const CHANNEL_CLOSING: &str = "<|end|><|start|>assistant<|channel|>final<|message|>";

impl ThinkingMarks {
    /// Those of known families of which a model knows the end, as it is told for each text.
    pub fn known(is_known: impl Fn(&str) -> bool) -> Vec<Self> {
        let marks = KNOWN.iter().filter(|(start, end)| is_known(end) && is_known(start));
        marks
            .map(|(start, end)| Self { start: (*start).to_owned(), end: (*end).to_owned() })
            .collect()
    }

    /// What is written in the place of a model that does not come to the end.
    pub fn closing(&self) -> String {
        if self.end.starts_with("<|channel|>") {
            CHANNEL_CLOSING.to_owned()
        } else {
            format!("\n{}\n\n", self.end)
        }
    }
}

impl Thinking {
    /// The marks whose thinking is open where a prompt ends.
    pub fn opened(&self, prompt: &str) -> Option<&ThinkingMarks> {
        let end = prompt.trim_end();
        self.marks.iter().find(|marks| end.ends_with(&marks.start))
    }

    /// What is kept of it with a text that goes on from `prompt`.
    pub fn form(&self, prompt: &str) -> ThinkingForm {
        ThinkingForm {
            marks: self.marks.to_vec(),
            is_opened: self.opened(prompt).is_some(),
            continued: Vec::new(),
        }
    }
}

impl ThinkingForm {
    /// The thinking of a text, if there is some, and the answer. A text without marks is the answer, unchanged.
    pub fn parted(&self, text: &str) -> (Option<Thought>, String) {
        let (mut thought, mut answer) = (String::new(), String::new());
        let (mut rest, mut is_inside, mut has_thought) = (text, self.is_opened, self.is_opened);
        loop {
            let end = first(rest, self.marks.iter().map(|marks| marks.end.as_str()));
            if is_inside {
                let Some((before, after)) = end else {
                    thought.push_str(rest);
                    let thought = Thought { text: thought.trim().to_owned(), is_finished: false };
                    return (Some(thought), answer.trim().to_owned());
                };
                thought.push_str(before);
                (rest, is_inside, has_thought) = (after, false, true);
                continue;
            }
            let start = first(rest, self.marks.iter().map(|marks| marks.start.as_str()));
            match (start, end) {
                // An end without a start: what stands before it was opened by the prompt.
                (start, Some((before, after)))
                    if start.is_none_or(|(other, _)| before.len() < other.len()) =>
                {
                    thought.push_str(&std::mem::take(&mut answer));
                    thought.push_str(before);
                    (rest, has_thought) = (after, true);
                }
                (Some((before, after)), _) => {
                    answer.push_str(before);
                    (rest, is_inside) = (after, true);
                }
                _ => {
                    answer.push_str(rest);
                    break;
                }
            }
        }
        if !has_thought {
            return (None, text.to_owned());
        }
        let thought = Thought { text: thought.trim().to_owned(), is_finished: true };
        (Some(thought).filter(|thought| !thought.text.is_empty()), answer.trim_start().to_owned())
    }
}

/// The text before and after the first of these marks.
fn first<'t, 'm>(
    text: &'t str,
    marks: impl Iterator<Item = &'m str>,
) -> Option<(&'t str, &'t str)> {
    let places = marks.filter(|mark| !mark.is_empty()).filter_map(|mark| {
        let place = text.find(mark)?;
        Some((place, place + mark.len()))
    });
    let (start, end) = places.min_by_key(|(start, end)| (*start, usize::MAX - *end))?;
    Some((text.get(..start)?, text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(is_opened: bool) -> ThinkingForm {
        let marks = ThinkingMarks::known(|_| true);
        ThinkingForm { marks, is_opened, continued: Vec::new() }
    }

    #[test]
    fn thinking_is_parted_whatever_marks_it() {
        for (text, thinking, answer) in [
            ("<think>\na b\n</think>\n\nC", "a b", "C"),
            ("a b</think>C", "a b", "C"),
            ("[THINK]a[/THINK]C", "a", "C"),
            ("<seed:think>a</seed:think>C", "a", "C"),
            ("<|channel|>analysis<|message|>a<|channel|>final<|message|>C", "a", "C"),
            ("<|START_THINKING|>a<|END_THINKING|>C", "a", "C"),
            ("<think>a</think>B<think>c</think> D", "ac", "B D"),
            ("<think>a</think>b</think>C", "ab", "C"),
        ] {
            let (thought, rest) = form(false).parted(text);
            let thought = thought.unwrap();
            assert_eq!((thought.text.as_str(), rest.as_str()), (thinking, answer), "{text}");
            assert!(thought.is_finished, "{text}");
        }
    }

    #[test]
    fn a_text_without_marks_is_not_touched() {
        assert_eq!(form(false).parted("  A \n"), (None, "  A \n".to_owned()));
        let (thought, answer) = form(false).parted("<|channel|>final<|message|>C");
        assert_eq!((thought, answer.as_str()), (None, "C"));
    }

    #[test]
    fn thinking_without_an_end_has_no_answer() {
        for (is_opened, text) in [(false, "<think>a b"), (true, "a b")] {
            let (thought, answer) = form(is_opened).parted(text);
            let expected = Thought { text: "a b".to_owned(), is_finished: false };
            assert_eq!((thought, answer.as_str()), (Some(expected), ""), "{text}");
        }
    }

    #[test]
    fn a_prompt_that_opens_thinking_is_seen() {
        let thinking = Thinking {
            marks: ThinkingMarks::known(|text| text.contains("think>")).into(),
            ..Thinking::default()
        };
        assert!(thinking.form("<|assistant|><think>\n").is_opened);
        assert!(!thinking.form("<think></think>\n").is_opened);
    }
}
