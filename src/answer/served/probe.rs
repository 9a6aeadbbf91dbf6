//! What a server can do, found out before it is asked anything that counts.
//!
//! Servers that speak the same protocol answer different things to the same request, and most say nothing of what they
//! leave out: of eight, two score a given text by default, the others repeat nothing, drop the log-probabilities or
//! give those of the text that they generate. So small requests are sent first, each way of asking is tried, and what
//! comes back is held against what was sent. What a server does not heed in continuations is told.

use serde_json::{Value as Json, json};

use super::{Client, NoAnswer, Protocol, ServedSettings, reply, request, scored_text};
use crate::{
    answer::{ServedContinuation, ServedScore, ServedText},
    engine::FinishReason,
};

/// How a server is asked for the surprisals of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoring {
    /// `echo` and `logprobs`, with `max_tokens` of 0, or 1 where the server wants it.
    Echo {
        /// Tokens that are generated behind the text and dropped.
        new_tokens: usize,
    },
    /// vLLM's `prompt_logprobs` of a text.
    PromptLogprobs,
    /// The same of messages.
    ChatPromptLogprobs,
    /// text-generation-inference's `decoder_input_details`.
    Details,
}

/// What is wanted of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerNeeds {
    /// Surprisals of given texts.
    pub surprisals: bool,
    /// Where the tokens of an answer stand in its text.
    pub places: bool,
    /// Continuations.
    pub continuations: bool,
}

/// What a server was found to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAbilities {
    /// The model's name there.
    pub model: String,
    /// How it is asked for surprisals, if they are wanted.
    pub scoring: Option<Scoring>,
    /// Whether it scores the first token of a text, as behind a token that it does not tell.
    pub scores_first: bool,
    /// Whether it puts a token in front of a text.
    pub has_front_token: bool,
    /// What it does not heed, for people.
    pub notes: Vec<String>,
}

/// Why a server cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerRefusal {
    /// There is no answer at all.
    #[error("{name}: {what}{}", hint(*status, *has_key))]
    NoAnswer {
        /// The model and its server.
        name: String,
        /// What went wrong.
        what: String,
        /// The status of the answer, if there was one.
        status: Option<u16>,
        /// Whether a key was sent.
        has_key: bool,
    },
    /// It cannot score a given text.
    #[error(
        "{name} cannot say how surprising a given text is, which {wanted}: {}; vLLM, SGLang and `surprisal serve` can by \
         /v1/completions, which type=served_text asks; or ask for a continuation, with GenInferencer",
        tried.join("; ")
    )]
    CannotScore {
        /// The model and its server.
        name: String,
        /// What was tried, and what came of it.
        tried: Vec<String>,
        /// What needs it.
        wanted: String,
    },
    /// It does not tell where tokens stand.
    #[error(
        "{name} does not tell where its tokens stand in a text, so nobody can part an answer from what is before it; \
         choose the rule oc_ppl or text_sum"
    )]
    NoPlaces {
        /// The model and its server.
        name: String,
    },
    /// The environment holds no key, or an address has no model or several.
    #[error("{name}: {what}")]
    Unclear {
        /// The model and its server.
        name: String,
        /// What is wrong, and what to do.
        what: String,
    },
}

fn hint(status: Option<u16>, has_key: bool) -> &'static str {
    match (status, has_key) {
        (Some(401 | 403), false) => {
            "; write key='ENV' into the model's entry and put the key into OPENAI_API_KEY"
        }
        (Some(401 | 403), true) => "; look at the key in the environment",
        (Some(404), _) => "; look at the address and the name of the model",
        (None, _) => "; look whether the server runs and is there",
        _ => "",
    }
}

/// Two texts that begin alike: what they share has to be as surprising in both.
const TEXTS: [&str; 2] = [
    "The quick brown fox jumps over the lazy dog; 東京 is the capital of Japan.",
    "The quick brown fox jumps over the lazy cat, naïvely.",
];

/// How far the surprisals of what two texts share may be apart, in nats: batches of servers are not exact.
const SAME_NATS: f32 = 0.25;

/// A probe of one server.
pub(super) struct Probe<'a> {
    settings: &'a ServedSettings,
    client: &'a Client,
    has_key: bool,
}

impl<'a> Probe<'a> {
    pub(super) fn new(settings: &'a ServedSettings, client: &'a Client) -> Self {
        Self { settings, client, has_key: settings.key.is_some() }
    }

