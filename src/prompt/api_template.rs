//! The meta template of a chat model: which role is which in its messages.
//!
//! A chat model brings its own markup, so there is nothing to write around a role; only the roles of
//! the data set's dialogue have to be mapped to the model's (`api_role`), and the turns to be put into
//! its order.

use serde::Deserialize;

use super::{
    Content, Message, Mode, Prompt, PromptError, PromptItem, PromptList, Turn,
    markup::lines,
    message::push_merged,
    multimodal::Media,
    roles::{DialoguePart, ReservedInRound, Roles},
    turn::{BOT, HUMAN, SYSTEM},
};
use crate::config::{ConfigError, Node, Origin, from_node};

/// From a prompt to the messages of a chat.
#[derive(Clone, Debug)]
pub struct ApiTemplate(Form);

#[derive(Clone, Debug)]
enum Form {
    /// None is given: everything is one user's message.
    Lines,
    /// A dict with `round`: a dialogue turn by turn.
    Roles {
        /// A message before all others.
        begin: Option<Message>,
        roles: Box<Roles>,
    },
    /// A list of messages, which finished messages are prefixed with.
    Prefix(Vec<Message>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    begin: Option<PromptItem>,
    round: Vec<PromptItem>,
    // Chat templates end a chat themselves; OpenCompass reads neither of the two here.
    #[serde(rename = "end")]
    _end: Option<Node>,
    #[serde(rename = "eos_token_id")]
    _eos_token_id: Option<Node>,
    #[serde(default)]
    reserved_roles: Vec<Turn>,
}

impl ApiTemplate {
    /// Reads a `meta_template`: a dict whose roles have an `api_role`, a list of messages, or `None`.
    pub fn from_node(node: &Node) -> Result<Self, PromptError> {
        let form = match (node.as_list(), node.as_dict()) {
            _ if node.is_none() => Form::Lines,
            (Some([]), _) | (_, Some([])) => Form::Lines,
            (Some(_), _) => Form::Prefix(from_node(node)?),
            _ => Self::roles(from_node(node)?, &node.origin)?,
        };
        Ok(Self(form))
    }

    /// What a Hugging Face chat model has without a `meta_template`. `SYSTEM` speaks as `HUMAN`, since
    /// many chat templates know no system role.
    pub fn hugging_face() -> Self {
        let role = |name: &str, api_role: &str| Turn {
            role: Some(name.to_owned()),
            api_role: Some(api_role.to_owned()),
            generate: (name == BOT).then_some(true),
            ..Turn::default()
        };
        let round = [(HUMAN, HUMAN), (SYSTEM, HUMAN), (BOT, BOT)]
            .map(|(name, api_role)| PromptItem::Turn(role(name, api_role)));
        let roles = Roles::new(round.to_vec(), Vec::new(), ReservedInRound::Unheard);
        Self(Form::Roles { begin: None, roles: Box::new(roles) })
    }

    /// What AISBench's chat models have without a `meta_template`: each role is its own.
    pub fn spoken_roles() -> Self {
        let role = |name: &str| Turn {
            role: Some(name.to_owned()),
            api_role: Some(name.to_owned()),
            generate: (name == BOT).then_some(true),
            ..Turn::default()
        };
        let round = [HUMAN, BOT].map(|name| PromptItem::Turn(role(name)));
        let roles = Roles::new(round.to_vec(), vec![role(SYSTEM)], ReservedInRound::Unheard);
        Self(Form::Roles { begin: None, roles: Box::new(roles) })
    }

    /// What OpenCompass's API models have without one: a dialogue is one user's message.
    pub fn lines() -> Self {
        Self(Form::Lines)
    }

    fn roles(params: Params, origin: &Origin) -> Result<Form, PromptError> {
        if let Some(text) = params.round.iter().find_map(|item| match item {
            PromptItem::Text(text) => Some(text),
            _ => None,
        }) {
            return Err(PromptError::Template {
                origin: origin.clone(),
                what: format!(
                    "the round of a chat model's meta_template holds the text {text:?}; every item needs a role"
                ),
            });
        }
        let begin = match params.begin {
            None => None,
            Some(PromptItem::Text(text)) if text.is_empty() => None,
            Some(PromptItem::Turn(Turn { role: Some(role), prompt, .. })) => {
                Some(Message::new(&role, prompt.unwrap_or_default()))
            }
            Some(_) => {
                return Err(ConfigError::at(origin, "`begin` of a chat model is one message")
                    .with_hint("write begin=dict(role='SYSTEM', prompt='…')")
                    .into());
            }
        };
        let roles = Roles::new(params.round, params.reserved_roles, ReservedInRound::Unheard);
        let roles = roles.checked(origin)?;
        Ok(Form::Roles { begin, roles: Box::new(roles) })
    }

    /// A chat in the roles that the template names; without a template, and for roles it does not know,
    /// in its own.
    pub fn chat(&self, messages: &[Message]) -> Result<Vec<Message>, PromptError> {
        let renamed = |roles: &Roles, message: &Message| {
            let Some(role) = roles.in_chat(&message.role) else { return Ok(message.clone()) };
            let name = || role.role.clone().unwrap_or_default();
            let api_role =
                role.api_role.as_ref().ok_or_else(|| PromptError::NoApiRole { role: name() })?;
            Ok(Message { role: api_role.clone(), ..message.clone() })
        };
        match &self.0 {
            Form::Lines => Ok(messages.to_vec()),
            Form::Prefix(prefix) => Ok(prefixed(prefix, messages)),
            Form::Roles { roles, .. } => {
                messages.iter().map(|message| renamed(roles, message)).collect()
            }
        }
    }

