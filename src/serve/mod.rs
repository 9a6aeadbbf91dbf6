//! A model behind HTTP, as OpenAI's clients ask one: completions, chats, scores of given text.
//!
//! [`serve`] has an engine on a thread of its own and connections on others. Whatever is asked joins what the engine
//! computes at the time, so prompts of all connections share what they have in common. A body is read into a request
//! whose every field was understood, or refused with the field's name: nothing that would change an answer is ignored.
//!
//! It prints nothing and reads no environment; addresses, keys, time and randomness are given.

mod answer_form;
mod asking;
mod body;
mod chat_answer;
mod chat_request;
mod completion_answer;
mod completion_request;
mod decoding;
mod fields;
mod limits;
mod listen;
mod logprobs;
mod metrics;
mod problem;
mod prompt;
mod routes;
mod served_model;
mod signal;
mod state;
mod stream;
mod streamed_text;
mod tokens;

use std::{
    io,
    net::SocketAddr,
    pin::pin,
    sync::{Arc, mpsc},
    thread,
};

use futures_util::future::{Either, select};
use thiserror::Error;
use tokio::{net::TcpListener, runtime};

pub use limits::Limits;
pub use served_model::{ServedChat, ServedModel};

use crate::{
    engine::{Engine, continuous::ContinuousRequest},
    panic_guard::guarded,
};
use served_model::ModelFacts;
use signal::EndSignals;
use state::ServerState;

/// Threads that hold connections; what takes a while is done on others.
const CONNECTION_THREADS: usize = 2;
/// Threads that read bodies and write answers.
const BODY_THREADS: usize = 8;

/// How a model is served.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Where connections are accepted; with port 0 at one that is free.
    pub address: SocketAddr,
    /// What requests have to bring. An address that others can reach has one.
    pub api_key: Option<String>,
    /// What is refused.
    pub limits: Limits,
    /// The time.
    pub clock: fn() -> jiff::Zoned,
    /// What draws without a seed of their own begin with.
    pub seed: u64,
}

impl ServeOptions {
    /// Refuses an address that others can reach without a key.
    pub fn check(&self) -> Result<(), ServeError> {
        if self.api_key.is_none() && !self.address.ip().is_loopback() {
            return Err(ServeError::Unprotected(self.address));
        }
        Ok(())
    }
}

/// What is told while a model is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServeNews {
    /// Connections are accepted here.
    Listening(SocketAddr),
    /// The end was asked for; so many sequences are still answered.
    Ending(usize),
}

/// Why a model cannot be served.
#[derive(Debug, Error)]
pub enum ServeError {
    /// Another machine could ask, and need bring no key.
    #[error(
        "{0} can be reached from other machines; set an API key (--api-key-env VARIABLE), or listen on 127.0.0.1"
    )]
    Unprotected(SocketAddr),
    /// The address cannot be had.
    #[error(
        "cannot listen on {address}: {source}; --port names another port, and 0 takes a free one"
    )]
    Address {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// There is no thread, or no way to hear signals.
    #[error("the server cannot be started: {0}")]
    Start(io::Error),
    /// It was to end again while requests were answered.
    #[error("ended at once; some requests have no answer")]
    CutOff,
    /// The engine ended before its time.
    #[error("the engine has stopped: {0}")]
    Engine(String),
}

/// Serves a model until the process is asked to end (Ctrl-C, SIGTERM), then answers what was asked and returns. Asked again, it
/// ends at once.
pub fn serve(
    model: ServedModel,
    options: &ServeOptions,
    tell: &mut dyn FnMut(ServeNews),
) -> Result<(), ServeError> {
    options.check()?;
    let (facts, engine) = ModelFacts::new(model);
    let (inbox, requests) = mpsc::channel();
    let state = Arc::new(ServerState::new(facts, options, inbox));
    let computing = compute(engine.clone(), requests, &state).map_err(ServeError::Start)?;
    let connections = runtime::Builder::new_multi_thread()
        .worker_threads(CONNECTION_THREADS)
        .max_blocking_threads(BODY_THREADS)
        .enable_all()
        .build()
        .map_err(ServeError::Start)?;
    let ended = connections.block_on(accept(options, &state, tell));
    if !matches!(ended, Ok(End::AllAnswered)) {
        engine.stop();
    }
    state.close_inbox();
    _ = computing.join();
    connections.shutdown_background();
    match (ended?, state.broken()) {
        (_, Some(reason)) => Err(ServeError::Engine(reason)),
        (End::AllAnswered, None) => Ok(()),
        (End::AskedTwice, None) => Err(ServeError::CutOff),
    }
}

/// How a server ended.
enum End {
    AllAnswered,
    /// It was asked to end again before all was answered.
    AskedTwice,
}

/// Accepts connections until the process is asked to end, and answers those that are open then.
async fn accept(
    options: &ServeOptions,
    state: &Arc<ServerState>,
    tell: &mut dyn FnMut(ServeNews),
) -> Result<End, ServeError> {
    let address = options.address;
    let failed = |source| ServeError::Address { address, source };
    let mut signals = EndSignals::new().map_err(ServeError::Start)?;
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    tell(ServeNews::Listening(listener.local_addr().map_err(failed)?));
    let router = routes::router(Arc::clone(state));
    let open = listen::listen(listener, router, options.limits, signals.next()).await;
    state.end();
    tell(ServeNews::Ending(state.open_sequences()));
    Ok(match select(pin!(open.close()), pin!(signals.next())).await {
        Either::Left(_) => End::AllAnswered,
        Either::Right(_) => End::AskedTwice,
    })
}

/// Has the engine answer requests on a thread of its own.
fn compute(
    engine: Engine,
    requests: mpsc::Receiver<ContinuousRequest>,
    state: &Arc<ServerState>,
) -> io::Result<thread::JoinHandle<()>> {
    let state = Arc::clone(state);
    thread::Builder::new().name("engine".to_owned()).spawn(move || {
        let mut watch = |status| state.metrics.computed(status);
        let ended = guarded(|| engine.answer_as_they_come(&requests, &mut watch));
        let problem = match ended {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => panic,
        };
        state.broke(problem);
    })
}
