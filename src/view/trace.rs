//! Where every character of a sample's prompt comes from.
//!
//! The prompt is built once more from [marked](super::origin_marks) inputs. What comes out is only believed when
//! it is, without its marks, the text that the model reads; otherwise less is marked, and in the end
//! nothing is claimed.

use serde_json::Value as Json;

use super::{
    chat,
    origin_marks::{Mark, OriginMarks},
    piece::ViewedPiece,
};
use crate::{
    dataset::Sample,
    infer::PreparedPrompt,
    prompt::{
        Label, Markup, Mode, Prompt, PromptAssembly, PromptError, PromptItem, PromptList, Rendered,
        Turn,
    },
    python::python_str,
};

/// What a prompt is built from.
pub(super) struct Ingredients<'a> {
    pub(super) assembly: &'a PromptAssembly,
    pub(super) markup: &'a Markup,
    pub(super) sample: &'a Sample,
    /// Retrieved examples, best first.
    pub(super) examples: Vec<&'a Sample>,
    pub(super) output_column: Option<&'a str>,
    /// What stands in the place of the output column when the prompt is continued.
    pub(super) mask: &'a str,
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

/// Traces a prepared prompt; `most_dropped` examples may have been dropped from it.
pub(super) fn trace(
    ingredients: &Ingredients<'_>,
    prompt: &PreparedPrompt,
    most_dropped: usize,
) -> Vec<ViewedPiece> {
    for dropped_examples in 0..=most_dropped {
        for depth in [Depth::Everything, Depth::Values, Depth::Places] {
            for mode in [Mode::Gen, Mode::Ppl] {
                let kept = ingredients.examples.len().saturating_sub(dropped_examples);
                let attempt = Attempt { ingredients, marks: OriginMarks::default(), depth, mode };
                let label = prompt.label.as_ref();
                if let Ok(Some(pieces)) = attempt.pieces(kept, label, &prompt.text)
                    && joined(&pieces) == *prompt.text
                {
                    return with_separators(pieces);
                }
            }
        }
    }
    vec![ViewedPiece::unknown(&prompt.text)]
}

/// What stands between examples belongs to the one before it.
fn with_separators(mut pieces: Vec<ViewedPiece>) -> Vec<ViewedPiece> {
    let mut before = None;
    for piece in &mut pieces {
        if piece.section == Some("ice") {
            piece.example = piece.example.or(before);
            before = piece.example;
        }
    }
    pieces
}

fn joined(pieces: &[ViewedPiece]) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}

struct Attempt<'a> {
    ingredients: &'a Ingredients<'a>,
    marks: OriginMarks,
    depth: Depth,
    mode: Mode,
}

impl Attempt<'_> {
    fn pieces(
        &self,
        kept: usize,
        label: Option<&Label>,
        text: &str,
    ) -> Result<Option<Vec<ViewedPiece>>, PromptError> {
        let Ingredients { assembly, markup, output_column, .. } = *self.ingredients;
        let examples = self.examples(kept)?;
        let row = self.marked(self.ingredients.sample);
        let prompt = match label {
            Some(label) => assembly.candidate(&row, &examples, label, false)?,
            None => assembly.generation(&row, &examples, output_column, &self.mask())?,
        };
        let prompt = match markup {
            Markup::Chat(_) => chat::placed(prompt, &self.marks),
            Markup::Lines | Markup::Meta(_) => prompt,
        };
        if let Markup::Chat(_) = markup {
            let Rendered::Messages(messages) = markup.rendered(&prompt, self.mode)? else {
                return Ok(None);
            };
            return Ok(chat::pieces(text, &messages, &self.marks));
        }
        let mut pieces = Vec::new();
        for piece in markup.pieces(&prompt, self.mode)? {
            self.marks.read(&piece.text, |run, marks| {
                let role = piece.role.as_deref();
                pieces.push(ViewedPiece::new(run, piece.place, role, piece.is_markup, marks));
            });
        }
        Ok(Some(pieces))
    }

    /// The examples, each marked with its number.
    fn examples(&self, kept: usize) -> Result<Prompt, PromptError> {
        let Ingredients { assembly, output_column, .. } = *self.ingredients;
        let samples = self.ingredients.examples.get(..kept).unwrap_or_default();
        let written =
            assembly.examples_with(samples, output_column, |number, template, sample, gold| {
                let mark = |text: &str| self.marks.wrap(Mark::Example(number), text);
                Ok(match template.example(&self.marked(sample), gold)? {
                    Prompt::Text(text) => Prompt::Text(mark(&text)),
                    Prompt::List(list) => {
                        let items = list.0.into_iter().map(|item| match item {
                            PromptItem::Turn(turn) => {
                                let prompt = turn.prompt.as_deref().map(mark);
                                PromptItem::Turn(Turn { prompt, ..turn })
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
        if self.depth == Depth::Places {
            return sample.clone();
        }
        let columns = sample.iter().map(|(column, value)| {
            let value = match value {
                Json::Array(_) | Json::Object(_) => value.clone(),
                scalar => {
                    self.marks.wrap(Mark::Field(column.to_owned()), &python_str(scalar)).into()
                }
            };
            (column.to_owned(), value)
        });
        Sample::new(columns.collect())
    }

    fn mask(&self) -> String {
        let Ingredients { output_column, mask, .. } = *self.ingredients;
        match output_column {
            Some(column) if self.depth == Depth::Everything => {
                self.marks.wrap_even_empty(Mark::Mask(column.to_owned()), mask)
            }
            _ => mask.to_owned(),
        }
    }
}
