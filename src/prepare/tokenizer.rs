//! A checkpoint's tokenizer as prompts use it.

use std::{ops::Range, sync::Arc};

use crate::{
    infer::{Thinking, ThinkingMarks, Tokenize},
    model::{
        Checkpoint, ModelError, SharedText, TokenSpan, Tokenizer, TruncationSide,
        media::{MediumKind, PlacedPrompt, PlacedToken, ShownMedium, Sight},
    },
    plan::{ModelPlan, ReasoningPlan},
    prompt::Markup,
};

/// Texts up to this size are tokenised whole, whatever fits: their true count of tokens costs little.
const LEAST_BOUNDED_BYTES: usize = 1 << 20;

/// Tokens beyond the context for which there is room in a longer text, so that none that is kept stands at
/// the cut, where it would be another.
const SPARE_TOKENS: usize = 256;

/// Special tokens added where the markup does not, and long texts cut on the side that the model's entry or the tokenizer says.
#[derive(Debug)]
pub(crate) struct ModelTokenizer<'a> {
    tokenizer: SharedText<'a>,
    side: TruncationSide,
    /// Chat templates write special tokens themselves.
    adds_special_tokens: bool,
    thinking: Option<Thinking>,
    /// What the model sees and hears with, where prompts name something to be seen or heard.
    sight: Option<Arc<Sight>>,
}

impl<'a> ModelTokenizer<'a> {
    /// The tokenizer of a checkpoint, whose prompts may name images, videos and sounds.
    pub(crate) fn of(checkpoint: &'a Checkpoint, model: &ModelPlan) -> Self {
        Self::new(checkpoint.tokenizer(), model).shown(Arc::clone(checkpoint.sight()))
    }

    /// The same for prompts that may name images, videos and sounds.
    pub(crate) fn shown(self, sight: Arc<Sight>) -> Self {
        Self { sight: Some(sight), ..self }
    }

    /// The tokenizer of a model whose prompts name no images.
    pub(crate) fn new(tokenizer: &'a Tokenizer, model: &ModelPlan) -> Self {
        let side = match model.truncate_left {
            Some(true) => TruncationSide::Left,
            Some(false) => TruncationSide::Right,
            None => tokenizer.settings().truncation_side,
        };
        let adds_special_tokens = !matches!(model.markup, Markup::Chat(_));
        let thinking = thinking(tokenizer, &model.reasoning);
        let tokenizer = SharedText::new(tokenizer);
        Self { tokenizer, side, adds_special_tokens, thinking, sight: None }
    }

    /// The tokenizer itself.
    pub(crate) fn tokenizer(&self) -> &Tokenizer {
        self.tokenizer.tokenizer()
    }

    /// As [`Tokenize::encode`], with the place of every token; an image is one place, and its size stands beside.
    pub(crate) fn placed(&self, text: &str) -> Result<Option<PlacedPrompt>, String> {
        if Sight::is_marked(text) {
            return self.sight()?.placed(text, self.tokenizer());
        }
        let spans = self.encode_with_spans(text)?.into_iter();
        Ok(Some((spans.map(|span| PlacedToken { span, image: None }).collect(), Vec::new())))
    }

    /// The same of a text that names no images.
    fn encode_with_spans(&self, text: &str) -> Result<Vec<TokenSpan>, String> {
        self.tokenizer()
            .encode_with_spans(text, self.adds_special_tokens)
            .map_err(|error: ModelError| error.to_string())
    }
}

impl ModelTokenizer<'_> {
    /// The ids of a text that names images, videos or sounds.
    fn with_media(&self, text: &str) -> Result<Vec<u32>, String> {
        self.sight()?.encode(text, self.tokenizer())
    }

    /// Looks that a text without any of them has no place for one.
    fn check_placeless(&self, text: &str) -> Result<(), String> {
        match &self.sight {
            Some(sight) => sight.check_placeless(text, self.tokenizer()),
            None => Ok(()),
        }
    }

    fn sight(&self) -> Result<&Sight, String> {
        let sight = self.sight.as_deref();
        sight.ok_or_else(|| {
            "the prompt names images, videos or sounds, and the model is given none".to_owned()
        })
    }
}

/// What is wrong with a prompt with images, videos or sounds for which there is no room.
fn too_long(tokens: usize, room_tokens: usize) -> String {
    format!(
        "a prompt with images, videos or sounds has {tokens} tokens, and there is room for {room_tokens}; it is not cut, because that could cut \
         one of them: show fewer examples or smaller images, or raise max_seq_len"
    )
}

