//! The roles of a meta template, and who says what in a dialogue.
//!
//! Text and chat models differ in how a turn is written, not in whose turn it is. [`Roles::said`]
//! settles the latter: it walks the sections of a prompt, fits the turns into the rounds of the meta
//! template, and stops where the model is to speak.

use super::{
    Mode, PromptError, PromptItem, PromptList, PromptPlace, Section, Turn,
    piece::OpenSections,
    turn::{BOT, HUMAN, SYSTEM},
};
use crate::config::Origin;

/// The roles that speak in every round, in order, and those that only speak when called.
#[derive(Clone, Debug)]
pub(super) struct Roles {
    round: Vec<PromptItem>,
    reserved: Vec<Turn>,
    reserved_in_round: ReservedInRound,
}

/// What becomes of a reserved role's turn inside `round`, where only the roles of the meta template's
/// round have a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReservedInRound {
    /// It is written on its own, between the rounds.
    Alone,
    /// It takes the place of its `fallback_role`, and nothing is heard of it: OpenCompass's rule for
    /// API models.
    Unheard,
}

/// One part of a dialogue, after roles are resolved.
#[derive(Debug)]
pub(super) enum DialoguePart<'a> {
    /// Text that belongs to no role.
    Text(&'a str),
    /// A role and its words, all keys of the meta template filled in.
    Turn(Turn),
    /// The role that the model plays begins to speak. Always last.
    Cue(Turn),
}

