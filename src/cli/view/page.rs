//! Views as the page of prompts: the page of a run, of which nothing was asked yet.
//!
//! Views come one after another, and of each no more is kept than the page needs of it: what texts share once, and the
//! rest as numbers. So memory is bounded by what is in the file.

use std::io::{self, Write};

use indexmap::IndexMap;

use super::{Show, words};
use crate::{
    model::{Tokenizer, media::ShownMedium},
    report::page::{
        Column, Flags, Group, Mark, Model, Note, NoteSeverity, Page, Piece, PieceKind, Pieces, Run,
        Sample, SampleText, SegmentToken,
    },
    run_page::{
        AnsweredTokens, BATCH_SAMPLES, Pictures, PlacedText, ReadText, Speller, Styles, TextBatch,
        unplaced_note,
    },
    store::KeptToken,
    view::{PieceKind as OriginKind, PromptView, TracedPiece, ViewedPrompt},
    warn::Severity,
};

/// As much of a prompt as the list can show.
const MOST_LINE_CHARS: usize = 200;

/// A page under way.
pub(super) struct PromptPage {
    page: Page,
    styles: Styles,
    batch: TextBatch,
    /// Of the model of the last view.
    speller: Speller,
    pictures: Pictures,
}

impl PromptPage {
    /// A page about a config.
    pub(super) fn new(config: &str) -> Self {
        let tokens = Column {
            name: "tokens".to_owned(),
            title: "tokens of the longest prompt".to_owned(),
            unit: "tokens".to_owned(),
        };
        let program = format!("surprisal {}", env!("CARGO_PKG_VERSION"));
        let page = Page {
            title: format!("{config} · prompts"),
            is_of_prompts: true,
            runs: vec![Run { name: config.to_owned(), program: Some(program), ..Run::default() }],
            columns: vec![tokens],
            ..Page::default()
        };
        Self {
            page,
            styles: Styles::default(),
            batch: TextBatch::default(),
            speller: Speller::new(std::rc::Rc::default()),
            pictures: Pictures::default(),
        }
    }

    /// The page as a file, and how many samples it shows.
    pub(super) fn html(mut self) -> (Vec<u8>, usize) {
        self.write_batch();
        self.page.styles = self.styles.into_styles();
        self.page.pictures = self.pictures.into_pictures();
        (self.page.html(), self.page.samples.len())
    }

    /// Begins the group of a view, unless it is that of the last one.
    fn enter(&mut self, view: &PromptView) {
        let model = view.model.as_deref().unwrap_or("no model");
        let is_of = |group: &Group| group.dataset == view.dataset;
        let is_under = |own: &Model| own.name == model;
        let same_model = self.page.models.last().is_some_and(is_under);
        if same_model && self.page.groups.last().is_some_and(is_of) {
            return;
        }
        self.write_batch();
        if !same_model {
            self.page.models.push(Model { name: model.to_owned(), ..Model::default() });
            self.speller = Speller::new(std::rc::Rc::default());
        }
        self.page.groups.push(Group {
            key: self.free_key(&view.dataset, model),
            model: self.page.models.len() - 1,
            dataset: view.dataset.clone(),
            mode: view.mode.to_owned(),
            ..Group::default()
        });
    }

    /// A key that no group has yet.
    fn free_key(&self, dataset: &str, model: &str) -> String {
        let number = self.page.groups.len();
        let names = [dataset.to_owned(), format!("{dataset} {model}")];
        let mut keys = names.into_iter().map(|key| key.replace('~', "-"));
        let is_free = |key: &String| self.page.groups.iter().all(|group| group.key != *key);
        keys.find(is_free).unwrap_or_else(|| format!("{number}"))
    }

    fn write_batch(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        let Page { models, groups, segments, samples, .. } = &mut self.page;
        let (Some(model), Some(group)) = (models.last(), groups.last_mut()) else { return };
        group.samples += batch.len();
        samples.extend(batch.write(group.model, &model.pieces, segments));
    }