    /// Finds out what the server can do of what is needed; `wanted` says what needs surprisals.
    pub(super) fn abilities(
        &self,
        needs: ServerNeeds,
        wanted: &str,
    ) -> Result<ServerAbilities, ServerRefusal> {
        let mut abilities = ServerAbilities {
            model: self.model()?,
            scoring: None,
            scores_first: false,
            has_front_token: false,
            notes: Vec::new(),
        };
        if needs.surprisals {
            let (scoring, score) = self.scoring(&abilities.model, wanted)?;
            if needs.places && score.tokens.starts.is_empty() {
                return Err(ServerRefusal::NoPlaces { name: self.settings.name() });
            }
            abilities.scoring = Some(scoring);
            abilities.scores_first = score.nlls.len() == score.tokens.len();
            abilities.has_front_token = score.tokens.starts.get(1) == Some(&0);
        }
        if needs.continuations {
            abilities.notes = self.continuations(&abilities.model)?;
        }
        Ok(abilities)
    }

    fn refused(&self, error: NoAnswer) -> ServerRefusal {
        let NoAnswer { what, status, .. } = error;
        ServerRefusal::NoAnswer { name: self.settings.name(), what, status, has_key: self.has_key }
    }

    /// The model's name: the one that is given, or that of the server's only one.
    pub(super) fn model(&self) -> Result<String, ServerRefusal> {
        let ServedSettings { model, protocol, address, .. } = self.settings;
        if !model.is_empty() || matches!(protocol, Protocol::Generate | Protocol::Infer) {
            return Ok(model.clone());
        }
        let listed =
            self.client.get(&address.endpoint("models")).map_err(|own| self.refused(own))?;
        let models = listed.get("data").and_then(Json::as_array).map(Vec::as_slice);
        let name = |model: &Json| model.get("id").and_then(Json::as_str).map(str::to_owned);
        let names: Vec<String> = models.unwrap_or_default().iter().filter_map(name).collect();
        match names.as_slice() {
            [only] => Ok(only.clone()),
            [] => Err(self.unclear("it lists no model; give its name".to_owned())),
            several => {
                let what =
                    format!("it has several models, give the name of one: {}", several.join(", "));
                Err(self.unclear(what))
            }
        }
    }

    fn unclear(&self, what: String) -> ServerRefusal {
        ServerRefusal::Unclear { name: self.settings.name(), what }
    }

    /// The first way of asking that scores both texts, with the score of the first.
    fn scoring(&self, model: &str, wanted: &str) -> Result<(Scoring, ServedScore), ServerRefusal> {
        let ways: &[Scoring] = match self.settings.protocol {
            Protocol::Completions => &[
                Scoring::Echo { new_tokens: 0 },
                Scoring::Echo { new_tokens: 1 },
                Scoring::PromptLogprobs,
            ],
            Protocol::Chat => &[Scoring::ChatPromptLogprobs],
            Protocol::Generate => &[Scoring::Details],
            Protocol::Infer => &[],
        };
        let mut tried = Vec::new();
        for way in ways {
            match self.scored_both(model, *way) {
                Ok(score) => return Ok((*way, score)),
                Err(Unscored::NoAnswer(error)) if error.status.is_none_or(is_of_the_server) => {
                    return Err(self.refused(error));
                }
                Err(Unscored::NoAnswer(error)) => {
                    tried.push(format!("{}: {}", way.name(), error.what));
                }
                Err(Unscored::Other(what)) => tried.push(format!("{}: {what}", way.name())),
            }
        }
        Err(ServerRefusal::CannotScore {
            name: self.settings.name(),
            tried,
            wanted: wanted.to_owned(),
        })
    }

    fn scored_both(&self, model: &str, way: Scoring) -> Result<ServedScore, Unscored> {
        let [first, second] = TEXTS.map(|text| self.scored(model, text, way));
        let (first, second) = (first?, second?);
        let shared = first.tokens.texts.iter().zip(&second.tokens.texts);
        let shared = shared.take_while(|(own, other)| own == other).count();
        let skipped = |score: &ServedScore| score.tokens.len() - score.nlls.len();
        let from = skipped(&first);
        let apart = |at: usize| {
            let [Some(own), Some(other)] =
                [&first, &second].map(|score| score.nlls.get(at - from).copied())
            else {
                return false;
            };
            (own - other).abs() > SAME_NATS
        };
        if from != skipped(&second) || (from..shared).any(apart) {
            let what = "the same beginning of two texts is not as surprising in both";
            return Err(Unscored::Other(what.to_owned()));
        }
        Ok(first)
    }

    fn scored(&self, model: &str, text: &str, way: Scoring) -> Result<ServedScore, Unscored> {
        let sent = match way {
            Scoring::ChatPromptLogprobs => json!([{"role": "user", "content": text}]).to_string(),
            _ => text.to_owned(),
        };
        let url = self.settings.address.endpoint(self.settings.protocol.endpoint());
        let body = request::scoring(self.settings, model, &sent, way);
        let answer = self.sent(&url, &body).map_err(Unscored::NoAnswer)?;
        scored_text::read(&answer, &sent, way).map_err(Unscored::Other)
    }

