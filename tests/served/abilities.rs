//! What servers can do is found out before they are asked, and what they cannot do is refused by name.

use surprisal::answer::{
    Answer,
    served::{Protocol, Served, ServerNeeds, ServerRefusal},
};

use super::{
    BOTH, answers, connected, goes_on, score,
    server::{Behaviour, FakeServer, SERVERS, VLLM, continuation, surprisals, tokens},
    settings,
};

#[test]
fn servers_that_cannot_score_a_given_text_are_seen_through() {
    let text = "One two three; 東京 four.";
    for (name, behaviour, can_score) in SERVERS {
        let server = FakeServer::start(behaviour);
        match (connected(&server, BOTH), can_score) {
            (Ok(served), true) => {
                let Answer::ServedScore(score) = answers(&served, &[score(text)]).remove(0) else {
                    panic!("{name} gave no score");
                };
                let mut read = tokens(text);
                if behaviour.has_front_token {
                    read.insert(0, "<s>".to_owned());
                }
                let expected = surprisals(&read);
                assert_eq!(score.nlls.len(), expected.len(), "{name}");
                for (own, expected) in score.nlls.iter().zip(&expected) {
                    assert!((f64::from(*own) - expected).abs() < 1e-5, "{name}");
                }
                let whole: String = read.iter().filter(|own| *own != "<s>").cloned().collect();
                assert_eq!(score.tokens.starts.len(), read.len(), "{name}: {whole}");
            }
            (Err(ServerRefusal::CannotScore { tried, .. }), false) => {
                assert_eq!(tried.len(), 3, "{name}: {tried:?}");
            }
            (Ok(_), false) => panic!("{name} was believed"),
            (Err(error), _) => panic!("{name}: {error}"),
        }
        // Each of them can go on with a text.
        let needs = ServerNeeds { continuations: true, ..ServerNeeds::default() };
        let served = connected(&server, needs).unwrap();
        let heeded = !served.abilities().notes.iter().any(|note| note.contains("stop texts"));
        assert_eq!(heeded, behaviour.heeds_stop, "{name}");
        let Answer::ServedText(said) = answers(&served, &[goes_on("a b c")]).remove(0) else {
            panic!("{name} said nothing");
        };
        assert_eq!(said.text, continuation("a b c"), "{name}");
    }
}

#[test]
fn what_is_wrong_before_the_first_question_says_what_to_do() {
    let server = FakeServer::start(VLLM);
    let mut gone = settings(&server, Protocol::Chat);
    gone.address = surprisal::answer::served::ServerAddress::parse("http://127.0.0.1:9").unwrap();
    let needs = ServerNeeds { continuations: true, ..ServerNeeds::default() };
    let error = Served::connect(gone, needs, "").err().unwrap().to_string();
    assert!(error.contains("look whether the server runs"), "{error}");
    let mut keyed = settings(&server, Protocol::Chat);
    keyed.key = surprisal::answer::served::KeyVariable::parse("ENV:NO_SUCH_VARIABLE_HERE").unwrap();
    let error = Served::connect(keyed, needs, "").err().unwrap().to_string();
    assert!(error.contains("export NO_SUCH_VARIABLE_HERE"), "{error}");
}

#[test]
fn a_server_is_asked_for_the_name_of_its_only_model() {
    let server = FakeServer::start(Behaviour { has_front_token: false, ..VLLM });
    let mut unnamed = settings(&server, Protocol::Completions);
    unnamed.model = String::new();
    let served = Served::connect(unnamed, BOTH, "").unwrap();
    assert_eq!(served.abilities().model, "only");
    assert!(server.bodies().iter().all(|body| body["model"] == "only"));
}