/// How a model thinks, by what its entry says, or else by the marks that its tokenizer or its chat templates know.
fn thinking(tokenizer: &Tokenizer, plan: &ReasoningPlan) -> Option<Thinking> {
    if plan.stays {
        return None;
    }
    let is_token = |text: &str| tokenizer.token_id(text).is_some();
    let templates = &tokenizer.settings().chat_templates;
    // A channel's mark is made of several tokens.
    let is_channel =
        |text: &str| text.starts_with(CHANNEL) && is_token(CHANNEL) && is_token(MESSAGE);
    let is_known = |text: &str| {
        is_token(text)
            || is_channel(text)
            || templates.iter().any(|(_, template)| template.contains(text))
    };
    let marks = match &plan.marks {
        Some(own) => vec![own.clone()],
        None => ThinkingMarks::known(is_known),
    };
    if marks.is_empty() {
        return None;
    }
    let holds = |token: &String| {
        let has = |mark: &str| mark.contains(token.as_str());
        !token.is_empty() && marks.iter().any(|own| has(&own.start) || has(&own.end))
    };
    let special = tokenizer.special_tokens().into_iter().filter(holds);
    let shown: Vec<u32> = special.filter_map(|token| tokenizer.token_id(&token)).collect();
    Some(Thinking { marks: marks.into(), shown: shown.into(), budget_tokens: plan.budget_tokens })
}

/// The tokens of marks that are channels.
const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";

impl Tokenize for ModelTokenizer<'_> {
    fn encode(&self, text: &str) -> Result<Vec<u32>, String> {
        self.encode_as(text, self.adds_special_tokens)
    }

    fn bounds(&self, text: &str, max_tokens: usize) -> Option<Range<usize>> {
        if text.len() <= LEAST_BOUNDED_BYTES || Sight::is_marked(text) {
            return None;
        }
        let wanted_tokens = max_tokens.saturating_add(SPARE_TOKENS);
        let most_bytes =
            self.tokenizer.tokenizer().most_text_bytes(wanted_tokens).max(LEAST_BOUNDED_BYTES);
        (text.len() > most_bytes).then(|| match self.side {
            TruncationSide::Left => text.ceil_char_boundary(text.len() - most_bytes)..text.len(),
            TruncationSide::Right => 0..text.floor_char_boundary(most_bytes),
        })
    }

    fn encode_within(&self, text: &str, max_tokens: usize) -> Result<Vec<u32>, String> {
        if Sight::is_marked(text) {
            let ids = self.with_media(text)?;
            return if ids.len() > max_tokens {
                Err(too_long(ids.len(), max_tokens))
            } else {
                Ok(ids)
            };
        }
        self.check_placeless(text)?;
        self.tokenizer
            .encode_truncated(text, self.adds_special_tokens, max_tokens, self.side)
            .map_err(|error: ModelError| error.to_string())
    }

    fn encode_with_offsets(
        &self,
        text: &str,
        max_tokens: usize,
    ) -> Result<Vec<(u32, Range<usize>)>, String> {
        if Sight::is_marked(text) {
            return Err(
                "of a prompt with images, videos or sounds it is not known where its tokens stand"
                    .to_owned(),
            );
        }
        let spans = self.encode_with_spans(text)?;
        let kept_tokens = spans.len().min(max_tokens);
        let skipped_tokens = match self.side {
            TruncationSide::Left => spans.len() - kept_tokens,
            TruncationSide::Right => 0,
        };
        let kept = spans.into_iter().skip(skipped_tokens).take(kept_tokens);
        Ok(kept.map(|span| (span.id, span.bytes)).collect())
    }

    fn is_cut(&self, text: &str) -> bool {
        !Sight::is_marked(text)
    }

    fn images(&self, text: &str) -> Result<Vec<ShownMedium>, String> {
        if !Sight::is_marked(text) {
            return Ok(Vec::new());
        }
        let placed = self.placed(text)?;
        let images = placed.map_or_else(Vec::new, |(_, images)| images);
        // What is kept of a prompt is drawn, and only images are.
        let is_drawn = images.iter().all(|own| own.kind == MediumKind::Image);
        Ok(if is_drawn { images } else { Vec::new() })
    }

    fn stretch(&self, text: &str, at: usize) -> Range<usize> {
        self.tokenizer.stretch(text, at)
    }

    fn encode_stretch(&self, stretch: &str, begins: bool) -> Option<Vec<(u32, Range<usize>)>> {
        if Sight::is_marked(stretch) {
            return None;
        }
        let tokens = self.tokenizer.encode_stretch(stretch, begins).ok()?;
        Some(tokens.into_iter().map(|span| (span.id, span.bytes)).collect())
    }

    fn thinking(&self) -> Option<&Thinking> {
        self.thinking.as_ref()
    }

    fn bos_id(&self) -> Option<u32> {
        self.tokenizer.tokenizer().bos_id()
    }

    fn encode_as(&self, text: &str, adds_special_tokens: bool) -> Result<Vec<u32>, String> {
        if Sight::is_marked(text) {
            return self.with_media(text);
        }
        self.check_placeless(text)?;
        self.tokenizer
            .encode(text, adds_special_tokens)
            .map_err(|error: ModelError| error.to_string())
    }

    fn beginning(&self) -> Option<(u32, String)> {
        let tokenizer = self.tokenizer();
        let id = tokenizer.bos_id().or(tokenizer.eos_id())?;
        Some((id, tokenizer.token_text(id)))
    }

    fn take_remarks(&self) -> Vec<String> {
        self.sight.iter().flat_map(|sight| sight.take_remarks()).collect()
    }

    fn eos_text(&self) -> Option<String> {
        let tokenizer = self.tokenizer();
        tokenizer.eos_id().map(|id| tokenizer.token_text(id))
    }
}
