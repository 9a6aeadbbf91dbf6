//! Models behind a server: asked over HTTP, text by text.
//!
//! [`Served::connect`] finds out first what the server can do ([`ServerAbilities`]) and refuses what it cannot; from
//! then on it is an [`Answerer`] like the engine. Several requests are under way at once, each on a thread and a
//! connection of its own: a request waits for its server for seconds, so threads cost nothing that shows, and no
//! runtime has to be carried. Each question is answered exactly once. One that fails in a way that may pass is sent
//! again, after a wait that doubles or that the server names; one that fails for good costs its own sample and no other.
//!
//! No tokenizer is here, and no id is made up.

mod api_key;
mod budget;
mod client;
mod counts;
mod media;
mod pace;
mod patience;
mod probe;
mod reply;
mod request;
mod scored_text;
mod server_address;
mod settings;
mod spelling;
mod stream;
mod timed;

use std::{
    borrow::Cow,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Instant,
};

pub use self::{
    api_key::{ApiKey, KeyVariable, USUAL_VARIABLE},
    budget::Budget,
    media::MediaFiles,
    patience::Patience,
    probe::{Scoring, ServerAbilities, ServerNeeds, ServerRefusal},
    server_address::ServerAddress,
    settings::{Protocol, ServedSettings},
    stream::{Arrivals, StreamPiece},
    timed::{TimedAnswer, TimedServer, TimedText},
};
use self::{
    client::{Client, NoAnswer},
    counts::Counts,
    pace::Pace,
    probe::Probe,
};
use super::{
    Answer, AnswerEvent, Answerer, Question, ServedQuestion, ServedScore, ServedText, ServedWanted,
};
use crate::{engine::EngineStatistics, python::blank::strip};

/// A model behind a server.
pub struct Served {
    settings: ServedSettings,
    abilities: ServerAbilities,
    /// What is sent in the place of the addresses of files; nothing where the server opens these itself.
    files: Option<MediaFiles>,
    client: Client,
    pace: Pace,
    counts: Counts,
    /// Questions in a row that nobody answered at all.
    unheard: AtomicUsize,
    /// Why nothing is asked any more.
    end: OnceLock<String>,
}

/// So many questions in a row without any answer, and as many again as are under way at once: then the server is gone,
/// and the others need not wait for that one by one.
const UNHEARD: usize = 16;

/// An answer of a server, and its tokens.
enum Heard {
    Score(ServedScore),
    Text(ServedText),
}

impl Served {
    /// Connects to a server and finds out whether it can do what is needed; `wanted` says what needs surprisals.
    ///
    /// # Errors
    /// It does not answer, cannot do it, or there is no key.
    pub fn connect(
        settings: ServedSettings,
        needs: ServerNeeds,
        wanted: &str,
    ) -> Result<Self, ServerRefusal> {
        let client = Client::of(&settings)?;
        let probe = Probe::new(&settings, &client);
        let abilities = probe.abilities(needs, wanted)?;
        let pace = Pace::new(settings.queries_per_second);
        Ok(Self {
            settings,
            abilities,
            files: None,
            client,
            pace,
            counts: Counts::default(),
            unheard: AtomicUsize::new(0),
            end: OnceLock::new(),
        })
    }

    /// Sends these files in the place of their addresses.
    #[must_use]
    pub fn with_files(self, files: MediaFiles) -> Self {
        Self { files: Some(files), ..self }
    }

    /// Files that are sent in the place of their addresses.
    pub fn files(&self) -> Option<&MediaFiles> {
        self.files.as_ref()
    }

    /// What was known of it before.
    pub fn settings(&self) -> &ServedSettings {
        &self.settings
    }

    /// What it was found to do.
    pub fn abilities(&self) -> &ServerAbilities {
        &self.abilities
    }

    /// What was sent so far, for people.
    pub fn line(&self) -> String {
        self.counts.line(&self.settings.budget, self.end.get().map(String::as_str))
    }

