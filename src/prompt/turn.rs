//! One turn of a dialogue template.

use serde::Deserialize;

/// What one role says, and how it is written where that differs from the meta template. In a meta
/// template the same shape describes the role itself.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Turn {
    /// Who speaks, for example `HUMAN`, `BOT`, `SYSTEM`.
    pub role: Option<String>,
    /// Who speaks instead when the meta template does not know `role`.
    pub fallback_role: Option<String>,
    /// What is said.
    pub prompt: Option<String>,
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
    /// This role, saying what `turn` says: every key that `turn` has wins.
    pub(crate) fn merged(&self, turn: &Self) -> Self {
        let text = |ours: &Option<String>, theirs: &Option<String>| {
            theirs.clone().or_else(|| ours.clone())
        };
        Self {
            role: text(&self.role, &turn.role),
            fallback_role: text(&self.fallback_role, &turn.fallback_role),
            prompt: text(&self.prompt, &turn.prompt),
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
}
