//! One turn of a dialogue template.

use serde::Deserialize;

use super::Media;

/// The role that asks.
pub(super) const HUMAN: &str = "HUMAN";
/// The role that the model plays.
pub(super) const BOT: &str = "BOT";
/// The role that instructs.
pub(super) const SYSTEM: &str = "SYSTEM";

/// What one role says, and how it is written where that differs from the meta template. In a meta
/// template the same shape describes the role itself.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Who speaks, for example `HUMAN`, `BOT`, `SYSTEM`.
    pub role: Option<String>,
    /// Who speaks instead when the meta template does not know `role`.
    pub fallback_role: Option<String>,
    /// What is said.
    pub prompt: Option<String>,
    /// What is said in a multimodal dialogue, with images, videos and sounds.
    pub prompt_mm: Option<Media>,
    /// Text before it.
    pub begin: Option<String>,
    /// Text after it.
    pub end: Option<String>,
    /// Whether the model continues here when it generates.
    pub generate: Option<bool>,
    /// The role's name in a list of chat messages.
    pub api_role: Option<String>,
}

impl Turn {
    /// `role` saying `prompt`.
    pub(super) fn new(role: &str, prompt: impl Into<String>) -> Self {
        Self { role: Some(role.to_owned()), prompt: Some(prompt.into()), ..Self::default() }
    }

    /// This role, saying what `turn` says: every key that `turn` has wins.
    pub(crate) fn merged(&self, turn: &Self) -> Self {
        let text = |ours: &Option<String>, theirs: &Option<String>| {
            theirs.clone().or_else(|| ours.clone())
        };
        Self {
            role: text(&self.role, &turn.role),
            fallback_role: text(&self.fallback_role, &turn.fallback_role),
            // What a role says where nothing else is said.
            prompt: if turn.prompt_mm.is_some() {
                turn.prompt.clone()
            } else {
                text(&self.prompt, &turn.prompt)
            },
            prompt_mm: turn.prompt_mm.clone().or_else(|| self.prompt_mm.clone()),
            begin: text(&self.begin, &turn.begin),
            end: text(&self.end, &turn.end),
            generate: turn.generate.or(self.generate),
            api_role: text(&self.api_role, &turn.api_role),
        }
    }

    /// What is said, or nothing.
    pub fn text(&self) -> &str {
        self.prompt.as_deref().unwrap_or("")
    }

    /// What is said, between what stands around it.
    pub(super) fn write(&self, text: &mut String) {
        for piece in [&self.begin, &self.prompt, &self.end].into_iter().flatten() {
            text.push_str(piece);
        }
    }
}