    /// Adds a text; gives of how many tokens it is not known what they spell of it.
    fn text(
        &mut self,
        view: &PromptView,
        prompt: &ViewedPrompt,
        tokenizer: Option<&Tokenizer>,
    ) -> Option<(PlacedText, usize)> {
        let cut = prompt.truncated_from_token.map(|from| from..from + prompt.truncated_tokens);
        let about = SampleText {
            label: prompt.label.clone(),
            asked_as: prompt.asked_as.clone(),
            is_gold: words::is_gold(view, prompt),
            cut: cut.filter(|_| tokenizer.is_some()),
            ..SampleText::default()
        };
        let marks: Vec<Mark> = prompt
            .pieces
            .iter()
            .map(|piece| Mark { bytes: piece.text.len(), style: self.styles.number(&piece.into()) })
            .collect();
        let pieces = &mut self.page.models.last_mut()?.pieces;
        if let (Some(tokenizer), Some(tokens)) = (tokenizer, &prompt.tokens) {
            let ids: Vec<u32> =
                tokens.iter().filter(|own| own.image.is_none()).map(|own| own.id).collect();
            // Nothing is known of single tokens of an image, so it has no pieces of its own behind it.
            let whole = prompt.images.iter().map(|own| own.shown.clone());
            let images: Vec<ShownMedium> =
                whole.map(|own| ShownMedium { rows: own.tokens, ..own }).collect();
            self.speller.learn(&ids, |id| KeptToken {
                text: tokenizer.token_text(id),
                bytes: tokenizer.token_bytes(id),
                is_special: tokenizer.is_special(id),
            });
            let own = AnsweredTokens {
                read: if images.is_empty() {
                    ReadText::Kept(&prompt.text)
                } else {
                    ReadText::Pictured(&prompt.text, &images)
                },
                ids: &ids,
                generated: &[],
                nlls: &[],
                stretches: Vec::new(),
                count: ids.len(),
            };
            if let Some(text) =
                self.batch.text(&mut self.speller, &own, &marks, (pieces, &mut self.pictures))
            {
                return Some(((about, text.end, None), text.unplaced));
            }
        }
        let tokens = stretches(&prompt.pieces, pieces);
        Some(((about, self.batch.tokens(tokens, &marks, 0, pieces), None), 0))
    }
}

impl Show for PromptPage {
    fn begin(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn view(
        &mut self,
        view: &PromptView,
        tokenizer: Option<&Tokenizer>,
        _: &mut dyn Write,
    ) -> io::Result<()> {
        self.enter(view);
        let found = view.prompts.iter().filter_map(|prompt| self.text(view, prompt, tokenizer));
        let (placed, unplaced): (Vec<PlacedText>, Vec<usize>) = found.unzip();
        let mut sample = sample(view);
        let unplaced: usize = unplaced.into_iter().sum();
        sample.warnings.extend((unplaced > 0).then(|| unplaced_note(unplaced)));
        self.batch.sample(sample, placed);
        if self.batch.len() >= BATCH_SAMPLES {
            self.write_batch();
        }
        Ok(())
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// The pieces of a text of which no tokens are known, each a stretch of it.
fn stretches(of: &[TracedPiece], pieces: &mut Pieces) -> Vec<SegmentToken> {
    let texts = of.iter().filter(|piece| !piece.text.is_empty());
    let stretch = |piece: &TracedPiece| Piece {
        kind: PieceKind::Stretch,
        id: 0,
        bytes: piece.text.clone().into_bytes(),
    };
    texts.map(|own| SegmentToken { piece: pieces.number(stretch(own)), nll: None }).collect()
}

/// All of a sample but its texts.
fn sample(view: &PromptView) -> Sample {
    let is_warned = view.warnings.iter().any(|own| own.severity == Severity::Warning);
    let longest = view.prompts.iter().filter_map(|prompt| prompt.token_count).max();
    let warnings = view.warnings.iter().map(|own| Note {
        severity: match own.severity {
            Severity::Warning => NoteSeverity::Warning,
            Severity::Note => NoteSeverity::Note,
        },
        message: own.message.clone(),
    });
    let facts = words::facts(view).into_iter().filter(|(name, _)| *name != "gold");
    Sample {
        row: u32::try_from(view.sample).unwrap_or(u32::MAX),
        flags: if is_warned { Flags::WARNED } else { Flags::default() },
        gold: view.gold.clone(),
        line: line(view),
        figures: vec![longest.map(|tokens| tokens as f32)],
        warnings: warnings.collect(),
        dropped_examples: view.dropped_examples,
        truncated_tokens: view.prompts.iter().map(|prompt| prompt.truncated_tokens).sum(),
        facts: facts
            .map(|(name, text)| (name.to_owned(), text))
            .collect::<IndexMap<String, String>>(),
        ..Sample::default()
    }
}

/// What the list shows: the values of the row's own columns, or how the first prompt ends.
fn line(view: &PromptView) -> String {
    let Some(first) = view.prompts.first() else { return String::new() };
    let own = first.pieces.iter().filter(|piece| piece.example.is_none());
    let values: Vec<&str> = own
        .filter(|piece| piece.kind == OriginKind::Field && !piece.text.is_empty())
        .map(|piece| piece.text.as_str())
        .collect();
    if !values.is_empty() {
        return values.join(" · ");
    }
    let skipped = first.text.chars().count().saturating_sub(MOST_LINE_CHARS);
    first.text.chars().skip(skipped).collect()
}
