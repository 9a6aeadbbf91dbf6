//! Models behind servers: by the library, and by the built binary.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod abilities;
mod command;
mod faults;
mod golden;
mod image_benchmarks;
mod server;

use std::time::Duration;

use serde_json::Map;
use surprisal::answer::{
    Answer, AnswerEvent, Answerer as _, Question, ServedContinuation, ServedQuestion, ServedWanted,
    served::{
        Budget, Patience, Protocol, Served, ServedSettings, ServerAddress, ServerNeeds,
        ServerRefusal,
    },
};

use self::server::FakeServer;

/// How a server is spoken to in these tests: in haste.
fn settings(server: &FakeServer, protocol: Protocol) -> ServedSettings {
    ServedSettings {
        address: ServerAddress::parse(&server.address).unwrap(),
        model: "m".to_owned(),
        protocol,
        key: None,
        organization: None,
        parameters: Map::from_iter([("temperature".to_owned(), 0.into())]),
        streams: false,
        strips_text: false,
        sends_files: false,
        concurrency: 16,
        queries_per_second: None,
        patience: Patience {
            retries: 5,
            first_wait: Duration::from_millis(1),
            longest_wait: Duration::from_millis(20),
            timeout: Duration::from_secs(20),
        },
        budget: Budget::default(),
    }
}

/// What both kinds of questions need.
const BOTH: ServerNeeds = ServerNeeds { surprisals: true, places: true, continuations: true };

fn connected(server: &FakeServer, needs: ServerNeeds) -> Result<Served, ServerRefusal> {
    Served::connect(settings(server, Protocol::Completions), needs, "data set d needs")
}

fn score(text: &str) -> Question {
    Question::Served(ServedQuestion { text: text.into(), wanted: ServedWanted::Surprisals })
}

fn goes_on(text: &str) -> Question {
    let wanted =
        ServedContinuation { max_new_tokens: 20, min_new_tokens: 0, stop: Vec::new(), draw: 0 };
    let wanted = ServedWanted::Continuation(wanted);
    Question::Served(ServedQuestion { text: text.into(), wanted })
}

/// The answers, each of which has to come once.
fn answers(served: &Served, questions: &[Question]) -> Vec<Answer> {
    let mut answers: Vec<Option<Answer>> = vec![None; questions.len()];
    served.answer(questions, &mut |event| {
        if let AnswerEvent::Answered(index, answer) = event {
            assert!(answers[index].is_none(), "question {index} was answered twice");
            answers[index] = Some(answer);
        }
    });
    answers.into_iter().map(|answer| answer.expect("a question was lost")).collect()
}