enum Round<'a> {
    /// Places in the meta template's round, and what is said there.
    Places(Vec<(usize, Option<&'a Turn>)>),
    /// A reserved role, speaking alone.
    Alone(Turn),
}

impl Roles {
    /// The roles of a round, and those that are reserved.
    pub(super) fn new(
        round: Vec<PromptItem>,
        reserved: Vec<Turn>,
        reserved_in_round: ReservedInRound,
    ) -> Self {
        Self { round, reserved, reserved_in_round }
    }

    /// Checks that every role has a name of its own.
    pub(super) fn checked(self, origin: &Origin) -> Result<Self, PromptError> {
        let mut seen: Vec<&str> = Vec::new();
        for role in self.iter() {
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
            return Err(PromptError::Template { origin: origin.clone(), what });
        }
        Ok(self)
    }

    /// Everything that is said and where, in the order in which it is written, up to the model's cue.
    pub(super) fn said<'a>(
        &'a self,
        list: &'a PromptList,
        mode: Mode,
    ) -> Result<Vec<(PromptPlace, DialoguePart<'a>)>, PromptError> {
        let mut said = Vec::new();
        let mut sections = OpenSections::default();
        let mut open: Vec<(Section, usize)> = Vec::new();
        for (index, item) in list.0.iter().enumerate() {
            match item {
                PromptItem::Text(text) => said.push((sections.place(), DialoguePart::Text(text))),
                PromptItem::Open(section) => {
                    sections.open(*section);
                    open.push((*section, index + 1));
                }
                PromptItem::Close(_) => {
                    let place = sections.place();
                    sections.close();
                    if let Some((section @ (Section::Round | Section::Ice), start)) = open.pop() {
                        let rounds = self.split_rounds(&list.0[start..index])?;
                        let cues = mode == Mode::Gen && section == Section::Round;
                        if self.say_rounds(rounds, place, cues, &mut said) {
                            return Ok(said);
                        }
                    }
                }
                PromptItem::Turn(turn) => {
                    if !matches!(open.last(), Some((Section::Round | Section::Ice, _))) {
                        let merged = self.speaker(turn)?.merged(turn);
                        said.push((sections.place(), DialoguePart::Turn(merged)));
                    }
                }
            }
        }
        Ok(said)
    }

    /// Says a dialogue round by round; true when it ended in a cue.
    fn say_rounds<'a>(
        &'a self,
        rounds: Vec<Round<'_>>,
        place: PromptPlace,
        cues: bool,
        said: &mut Vec<(PromptPlace, DialoguePart<'a>)>,
    ) -> bool {
        let last = rounds.len().saturating_sub(1);
        for (index, round) in rounds.into_iter().enumerate() {
            match round {
                Round::Alone(turn) => said.push((place, DialoguePart::Turn(turn))),
                Round::Places(places) => {
                    if self.say_round(&places, place, cues && index == last, said) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Says one round in the order of the meta template, roles that have no words included.
    fn say_round<'a>(
        &'a self,
        places: &[(usize, Option<&Turn>)],
        section: PromptPlace,
        cues: bool,
        said: &mut Vec<(PromptPlace, DialoguePart<'a>)>,
    ) -> bool {
        for (place, item) in self.round.iter().enumerate() {
            match item {
                PromptItem::Turn(role) => {
                    let words = places.iter().filter(|(own, _)| *own == place);
                    let turn = words
                        .filter_map(|(_, turn)| *turn)
                        .fold(role.clone(), |merged, turn| merged.merged(turn));
                    if cues && turn.generate == Some(true) {
                        said.push((section, DialoguePart::Cue(turn)));
                        return true;
                    }
                    said.push((section, DialoguePart::Turn(turn)));
                }
                PromptItem::Text(text) => said.push((section, DialoguePart::Text(text))),
                PromptItem::Open(_) | PromptItem::Close(_) => {}
            }
        }
        false
    }

    /// A new round starts where the next speaker does not come later in the meta template's round.
    fn split_rounds<'a>(&self, dialogue: &'a [PromptItem]) -> Result<Vec<Round<'a>>, PromptError> {
        let mut rounds = vec![Round::Places(Vec::new())];
        for item in dialogue {
            let turn = match item {
                PromptItem::Turn(turn) => turn,
                PromptItem::Text(_) => continue,
                PromptItem::Open(_) | PromptItem::Close(_) => {
                    return Err(PromptError::NestedSection);
                }
            };
            let speaker = self.speaker(turn)?;
            let entry = match self.place(speaker.role.as_deref()) {
                Some(place) => (place, Some(turn)),
                None if self.reserved_in_round == ReservedInRound::Unheard => {
                    let fallback = self.place(turn.fallback_role.as_deref());
                    (fallback.ok_or_else(|| self.unknown(turn))?, None)
                }
                None => {
                    let alone = Round::Alone(speaker.merged(turn));
                    match rounds.last_mut() {
                        Some(empty @ Round::Places(_)) if empty.is_empty() => *empty = alone,
                        _ => rounds.push(alone),
                    }
                    continue;
                }
            };
            match rounds.last_mut() {
                Some(Round::Places(places))
                    if places.last().is_none_or(|(last, _)| *last < entry.0) =>
                {
                    places.push(entry);
                }
                _ => rounds.push(Round::Places(vec![entry])),
            }
        }
        Ok(rounds)
    }

    /// The role that a turn speaks in: its own, or its fallback.
    fn speaker(&self, turn: &Turn) -> Result<&Turn, PromptError> {
        let Some(name) = &turn.role else {
            return Err(PromptError::NoRole { text: turn.text().to_owned() });
        };
        let find = |name: &str| self.iter().find(|role| role.role.as_deref() == Some(name));
        find(name)
            .or_else(|| turn.fallback_role.as_deref().and_then(find))
            .ok_or_else(|| self.unknown(turn))
    }

    /// The role that speaks as `system`, `user` or `assistant` in a chat, or one of that very name.
    pub(super) fn in_chat(&self, role: &str) -> Option<&Turn> {
        let name = match role {
            "system" => SYSTEM,
            "user" => HUMAN,
            "assistant" => BOT,
            other => other,
        };
        self.iter().find(|own| own.role.as_deref() == Some(name))
    }

    fn place(&self, name: Option<&str>) -> Option<usize> {
        self.round
            .iter()
            .position(|item| matches!(item, PromptItem::Turn(role) if role.role.as_deref() == name))
    }

    fn unknown(&self, turn: &Turn) -> PromptError {
        let known: Vec<&str> = self.iter().filter_map(|role| role.role.as_deref()).collect();
        PromptError::UnknownRole {
            role: turn.role.clone().unwrap_or_default(),
            known: known.join(", "),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Turn> {
        let in_round = self.round.iter().filter_map(|item| match item {
            PromptItem::Turn(turn) => Some(turn),
            _ => None,
        });
        in_round.chain(&self.reserved)
    }
}

impl Round<'_> {
    fn is_empty(&self) -> bool {
        matches!(self, Self::Places(places) if places.is_empty())
    }
}