    /// Sends a request, once more if that may help.
    fn sent(&self, url: &str, body: &Json) -> Result<Json, NoAnswer> {
        let first = self.client.post(url, body);
        match first {
            Err(error) if error.is_passing => {
                let wait = error.retry_after.unwrap_or(self.settings.patience.first_wait);
                std::thread::sleep(wait.min(self.settings.patience.longest_wait));
                self.client.post(url, body)
            }
            other => other,
        }
    }

    /// What a server does not heed of what is asked of continuations.
    fn continuations(&self, model: &str) -> Result<Vec<String>, ServerRefusal> {
        let ask = |most: usize, stop: Vec<String>| -> Result<ServedText, ServerRefusal> {
            let text = match self.settings.protocol {
                Protocol::Chat => {
                    json!([{"role": "user", "content": "Count from one to ten."}]).to_string()
                }
                _ => "one two three four five".to_owned(),
            };
            let wanted =
                ServedContinuation { max_new_tokens: most, min_new_tokens: 0, stop, draw: 0 };
            let url = self.settings.address.endpoint(self.settings.protocol.endpoint());
            // Whole, whether or not what counts is streamed: it is looked at what is said, not when.
            let whole = ServedSettings { streams: false, ..self.settings.clone() };
            let body = request::continuation(&whole, model, &text, &wanted);
            let answer = self.sent(&url, &body).map_err(|own| self.refused(own))?;
            // What is cut here shows whether the server had cut it.
            let uncut = ServedContinuation { stop: Vec::new(), ..wanted };
            reply::read(&answer, self.settings.protocol, &uncut, 0.0)
                .map_err(|own| self.refused(own))
        };
        let mut notes = Vec::new();
        let most = 8;
        let first = ask(most, Vec::new())?;
        if first.new_tokens.is_some_and(|own| own > most) {
            notes.push(format!(
                "the server wrote {} tokens where max_tokens was {most}: max_out_len is not heeded",
                first.new_tokens.unwrap_or_default()
            ));
        }
        if self.settings.budget.is_bounded()
            && (first.new_tokens.is_none() || first.prompt_tokens.is_none())
        {
            let what = "it does not tell how many tokens an answer took, so that no budget holds; leave the budget out";
            return Err(ServerRefusal::Unclear {
                name: self.settings.name(),
                what: what.to_owned(),
            });
        }
        if first.new_tokens.is_none() {
            notes.push("the server does not tell how many tokens it writes".to_owned());
        }
        let again = ask(most, Vec::new())?;
        let is_to_be_same =
            self.settings.is_greedy() || self.settings.parameters.contains_key("seed");
        if is_to_be_same && again.text != first.text {
            let cause = if self.settings.is_greedy() { "temperature=0" } else { "the same seed" };
            notes.push(format!(
                "the server answers the same request differently with {cause}: another run may have other figures"
            ));
        }
        // Any later character of the same answer would do to stop at.
        let stop = first.text.chars().nth(1).filter(|_| first.text == again.text);
        if let Some(stop) = stop.map(String::from) {
            let stopped = ask(most, vec![stop.clone()])?;
            let wrote_on = stopped.text == first.text && first.text.contains(&stop);
            let is_last = first.text.ends_with(&stop) && stopped.finish == FinishReason::Stop;
            if wrote_on && !is_last {
                notes.push("the server does not heed stop texts: answers are cut here".to_owned());
            }
        }
        Ok(notes)
    }
}

/// Whether a status is about the server and not about what was asked: another way of asking would meet it, too.
fn is_of_the_server(status: u16) -> bool {
    matches!(status, 401 | 403 | 404 | 429 | 502..=504)
}

enum Unscored {
    NoAnswer(NoAnswer),
    Other(String),
}

impl Scoring {
    /// What is sent, for messages.
    fn name(self) -> &'static str {
        match self {
            Self::Echo { new_tokens: 0 } => "with echo, logprobs and max_tokens=0",
            Self::Echo { .. } => "with echo, logprobs and max_tokens=1",
            Self::PromptLogprobs => "with prompt_logprobs",
            Self::ChatPromptLogprobs => "with messages and prompt_logprobs",
            Self::Details => "with decoder_input_details",
        }
    }
}

impl ServerAbilities {
    /// What decides an answer beside the question: the model's name, how it is asked, and where its scores begin.
    pub fn facts(&self) -> String {
        let Self { model, scoring, scores_first, has_front_token, notes: _ } = self;
        format!("{model} {scoring:?} {scores_first} {has_front_token}")
    }

    /// How texts are scored, for people; nothing where none are.
    pub fn line(&self) -> Option<String> {
        let way = self.scoring?.name();
        let first = match (self.has_front_token, self.scores_first) {
            (true, _) => "a token stands before each text, as the server puts it",
            (false, true) => "the first token of a text is scored, too",
            (false, false) => "no token stands before a text",
        };
        Some(format!("texts are scored {way}; {first}"))
    }
}