    /// Asks until there is an answer, or none is to be hoped for.
    fn ask(&self, index: usize, question: &Question) -> (Answer, usize) {
        let Question::Served(question) = question else {
            return (Answer::Failed("a server was asked about token ids".to_owned()), 0);
        };
        let asked = match self.with_contents(&question.text) {
            Ok(asked) => asked,
            Err(what) => return (Answer::Failed(what), 0),
        };
        let mut tries = 0;
        loop {
            if !self.pace.turn() {
                return self.stopped();
            }
            tries += 1;
            self.counts.requests.fetch_add(1, Ordering::Relaxed);
            let error = match self.ask_once(question, &asked) {
                Ok(heard) => {
                    self.unheard.store(0, Ordering::Relaxed);
                    return self.counted(heard);
                }
                Err(error) => error,
            };
            if error.status.is_none() {
                self.counts.unheard.fetch_add(1, Ordering::Relaxed);
            }
            let wait = self.settings.patience.wait(index, tries, error.retry_after);
            let Some(wait) = wait.filter(|_| error.is_passing) else {
                self.counts.failures.fetch_add(1, Ordering::Relaxed);
                self.notice(&error);
                return (Answer::Failed(self.failure(&error, tries)), 0);
            };
            self.counts.retries.fetch_add(1, Ordering::Relaxed);
            if error.status == Some(429) {
                // All requests have the same limit.
                self.pace.hold(wait);
            } else if !self.pace.wait(wait) {
                return self.stopped();
            }
        }
    }

    /// Ends the asking where the server is gone.
    fn notice(&self, error: &NoAnswer) {
        if error.status.is_some() {
            self.unheard.store(0, Ordering::Relaxed);
            return;
        }
        let unheard = self.unheard.fetch_add(1, Ordering::Relaxed) + 1;
        if unheard >= UNHEARD + self.settings.concurrency {
            let name = self.settings.name();
            let _ = self.end.set(format!(
                "{name} does not answer any more ({}); run the same command again once it does",
                error.what
            ));
            self.pace.stop();
        }
    }

    fn stopped(&self) -> (Answer, usize) {
        let why = self.end.get().map_or("the run was stopped", String::as_str);
        (Answer::Failed(why.to_owned()), 0)
    }

    /// What is said of a sample without an answer.
    fn failure(&self, error: &NoAnswer, tries: usize) -> String {
        let NoAnswer { what, is_passing, .. } = error;
        let name = self.settings.name();
        let how = match (is_passing, error.status) {
            (true, _) => format!(" ({tries} times); run the same command again to ask only this"),
            (false, Some(_)) => "; the server will not answer this request".to_owned(),
            (false, None) => String::new(),
        };
        format!("{name}: {what}{how}")
    }

    /// `asked` is the question's text with the contents of files.
    fn ask_once(&self, question: &ServedQuestion, asked: &str) -> Result<Heard, NoAnswer> {
        let Self { settings, abilities, client, .. } = self;
        let url = settings.address.endpoint(settings.protocol.endpoint());
        let sent = Instant::now();
        match &question.wanted {
            ServedWanted::Surprisals => {
                let Some(way) = abilities.scoring else {
                    let what = "it was not asked before whether it scores texts";
                    return Err(NoAnswer::lasting(what.to_owned()));
                };
                let body = request::scoring(settings, &abilities.model, asked, way);
                let answer = client.post(&url, &body)?;
                let score = scored_text::read(&answer, &question.text, way);
                score.and_then(|own| self.as_before(own)).map(Heard::Score).map_err(|what| {
                    // A server that did it before may do it again.
                    NoAnswer::passing(format!("the answer is none: {what}")).heard()
                })
            }
            ServedWanted::Continuation(wanted) => {
                let body = request::continuation(settings, &abilities.model, asked, wanted);
                let (answer, arrivals) = if settings.streams {
                    client.stream(&url, body.to_string().as_bytes(), settings.protocol)?
                } else {
                    (client.post(&url, &body)?, Arrivals::default())
                };
                let seconds = sent.elapsed().as_secs_f64();
                let mut text = reply::read(&answer, settings.protocol, wanted, seconds)
                    .map_err(NoAnswer::heard)?;
                if settings.strips_text && text.reasoning.is_none() {
                    text.text = strip(&text.text).to_owned();
                }
                let first = arrivals.pieces.first();
                let first = first.map(|first| first.at.duration_since(sent).as_secs_f64());
                Ok(Heard::Text(ServedText { first_token_seconds: first, ..text }))
            }
        }
    }

