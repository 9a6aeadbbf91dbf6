//! Servers that misbehave: no question is lost, none is answered twice, no wrong answer is believed.

use std::sync::Arc;

use serde_json::Value as Json;
use surprisal::answer::{Answer, Question, served::ServerNeeds};

use super::{
    BOTH, answers, connected, goes_on, score,
    server::{FakeServer, Fault, Plan, VLLM, continuation, surprisals, tokens},
};

/// Faults that pass when the request is sent again.
const PASSING: [Fault; 10] = [
    Fault::Status(500),
    Fault::Status(503),
    Fault::Busy,
    Fault::Dropped,
    Fault::HalfBody,
    Fault::HalfJson,
    Fault::WrongCount,
    Fault::ErrorInSuccess,
    Fault::Slow,
    Fault::Twice,
];

fn text_of(body: &Json) -> &str {
    body["prompt"].as_str().unwrap_or_default()
}

/// The number that a text of these tests begins with; the probe's have none.
fn number(body: &Json) -> Option<usize> {
    text_of(body).split(' ').next()?.parse().ok()
}

/// Four of five texts meet a fault at first, some of them two.
fn plan() -> Plan {
    Arc::new(|body: &Json, times: usize| {
        let number = number(body)?;
        let fault = |place: usize| PASSING[place % PASSING.len()].clone();
        let first = (number % 5 != 0).then(|| fault(number));
        let second = (number % 7 == 0).then(|| fault(number / 7));
        match times {
            0 => first,
            1 => second,
            _ => None,
        }
    })
}

fn is_right(question: &Question, answer: &Answer, text: &str) -> bool {
    match (question, answer) {
        (_, Answer::ServedScore(score)) => {
            let mut read = tokens(text);
            read.insert(0, "<s>".to_owned());
            let expected = surprisals(&read);
            score.nlls.len() == expected.len()
                && score
                    .nlls
                    .iter()
                    .zip(expected)
                    .all(|(own, nats)| (f64::from(*own) - nats).abs() < 1e-5)
        }
        (_, Answer::ServedText(said)) => said.text == continuation(text),
        _ => false,
    }
}

/// A thousand questions; ten thousand and more where `SURPRISAL_FLOOD` says so.
#[test]
fn a_flood_of_questions_through_all_faults() {
    let count = std::env::var("SURPRISAL_FLOOD").ok().and_then(|own| own.parse().ok());
    let count: usize = count.unwrap_or(1000);
    let server = FakeServer::with_faults(VLLM, plan());
    let served = connected(&server, BOTH).unwrap();
    let texts: Vec<String> =
        (0..count).map(|own| format!("{own} bottles of 水 on the wall")).collect();
    let question = |(place, text): (usize, &String)| {
        if place % 2 == 0 { score(text) } else { goes_on(text) }
    };
    let questions: Vec<Question> = texts.iter().enumerate().map(question).collect();
    let heard = answers(&served, &questions);
    for ((question, answer), text) in questions.iter().zip(&heard).zip(&texts) {
        assert!(is_right(question, answer, text), "{text}: {answer:?}");
    }
    // Whoever was answered rightly is not asked again. What a wrong count is to a continuation is right.
    for body in server.bodies().iter().filter(|body| number(body).is_some()) {
        assert_eq!(server.answered(body).max(1), 1, "{body}");
    }
    assert!(server.most_at_once() <= 16);
    println!("{count} questions: {}", served.line());
}

#[test]
fn a_request_that_fails_for_good_costs_its_own_sample_alone() {
    let plan: Plan = Arc::new(|body: &Json, _: usize| match number(body)? {
        1 => Some(Fault::Status(400)),
        2 => Some(Fault::Status(500)),
        3 => Some(Fault::WrongCount),
        4 => Some(Fault::HalfJson),
        _ => None,
    });
    let server = FakeServer::with_faults(VLLM, plan);
    let served = connected(&server, BOTH).unwrap();
    let texts: Vec<String> = (0..6).map(|own| format!("{own} little words")).collect();
    let questions: Vec<Question> = texts.iter().map(|text| score(text)).collect();
    let heard = answers(&served, &questions);
    for (place, expected) in [
        (1, "HTTP 400: it is odd; the server will not answer this request"),
        (2, "HTTP 500: it is odd (6 times); run the same command again"),
        (3, "tokens and"),
        (4, "no JSON"),
    ] {
        let Answer::Failed(error) = &heard[place] else { panic!("{place}: {:?}", heard[place]) };
        assert!(error.contains(expected) && error.contains(&server.address), "{error}");
    }
    for place in [0, 5] {
        assert!(is_right(&questions[place], &heard[place], &texts[place]));
    }
    // The request that is refused for good was sent once.
    let sent = server.bodies().iter().filter(|body| number(body) == Some(1)).count();
    assert_eq!(sent, 1);
}

#[test]
fn half_an_answer_is_asked_for_again() {
    let plan: Plan = Arc::new(|body: &Json, times: usize| {
        number(body).filter(|_| times == 0).map(|_| Fault::NoFinish)
    });
    let server = FakeServer::with_faults(VLLM, plan);
    let needs = ServerNeeds { continuations: true, ..ServerNeeds::default() };
    let served = connected(&server, needs).unwrap();
    let heard = answers(&served, &[goes_on("1 word")]);
    assert!(is_right(&goes_on("1 word"), &heard[0], "1 word"), "{heard:?}");
}

#[test]
fn a_server_that_is_gone_is_not_waited_for_by_every_question() {
    let plan: Plan = Arc::new(|body: &Json, _: usize| number(body).map(|_| Fault::Dropped));
    let server = FakeServer::with_faults(VLLM, plan);
    let served = connected(&server, BOTH).unwrap();
    let texts: Vec<String> = (0..500).map(|own| format!("{own} words")).collect();
    let questions: Vec<Question> = texts.iter().map(|text| score(text)).collect();
    let heard = answers(&served, &questions);
    let gone = heard.iter().filter(|answer| {
        matches!(answer, Answer::Failed(error) if error.contains("does not answer any more"))
    });
    assert!(gone.count() > 400);
    assert!(server.bodies().len() < 400, "{}", server.bodies().len());
}
