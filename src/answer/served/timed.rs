//! A model behind a server, asked once for each request, with a clock.
//!
//! Nothing is tried again and nothing waits here: when a request is sent is the business of who measures, and one that
//! fails is a failure.

use std::time::Instant;

use super::{Arrivals, Client, Probe, Protocol, ServedSettings, ServerRefusal, reply, request};
use crate::answer::{ServedContinuation, ServedText};

/// A server whose answers come piece by piece.
pub struct TimedServer {
    settings: ServedSettings,
    client: Client,
    model: String,
    url: String,
}

/// What came of a request.
#[derive(Clone, Debug)]
pub struct TimedAnswer {
    /// When sending began; finding the server and connecting to it come behind that.
    pub sent: Instant,
    /// When nothing more was to come.
    pub ended: Instant,
    /// The answer, or why there is none.
    pub heard: Result<TimedText, String>,
}

/// A text, and when it came.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedText {
    /// The text and its counts.
    pub text: ServedText,
    /// When it came; nothing where the server does not stream.
    pub arrivals: Arrivals,
}

impl TimedServer {
    /// Finds the key and, where none is given, the model's name. Answers are always asked for piece by piece.
    ///
    /// # Errors
    /// There is no key, the server has no model or several, or it speaks a protocol without pieces.
    pub fn connect(settings: ServedSettings) -> Result<Self, ServerRefusal> {
        if matches!(settings.protocol, Protocol::Generate | Protocol::Infer) {
            let what =
                "only chat/completions and completions are measured, whose pieces have a time";
            return Err(ServerRefusal::Unclear { name: settings.name(), what: what.to_owned() });
        }
        let settings = ServedSettings { streams: true, ..settings };
        let client = Client::of(&settings)?;
        let model = Probe::new(&settings, &client).model()?;
        let url = settings.address.endpoint(settings.protocol.endpoint());
        Ok(Self { settings, client, model, url })
    }

    /// The model's name there.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// What is known of it.
    pub fn settings(&self) -> &ServedSettings {
        &self.settings
    }

    /// The bytes that ask how a text goes on.
    pub fn body(&self, text: &str, wanted: &ServedContinuation) -> Vec<u8> {
        request::continuation(&self.settings, &self.model, text, wanted).to_string().into_bytes()
    }

    /// Sends a body at once, and waits until its answer is whole.
    pub fn ask(&self, body: &[u8], wanted: &ServedContinuation) -> TimedAnswer {
        let sent = Instant::now();
        let heard = self.client.stream(&self.url, body, self.settings.protocol);
        let ended = Instant::now();
        let seconds = ended.duration_since(sent).as_secs_f64();
        let heard = heard.and_then(|(answer, arrivals)| {
            let text = reply::read(&answer, self.settings.protocol, wanted, seconds)?;
            Ok(TimedText { text, arrivals })
        });
        TimedAnswer { sent, ended, heard: heard.map_err(|error| error.what) }
    }
}