    /// A text with the contents of the files that its messages name.
    fn with_contents<'a>(&self, text: &'a str) -> Result<Cow<'a, str>, String> {
        let messages = || serde_json::from_str(text).ok();
        let Some((files, messages)) = self.files.as_ref().and_then(|own| Some((own, messages()?)))
        else {
            return Ok(Cow::Borrowed(text));
        };
        Ok(Cow::Owned(files.inlined(messages)?.to_string()))
    }

    /// A score that begins where those of the probe did: figures of different beginnings cannot be compared.
    fn as_before(&self, score: ServedScore) -> Result<ServedScore, String> {
        let scores_first = score.nlls.len() == score.tokens.len();
        if scores_first != self.abilities.scores_first && score.tokens.len() > 1 {
            return Err(
                "its first token is scored and that of the probe was not, or the other way round"
                    .to_owned(),
            );
        }
        Ok(score)
    }

    /// An answer with the tokens that it cost.
    fn counted(&self, heard: Heard) -> (Answer, usize) {
        let add = |count: &AtomicUsize, tokens: usize| count.fetch_add(tokens, Ordering::Relaxed);
        let Counts { prompt_tokens, scored_tokens, new_tokens, .. } = &self.counts;
        let is_counted = match &heard {
            Heard::Score(_) => true,
            Heard::Text(text) => text.prompt_tokens.is_some() && text.new_tokens.is_some(),
        };
        let counted = match heard {
            Heard::Score(score) => {
                add(prompt_tokens, score.tokens.len());
                add(scored_tokens, score.nlls.len());
                let tokens = score.tokens.len();
                (Answer::ServedScore(score), tokens)
            }
            Heard::Text(text) => {
                let own = [text.prompt_tokens.unwrap_or(0), text.new_tokens.unwrap_or(0)];
                add(prompt_tokens, own[0]);
                add(new_tokens, own[1]);
                (Answer::ServedText(text), own.iter().sum())
            }
        };
        self.hold_budget(is_counted);
        counted
    }

    /// Ends the asking where the budget is spent, or where nobody could say whether it is.
    fn hold_budget(&self, is_counted: bool) {
        let Self { settings, counts, .. } = self;
        let why = if settings.budget.is_bounded() && !is_counted {
            Some("the server does not say how many tokens an answer took, so that no budget holds; leave it out".to_owned())
        } else {
            counts.spent(&settings.budget).map(|why| {
                format!("{why}; the same command has it anew, and asks only what is missing")
            })
        };
        if let Some(why) = why {
            let _ = self.end.set(format!("{}: {why}", settings.name()));
            self.pace.stop();
        }
    }
}

impl Answerer for Arc<Served> {
    fn answer(&self, questions: &[Question], tell: &mut dyn FnMut(AnswerEvent)) {
        Served::answer(self, questions, tell);
    }

    fn stop(&self) {
        Served::stop(self);
    }

    fn statistics(&self) -> EngineStatistics {
        Served::statistics(self)
    }
}

impl Answerer for Served {
    fn answer(&self, questions: &[Question], tell: &mut dyn FnMut(AnswerEvent)) {
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::channel();
        let work = |sender: mpsc::Sender<(usize, (Answer, usize))>| {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(question) = questions.get(index) else { return };
                if sender.send((index, self.ask(index, question))).is_err() {
                    return;
                }
            }
        };
        thread::scope(|scope| {
            let work = &work;
            let mut workers = 0;
            for _ in 0..self.settings.concurrency.clamp(1, questions.len().max(1)) {
                let sender = sender.clone();
                let named = thread::Builder::new().name("served model".to_owned());
                // Where the system gives no more threads, those that there are go on.
                workers += usize::from(named.spawn_scoped(scope, move || work(sender)).is_ok());
            }
            if workers == 0 {
                for index in 0..questions.len() {
                    let what = "the system gives no thread to ask with".to_owned();
                    tell(AnswerEvent::Answered(index, Answer::Failed(what)));
                }
            }
            drop(sender);
            for (index, (answer, tokens)) in receiver {
                tell(AnswerEvent::Computed(tokens));
                tell(AnswerEvent::Answered(index, answer));
            }
        });
    }

    fn stop(&self) {
        self.pace.stop();
    }

    fn statistics(&self) -> EngineStatistics {
        self.counts.statistics()
    }
}
