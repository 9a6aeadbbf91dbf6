//! How a model is given a prompt.

use super::{
    ApiTemplate, Message, MetaTemplate, Piece, Prompt, PromptError, PromptItem, PromptList,
    PromptPlace, Source, message::for_chat,
};

/// What the prompt is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It is continued: it ends where the generating role of the last round begins.
    Gen,
    /// It is scored: everything is written out.
    Ppl,
}

/// The last step of a prompt, which belongs to the model and not to the data set.
#[derive(Clone, Debug)]
pub enum Markup {
    /// No markup: the texts, a line each.
    Lines,
    /// A `meta_template` with the text around each role.
    Meta(Box<MetaTemplate>),
    /// The checkpoint's own chat template, which is given messages. It is applied by whoever holds
    /// the checkpoint; here the messages are made.
    Chat(Box<ApiTemplate>),
}

/// What a model is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Rendered {
    /// Text to be tokenised as it is.
    Text(String),
    /// Messages to be put into the checkpoint's chat template.
    Messages(Vec<Message>),
}

impl Markup {
    /// What the model is given.
    pub fn rendered(&self, prompt: &Prompt, mode: Mode) -> Result<Rendered, PromptError> {
        if let Self::Chat(api) = self {
            return for_chat(api.messages(prompt, mode)?).map(Rendered::Messages);
        }
        let mut text = String::new();
        self.write(prompt, mode, &mut |piece, _| text.push_str(piece))?;
        Ok(Rendered::Text(text))
    }

    /// Refuses a prompt with an image, a video or a sound to a model that is given text alone, which would leave it out.
    pub(crate) fn check_media(&self, prompt: &Prompt) -> Result<(), PromptError> {
        let role = match (self, prompt) {
            (Self::Chat(_), _) | (_, Prompt::Text(_)) => None,
            (_, Prompt::List(list)) => list.shown_media(),
            (_, Prompt::Messages(messages)) => {
                let shows = |message: &&Message| message.content.text().is_none();
                messages.iter().find(shows).map(|message| message.role.clone())
            }
        };
        role.map_or(Ok(()), |role| Err(PromptError::NotText { role }))
    }

    /// The pieces of the text that the model reads; an error for a model that is given messages.
    pub fn pieces(&self, prompt: &Prompt, mode: Mode) -> Result<Vec<Piece>, PromptError> {
        let mut pieces = Vec::new();
        self.write(prompt, mode, &mut |text, source| pieces.push(Piece::new(text, source)))?;
        Ok(pieces)
    }

    fn write(
        &self,
        prompt: &Prompt,
        mode: Mode,
        out: &mut impl FnMut(&str, Source<'_>),
    ) -> Result<(), PromptError> {
        match (self, prompt) {
            (Self::Lines, Prompt::Text(text)) => out(text, Source::at(PromptPlace::ROUND)),
            (Self::Lines, Prompt::List(list)) => write_lines(list, out),
            (Self::Lines, Prompt::Messages(messages)) => {
                write_lines(&PromptList::from(&**messages), out);
            }
            (Self::Meta(meta), _) => meta.write(prompt, mode, out)?,
            (Self::Chat(_), _) => return Err(PromptError::ChatOnly),
        }
        Ok(())
    }

    /// What the model is given of a chat that it answers, message by message.
    pub fn chat(&self, messages: &[Message]) -> Result<Rendered, PromptError> {
        match self {
            Self::Lines => {
                let lines: Result<Vec<&str>, _> = messages.iter().map(Message::said).collect();
                Ok(Rendered::Text(lines?.join("\n")))
            }
            Self::Meta(meta) => meta.chat(messages).map(Rendered::Text),
            Self::Chat(api) => for_chat(api.chat(messages)?).map(Rendered::Messages),
        }
    }

    /// The text that the model reads; an error for a model that is given messages.
    pub fn render(&self, prompt: &Prompt, mode: Mode) -> Result<String, PromptError> {
        match self.rendered(prompt, mode)? {
            Rendered::Text(text) => Ok(text),
            Rendered::Messages(_) => Err(PromptError::ChatOnly),
        }
    }
}

/// The text for a model without a meta template: the non-empty texts of a dialogue, a line each,
/// including what the answering role says. An empty first item still counts as a line.
pub(super) fn lines(list: &PromptList) -> String {
    let mut joined = String::new();
    write_lines(list, &mut |text, _| joined.push_str(text));
    joined
}

fn write_lines(list: &PromptList, out: &mut impl FnMut(&str, Source<'_>)) {
    for (index, (place, item)) in list.placed().enumerate() {
        let (text, role) = match item {
            PromptItem::Text(text) => (text.as_str(), None),
            PromptItem::Turn(turn) => (turn.text(), turn.role.as_deref()),
            PromptItem::Open(_) | PromptItem::Close(_) => continue,
        };
        if text.is_empty() {
            continue;
        }
        if index > 0 {
            out("\n", Source { place, role, is_markup: true });
        }
        out(text, Source { place, role, is_markup: false });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{
        config::Node,
        prompt::{Section, Turn},
    };

    fn list() -> impl Strategy<Value = PromptList> {
        let section = prop_oneof![Just(Section::Begin), Just(Section::Ice), Just(Section::Round)];
        let turn = (prop_oneof![Just("HUMAN"), Just("BOT")], "[ab\n]{0,3}");
        let items = (section, proptest::collection::vec(turn, 0..4), "[x ]{0,2}");
        proptest::collection::vec(items, 0..4).prop_map(|sections| {
            let mut list = Vec::new();
            for (section, turns, text) in sections {
                list.push(PromptItem::Open(section));
                list.extend(
                    turns
                        .iter()
                        .map(|(role, text)| PromptItem::Turn(Turn::new(role, text.as_str()))),
                );
                list.push(PromptItem::Close(section));
                list.push(PromptItem::Text(text));
            }
            PromptList(list)
        })
    }

    proptest! {
        #[test]
        fn pieces_are_the_text(list in list(), generates: bool) {
            let meta = json!({
                "begin": "<s>", "end": "</s>",
                "round": [{"role": "HUMAN", "begin": "U:", "end": ";"},
                          {"role": "BOT", "begin": "A:", "end": ".", "generate": true}],
            });
            let meta = MetaTemplate::from_node(&Node::from_json(&meta)).unwrap();
            let mode = if generates { Mode::Gen } else { Mode::Ppl };
            let prompt = Prompt::List(list);
            for markup in [Markup::Lines, Markup::Meta(Box::new(meta))] {
                let pieces = markup.pieces(&prompt, mode).unwrap();
                let joined: String = pieces.into_iter().map(|piece| piece.text).collect();
                prop_assert_eq!(joined, markup.render(&prompt, mode).unwrap());
            }
        }
    }
}
