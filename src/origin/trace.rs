//! Where every character of a sample's prompt comes from.
//!
//! The prompt is built once more from [marked](super::origin_marks) inputs. What comes out is only believed when
//! it is, without its marks, the text that the model reads; otherwise less is marked, and in the end
//! nothing is claimed.

use std::cell::OnceCell;

use serde_json::Value as Json;

use super::{
    TracedPiece, chat_text,
    origin_marks::{Mark, OriginMarks},
    piece::with_images,
};
use crate::{
    dataset::Sample,
    infer::PreparedPrompt,
    prompt::{
        Label, Markup, Mode, Prompt, PromptAssembly, PromptError, PromptItem, PromptList, Rendered,
        Section, marked_pieces,
    },
    python::python_str,
};

/// What a prompt is built from.
pub(crate) struct Ingredients<'a> {
    pub(crate) assembly: &'a PromptAssembly,
    pub(crate) markup: &'a Markup,
    pub(crate) sample: &'a Sample,
    /// Retrieved examples, best first.
    pub(crate) examples: Vec<&'a Sample>,
    pub(crate) output_column: Option<&'a str>,
    /// What stands in the place of the output column when the prompt is continued.
    pub(crate) mask: &'a str,
}

/// What is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    /// Values, examples and the place of the mask.
    Everything,
    /// All but the mask: templates may treat an empty text differently.
    Values,
    /// Examples and places only.
    Places,
}

/// Traces the prompts of a sample: what they share is marked once.
pub(crate) struct Tracer<'a> {
    ingredients: Ingredients<'a>,
    marks: OriginMarks,
    /// The row with its values marked.
    marked_row: OnceCell<Sample>,
    /// All examples, marked as deeply as can be: few prompts have lost one, and few need less.
    all_examples: OnceCell<Prompt>,
}

/// A way to mark the inputs.
#[derive(Clone, Copy, Debug)]
struct Attempt {
    depth: Depth,
    mode: Mode,
    /// Examples that the prompt still has.
    kept_examples: usize,
}

/// What stands between examples belongs to the one before it.
fn with_separators(mut pieces: Vec<TracedPiece>) -> Vec<TracedPiece> {
    let mut before = None;
    for piece in &mut pieces {
        if piece.section == Some(Section::Ice) {
            piece.example = piece.example.or(before);
            before = piece.example;
        }
    }
    pieces
}

/// Whether pieces are a text.
fn are_of(pieces: &[TracedPiece], text: &str) -> bool {
    let mut rest = text;
    let fits = pieces.iter().all(|piece| match rest.strip_prefix(piece.text.as_str()) {
        Some(after) => {
            rest = after;
            true
        }
        None => false,
    });
    fits && rest.is_empty()
}

impl<'a> Tracer<'a> {
    /// A sample of which nothing was marked yet.
    pub(crate) fn new(ingredients: Ingredients<'a>) -> Self {
        Self {
            ingredients,
            marks: OriginMarks::default(),
            marked_row: OnceCell::new(),
            all_examples: OnceCell::new(),
        }
    }

    /// The pieces of a prepared prompt; `most_dropped` examples may have been dropped from it.
    pub(crate) fn trace(&self, prompt: &PreparedPrompt, most_dropped: usize) -> Vec<TracedPiece> {
        let label = prompt.label.as_ref();
        // Candidates are scored.
        let modes = if label.is_some() { [Mode::Ppl, Mode::Gen] } else { [Mode::Gen, Mode::Ppl] };
        for dropped_examples in 0..=most_dropped {
            let kept_examples = self.ingredients.examples.len().saturating_sub(dropped_examples);
            for depth in [Depth::Everything, Depth::Values, Depth::Places] {
                for mode in modes {
                    let attempt = Attempt { depth, mode, kept_examples };
                    if let Ok(Some(pieces)) = self.pieces(attempt, label, &prompt.text)
                        && are_of(&pieces, &prompt.text)
                        && !self.marks.is_full()
                    {
                        return with_images(with_separators(pieces), &prompt.text);
                    }
                }
            }
        }
        with_images(vec![TracedPiece::unknown(&prompt.text)], &prompt.text)
    }

