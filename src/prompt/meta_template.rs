//! The model's side of a prompt: how roles are written, and where generation starts.

use serde::Deserialize;

use super::{Mode, Prompt, PromptError, PromptItem, PromptList, Section, Turn};
use crate::config::{Node, from_node};

/// The markup of a model without a chat template of its own: what stands around each role.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetaTemplate {
    #[serde(default)]
    begin: String,
    round: Vec<PromptItem>,
    #[serde(default)]
    end: String,
    #[serde(default)]
    reserved_roles: Vec<Turn>,
    /// An id that ends a generation, beside the checkpoint's own.
    #[serde(default)]
    pub eos_token_id: Option<u32>,
}

impl MetaTemplate {
    /// Reads a `meta_template` dict.
    pub fn from_node(node: &Node) -> Result<Self, PromptError> {
        let meta: Self = from_node(node)?;
        let mut seen: Vec<&str> = Vec::new();
        for role in meta.roles() {
            let what = match role.role.as_deref() {
                None => "a role of the meta_template has no `role`".to_owned(),
                Some(name) if seen.contains(&name) => {
                    format!("role {name:?} stands twice in the meta_template")
                }
                Some(name) => {
                    seen.push(name);
                    continue;
                }
            };
            return Err(PromptError::Template { origin: node.origin.clone(), what });
        }
        Ok(meta)
    }

    /// The text that the model gets. Plain text passes unchanged.
    pub fn render(&self, prompt: &Prompt, mode: Mode) -> Result<String, PromptError> {
        match prompt {
            Prompt::Text(text) => Ok(text.clone()),
            Prompt::List(list) => self.render_list(list, mode),
        }
    }

    fn render_list(&self, list: &PromptList, mode: Mode) -> Result<String, PromptError> {
        let mut text = self.begin.clone();
        let mut open: Vec<(Section, usize)> = Vec::new();
        for (index, item) in list.0.iter().enumerate() {
            match item {
                PromptItem::Text(piece) => text.push_str(piece),
                PromptItem::Open(section) => open.push((*section, index + 1)),
                PromptItem::Close(_) => {
                    if let Some((section @ (Section::Round | Section::Ice), start)) = open.pop() {
                        let stops = mode == Mode::Gen && section == Section::Round;
                        if self.write_rounds(&list.0[start..index], stops, &mut text)? {
                            return Ok(text);
                        }
                    }
                }
                PromptItem::Turn(turn) => {
                    if !matches!(open.last(), Some((Section::Round | Section::Ice, _))) {
                        write_turn(&self.speaker(turn)?.merged(turn), &mut text);
                    }
                }
            }
        }
        text.push_str(&self.end);
        Ok(text)
    }

    /// Writes a dialogue round by round; true when it stopped where the model is to continue.
    fn write_rounds(
        &self,
        dialogue: &[PromptItem],
        stops: bool,
        text: &mut String,
    ) -> Result<bool, PromptError> {
        let rounds = self.split_rounds(dialogue)?;
        let last = rounds.len().saturating_sub(1);
        for (index, round) in rounds.iter().enumerate() {
            match round {
                Round::Aside(turn) => write_turn(turn, text),
                Round::Turns(turns) => {
                    if self.write_round(turns, stops && index == last, text) {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Writes one round in the order of the meta template, roles that say nothing included.
    fn write_round(&self, turns: &[(usize, &Turn)], stops: bool, text: &mut String) -> bool {
        for (slot, item) in self.round.iter().enumerate() {
            match item {
                PromptItem::Turn(role) => {
                    let said = turns.iter().filter(|(own, _)| *own == slot);
                    let turn = said.fold(role.clone(), |merged, (_, turn)| merged.merged(turn));
                    if stops && turn.generate == Some(true) {
                        text.push_str(turn.begin.as_deref().unwrap_or(""));
                        return true;
                    }
                    write_turn(&turn, text);
                }
                PromptItem::Text(piece) => text.push_str(piece),
                PromptItem::Open(_) | PromptItem::Close(_) => {}
            }
        }
        false
    }

    /// A new round starts where the next speaker does not come later in the meta template's round. A
    /// role that is only reserved has no place in a round and is written on its own.
    fn split_rounds<'a>(&self, dialogue: &'a [PromptItem]) -> Result<Vec<Round<'a>>, PromptError> {
        let mut rounds = vec![Round::Turns(Vec::new())];
        for item in dialogue {
            let turn = match item {
                PromptItem::Turn(turn) => turn,
                PromptItem::Text(_) => continue,
                PromptItem::Open(_) | PromptItem::Close(_) => {
                    return Err(PromptError::NestedSection);
                }
            };
            let speaker = self.speaker(turn)?;
            let slot = self
                .round
                .iter()
                .position(|own| matches!(own, PromptItem::Turn(role) if role.role == speaker.role));
            match (slot, rounds.last_mut()) {
                (None, last) => {
                    let aside = Round::Aside(speaker.merged(turn));
                    match last {
                        Some(Round::Turns(turns)) if turns.is_empty() => {
                            *rounds.last_mut().expect("there is a last") = aside
                        }
                        _ => rounds.push(aside),
                    }
                }
                (Some(slot), Some(Round::Turns(turns)))
                    if turns.last().is_none_or(|(last, _)| *last < slot) =>
                {
                    turns.push((slot, turn));
                }
                (Some(slot), _) => rounds.push(Round::Turns(vec![(slot, turn)])),
            }
        }
        Ok(rounds)
    }

    /// The role that a turn speaks in: its own, or its fallback.
    fn speaker(&self, turn: &Turn) -> Result<&Turn, PromptError> {
        let Some(name) = &turn.role else {
            return Err(PromptError::NoRole { text: turn.text().to_owned() });
        };
        let find = |name: &str| self.roles().find(|role| role.role.as_deref() == Some(name));
        find(name).or_else(|| turn.fallback_role.as_deref().and_then(find)).ok_or_else(|| {
            PromptError::UnknownRole {
                role: name.clone(),
                known: self
                    .roles()
                    .filter_map(|role| role.role.as_deref())
                    .collect::<Vec<_>>()
                    .join(", "),
            }
        })
    }

    fn roles(&self) -> impl Iterator<Item = &Turn> {
        let in_round = self.round.iter().filter_map(|item| match item {
            PromptItem::Turn(turn) => Some(turn),
            _ => None,
        });
        in_round.chain(&self.reserved_roles)
    }
}

enum Round<'a> {
    /// Turns with their places in the meta template's round.
    Turns(Vec<(usize, &'a Turn)>),
    /// A reserved role, speaking alone.
    Aside(Turn),
}

fn write_turn(turn: &Turn, text: &mut String) {
    for piece in [&turn.begin, &turn.prompt, &turn.end].into_iter().flatten() {
        text.push_str(piece);
    }
}
