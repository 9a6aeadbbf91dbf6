//! The engine as an answerer.

use super::{Answer, AnswerEvent, Answerer, Question};
use crate::engine::{EngineStatistics, Fleet, GenerateRequest, ScoreRequest};

impl Answerer for Fleet {
    fn answer(&self, questions: &[Question], tell: &mut dyn FnMut(AnswerEvent)) {
        let (mut scores, mut scored) = (Vec::<ScoreRequest>::new(), Vec::new());
        let (mut generations, mut generated) = (Vec::<GenerateRequest>::new(), Vec::new());
        for (index, question) in questions.iter().enumerate() {
            match question {
                Question::Score(request) => {
                    scores.push(request.clone());
                    scored.push(index);
                }
                Question::Generate(request) => {
                    generations.push(request.clone());
                    generated.push(index);
                }
                // Whoever plans a served model asks its server; this is a defect that one sample reports.
                Question::Served(_) => tell(AnswerEvent::Answered(
                    index,
                    Answer::Failed("the engine was asked a served model's question".to_owned()),
                )),
            }
        }
        // Two closures share the listener: one for tokens, one for answers.
        let tell = std::cell::RefCell::new(tell);
        let computed = |tokens| (tell.borrow_mut())(AnswerEvent::Computed(tokens));
        let answered = |index, answer| (tell.borrow_mut())(AnswerEvent::Answered(index, answer));
        self.score_each(&scores, &mut |tokens| computed(tokens), &mut |index, answer| {
            answered(scored[index], heard(answer, Answer::Score));
        });
        self.generate_each(&generations, &mut |tokens| computed(tokens), &mut |index, answer| {
            answered(generated[index], heard(answer, Answer::Generation));
        });
    }

    fn stop(&self) {
        Self::stop(self);
    }

    fn statistics(&self) -> EngineStatistics {
        Self::statistics(self)
    }
}

fn heard<T, E: std::fmt::Display>(answer: Result<T, E>, kind: fn(T) -> Answer) -> Answer {
    answer.map_or_else(|error| Answer::Failed(error.to_string()), kind)
}