    fn pieces(
        &self,
        attempt: Attempt,
        label: Option<&Label>,
        text: &str,
    ) -> Result<Option<Vec<TracedPiece>>, PromptError> {
        let Ingredients { assembly, markup, output_column, .. } = self.ingredients;
        let Attempt { depth, mode, kept_examples } = attempt;
        let less;
        let examples = if depth != Depth::Places && kept_examples == self.ingredients.examples.len()
        {
            if let Some(examples) = self.all_examples.get() {
                examples
            } else {
                let examples = self.examples(kept_examples, depth)?;
                self.all_examples.get_or_init(|| examples)
            }
        } else {
            less = self.examples(kept_examples, depth)?;
            &less
        };
        let row = match depth {
            Depth::Places => self.ingredients.sample,
            Depth::Everything | Depth::Values => {
                self.marked_row.get_or_init(|| self.marked(self.ingredients.sample))
            }
        };
        let prompt = match label {
            Some(label) => assembly.candidate(row, examples, label, false)?,
            None => assembly.generation(row, examples, output_column, &self.mask(depth))?,
        };
        if let Markup::Chat(_) = markup {
            let prompt = chat_text::placed(prompt, &self.marks);
            let Rendered::Messages(messages) = markup.rendered(&prompt, mode)? else {
                return Ok(None);
            };
            return Ok(chat_text::pieces(text, &messages, &self.marks));
        }
        let mut pieces = Vec::new();
        for piece in markup.pieces(&prompt, mode)? {
            self.marks.read(&piece.text, |run, marks| {
                let role = piece.role.as_deref();
                pieces.push(TracedPiece::new(run, piece.place, role, piece.is_markup, marks));
            });
        }
        Ok(Some(pieces))
    }

    /// The examples, each marked with its number.
    fn examples(&self, kept: usize, depth: Depth) -> Result<Prompt, PromptError> {
        let Ingredients { assembly, output_column, .. } = self.ingredients;
        let samples = self.ingredients.examples.get(..kept).unwrap_or_default();
        let written =
            assembly.examples_with(samples, output_column, |number, template, sample, gold| {
                let mark = |text: &str| self.marks.wrap(Mark::Example(number), text);
                let marked;
                let row = match depth {
                    Depth::Places => sample,
                    Depth::Everything | Depth::Values => {
                        marked = self.marked(sample);
                        &marked
                    }
                };
                Ok(match template.example(row, gold)? {
                    Prompt::Text(text) => Prompt::Text(mark(&text)),
                    Prompt::List(list) => {
                        let items = list.0.into_iter().map(|item| match item {
                            PromptItem::Turn(turn) => {
                                PromptItem::Turn(chat_text::marked(turn, mark))
                            }
                            other => other,
                        });
                        Prompt::List(PromptList(items.collect()))
                    }
                    messages @ Prompt::Messages(_) => messages,
                })
            })?;
        Ok(match written {
            Prompt::Text(text) => Prompt::Text(self.marks.wrap(Mark::Separator, &text)),
            Prompt::List(PromptList(items)) => {
                let items = items.into_iter().map(|item| match item {
                    PromptItem::Text(text) => {
                        PromptItem::Text(self.marks.wrap(Mark::Separator, &text))
                    }
                    other => other,
                });
                Prompt::List(PromptList(items.collect()))
            }
            messages @ Prompt::Messages(_) => messages,
        })
    }

    /// A row whose values are marked with their columns. Lists and dicts are kept: some templates look
    /// into them.
    fn marked(&self, sample: &Sample) -> Sample {
        let columns = sample.iter().map(|(column, value)| {
            let value = match value {
                Json::Array(_) | Json::Object(_) => value.clone(),
                scalar => {
                    let mark = |text: &str| self.marks.wrap(Mark::Field(column.to_owned()), text);
                    let text = python_str(scalar);
                    marked_pieces(&text, mark).unwrap_or_else(|| mark(&text)).into()
                }
            };
            (column.to_owned(), value)
        });
        Sample::new(columns.collect())
    }

    fn mask(&self, depth: Depth) -> String {
        let Ingredients { output_column, mask, .. } = self.ingredients;
        match output_column {
            Some(column) if depth == Depth::Everything => {
                self.marks.wrap_even_empty(Mark::Mask(column.to_owned()), mask)
            }
            _ => mask.to_owned(),
        }
    }
}
