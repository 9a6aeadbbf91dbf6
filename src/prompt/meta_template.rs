//! The markup of a text model: how roles are written, and where generation starts.

use serde::Deserialize;

use super::{
    Message, Mode, Prompt, PromptError, PromptItem, PromptList, PromptPlace, Source, Turn,
    roles::{DialoguePart, ReservedInRound, Roles},
    turn::HUMAN,
};
use crate::config::{Node, from_node};

/// The markup of a model without a chat template of its own: what stands around each role.
#[derive(Clone, Debug)]
pub struct MetaTemplate {
    begin: String,
    roles: Roles,
    end: String,
    wraps_text: bool,
    /// An id that ends a generation, beside the checkpoint's own.
    pub eos_token_id: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    #[serde(default)]
    begin: String,
    round: Vec<PromptItem>,
    #[serde(default)]
    end: String,
    #[serde(default)]
    reserved_roles: Vec<Turn>,
    eos_token_id: Option<u32>,
}

impl MetaTemplate {
    /// Reads a `meta_template` dict.
    pub fn from_node(node: &Node) -> Result<Self, PromptError> {
        let Params { begin, round, end, reserved_roles, eos_token_id } = from_node(node)?;
        let roles =
            Roles::new(round, reserved_roles, ReservedInRound::Alone).checked(&node.origin)?;
        Ok(Self { begin, roles, end, wraps_text: false, eos_token_id })
    }

    /// Whether a string template becomes what `HUMAN` says. The older documents of OpenCompass say so;
    /// its code, and the default here, leaves such a prompt unchanged.
    #[must_use]
    pub fn wrapping_text(mut self, wraps_text: bool) -> Self {
        self.wraps_text = wraps_text;
        self
    }

    /// The text that the model gets. Plain text passes unchanged, unless it is
    /// [wrapped](Self::wrapping_text).
    pub fn render(&self, prompt: &Prompt, mode: Mode) -> Result<String, PromptError> {
        let mut text = String::new();
        self.write(prompt, mode, &mut |piece, _| text.push_str(piece))?;
        Ok(text)
    }

    /// Writes that text to `out`, piece by piece.
    pub(super) fn write(
        &self,
        prompt: &Prompt,
        mode: Mode,
        out: &mut impl FnMut(&str, Source<'_>),
    ) -> Result<(), PromptError> {
        match prompt {
            Prompt::Text(text) if self.wraps_text => {
                let list = PromptList::round(vec![Turn::new(HUMAN, text.as_str())]);
                self.write_list(&list, mode, out)
            }
            Prompt::Text(text) => {
                out(text, Source::at(PromptPlace::ROUND));
                Ok(())
            }
            Prompt::List(list) => self.write_list(list, mode, out),
            Prompt::Messages(messages) => {
                self.write_list(&PromptList::from(&**messages), mode, out)
            }
        }
    }

    /// A chat that the answering role goes on with: every message between what stands around its role,
    /// which is nothing for an unknown one, and then the answering role's begin. What the template
    /// puts around a whole prompt is left out, as OpenCompass leaves it out.
    pub fn chat(&self, messages: &[Message]) -> Result<String, PromptError> {
        let mut text = String::new();
        for message in messages {
            let role = self.roles.in_chat(&message.role).cloned().unwrap_or_default();
            Turn { prompt: Some(message.said()?.to_owned()), ..role }.write(&mut text);
        }
        let answering = self.roles.in_chat("assistant").ok_or(PromptError::NoAnswerer)?;
        text.push_str(answering.begin.as_deref().unwrap_or(""));
        Ok(text)
    }

    fn write_list(
        &self,
        list: &PromptList,
        mode: Mode,
        out: &mut impl FnMut(&str, Source<'_>),
    ) -> Result<(), PromptError> {
        let around = Source { is_markup: true, ..Source::default() };
        out(&self.begin, around);
        for (place, said) in self.roles.said(list, mode)? {
            match said {
                DialoguePart::Text(piece) => out(piece, Source::at(place)),
                DialoguePart::Turn(turn) => {
                    let words = Source { place, role: turn.role.as_deref(), is_markup: false };
                    let markup = Source { is_markup: true, ..words };
                    out(turn.begin.as_deref().unwrap_or(""), markup);
                    out(turn.text(), words);
                    out(turn.end.as_deref().unwrap_or(""), markup);
                }
                DialoguePart::Cue(turn) => {
                    let cue = Source { place, role: turn.role.as_deref(), is_markup: true };
                    out(turn.begin.as_deref().unwrap_or(""), cue);
                    return Ok(());
                }
            }
        }
        out(&self.end, around);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn meta() -> MetaTemplate {
        let meta = json!({
            "begin": "<s>", "end": "</s>",
            "round": [{"role": "HUMAN", "begin": "U:", "end": ";"},
                      {"role": "BOT", "begin": "A:", "end": ".", "generate": true}],
        });
        MetaTemplate::from_node(&Node::from_json(&meta)).unwrap()
    }

    #[test]
    fn a_string_becomes_a_human_turn_only_when_asked() {
        let prompt = Prompt::Text("1+1=?".into());
        let render = |meta: MetaTemplate, mode| meta.render(&prompt, mode).unwrap();
        assert_eq!(render(meta(), Mode::Gen), "1+1=?");
        assert_eq!(render(meta().wrapping_text(true), Mode::Gen), "<s>U:1+1=?;A:");
        assert_eq!(render(meta().wrapping_text(true), Mode::Ppl), "<s>U:1+1=?;A:.</s>");
    }

    #[test]
    fn messages_are_written_like_the_dialogue_they_are() {
        let messages =
            [("system", "sum"), ("user", "1+1=?"), ("assistant", "2"), ("user", "2+2=?")];
        let messages = messages.map(|(role, text)| Message::new(role, text)).to_vec();
        let text = meta().render(&Prompt::Messages(messages), Mode::Gen).unwrap();
        assert_eq!(text, "<s>U:sum;U:1+1=?;A:2.U:2+2=?;A:");
    }
}