    /// The messages, in the roles that the template names. Text is one user's message.
    pub fn messages(&self, prompt: &Prompt, mode: Mode) -> Result<Vec<Message>, PromptError> {
        match (prompt, &self.0) {
            (Prompt::Text(text), _) => Ok(vec![Message::user(text.as_str())]),
            (Prompt::Messages(messages), Form::Prefix(prefix)) if !messages.is_empty() => {
                Ok(prefixed(prefix, messages))
            }
            (Prompt::Messages(messages), _) => Ok(messages.clone()),
            (Prompt::List(list), Form::Lines) => Ok(vec![Message::user(one_content(list))]),
            (Prompt::List(list), Form::Roles { begin, roles }) => {
                let mut messages = spoken(roles, list, mode)?;
                if let Some(begin) = begin {
                    messages.insert(0, begin.clone());
                }
                Ok(messages)
            }
            (Prompt::List(_), Form::Prefix(_)) => Err(PromptError::MessagesForDialogue),
        }
    }
}

/// The dialogue, one message for each change of role. Texts without a role are not sent.
fn spoken(roles: &Roles, list: &PromptList, mode: Mode) -> Result<Vec<Message>, PromptError> {
    let is_multimodal = list.is_multimodal();
    let mut messages = Vec::new();
    for (_, said) in roles.said(list, mode)? {
        let DialoguePart::Turn(turn) = said else { continue };
        let name = turn.role.clone().unwrap_or_default();
        let Some(api_role) = &turn.api_role else {
            return Err(PromptError::NoApiRole { role: name });
        };
        let content = match (&turn.prompt, &turn.prompt_mm) {
            (None, Some(Media::Parts(parts))) => Content::Parts(parts.clone()),
            // A role of the model's own markup that the dialogue does not have.
            (None, None) if is_multimodal && turn.begin.is_none() && turn.end.is_none() => continue,
            (None, None) if is_multimodal => return Err(PromptError::SilentRole { role: name }),
            _ => {
                let mut text = String::new();
                turn.write(&mut text);
                Content::Text(text)
            }
        };
        push_merged(&mut messages, Message::new(api_role, content));
    }
    if messages.is_empty() { Err(PromptError::EmptyDialogue) } else { Ok(messages) }
}

/// A dialogue as the content of one message: its lines, or what is shown when nothing is written.
fn one_content(list: &PromptList) -> Content {
    let text = lines(list);
    if !text.is_empty() || !list.is_multimodal() {
        return Content::Text(text);
    }
    let shown = list.0.iter().filter_map(|item| match item {
        PromptItem::Turn(Turn { prompt_mm: Some(Media::Parts(parts)), .. }) => Some(parts),
        _ => None,
    });
    Content::Parts(shown.flatten().cloned().collect())
}

/// `messages` with the model's own before them: a message of the same role at the same place is
/// prefixed, one whose role comes later waits for it, and any other is inserted.
fn prefixed(prefix: &[Message], messages: &[Message]) -> Vec<Message> {
    let mut result = Vec::with_capacity(prefix.len() + messages.len());
    let mut rest = messages;
    for own in prefix {
        let meeting = rest.iter().position(|message| message.role == own.role);
        let (before, from) = rest.split_at(meeting.unwrap_or(0));
        result.extend_from_slice(before);
        match (meeting, from.split_first()) {
            (Some(_), Some((message, after))) => {
                let mut merged = own.clone();
                merged.content.extend("", message.content.clone());
                merged.further.extend(message.further.clone());
                result.push(merged);
                rest = after;
            }
            _ => result.push(own.clone()),
        }
    }
    result.extend_from_slice(rest);
    result
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn own_messages_meet_those_of_the_data_set() {
        let chat = |roles: &[(&str, &str)]| -> Vec<Message> {
            roles.iter().map(|(role, text)| Message::new(role, *text)).collect()
        };
        let prefix = chat(&[("system", "S"), ("assistant", "A"), ("system", "T")]);
        let messages = chat(&[("user", "u"), ("system", "s"), ("user", "v")]);
        assert_eq!(
            prefixed(&prefix, &messages),
            chat(&[
                ("user", "u"),
                ("system", "Ss"),
                ("assistant", "A"),
                ("system", "T"),
                ("user", "v")
            ])
        );
    }

    #[test]
    fn a_role_without_an_api_role_is_named() {
        let meta = json!({"round": [{"role": "HUMAN"}, {"role": "BOT", "generate": true}]});
        let meta = ApiTemplate::from_node(&Node::from_json(&meta)).unwrap();
        let prompt = Prompt::List(PromptList::round(vec![Turn::new(HUMAN, "hi")]));
        let error = meta.messages(&prompt, Mode::Gen).unwrap_err();
        assert!(error.to_string().contains("\"HUMAN\""), "{error}");
    }
}
