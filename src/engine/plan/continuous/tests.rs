//! Sequences that come and go, computed by a stand-in for the model.

use proptest::prelude::*;

use super::*;
use crate::engine::executor::{
    ExecutionError, Executor as _, NextToken, RowQuery, RowReply, TokenRule,
};
use crate::engine::plan::toy::{Toy, UNCOMPUTABLE, next_logits, score_after};
use crate::ops::head::greedy;

/// What is asked, in which pass it comes, and in which it goes again.
#[derive(Clone, Debug)]
struct Request {
    ids: Vec<u32>,
    first_target: Option<usize>,
    ranked: usize,
    new_tokens: usize,
    comes: usize,
    goes: Option<usize>,
}

/// What was heard of one.
#[derive(Clone, Debug, Default, PartialEq)]
struct Heard {
    scores: Option<Vec<TokenScore>>,
    tokens: Vec<u32>,
    ended: bool,
    lost: bool,
}

fn requests() -> impl Strategy<Value = Vec<Request>> {
    let request = (
        (1u32..4).prop_flat_map(|letters| prop::collection::vec(0..letters, 1..20)),
        prop::option::of(0usize..20),
        0usize..4,
        0usize..5,
        0usize..12,
        prop::option::weighted(0.2, 0usize..20),
    );
    let request = request.prop_map(|(ids, first_target, ranked, new_tokens, comes, goes)| {
        Request { ids, first_target, ranked, new_tokens, comes, goes }
    });
    prop::collection::vec(request, 1..24)
}

fn alone(request: &Request) -> Heard {
    let first = request.first_target.map(|first| first.max(1));
    let scores = first.map(|first| {
        let targets = first..request.ids.len();
        targets
            .map(|end| score_after(&request.ids[..end], request.ids[end], request.ranked))
            .collect()
    });
    let mut ids = request.ids.clone();
    for _ in 0..request.new_tokens {
        ids.extend(greedy(&next_logits(&ids), &[]));
    }
    let tokens = ids.split_off(request.ids.len());
    Heard { scores, tokens, ended: true, lost: false }
}

/// Answers requests as they come, as the engine does.
struct Driver<'r> {
    requests: &'r [Request],
    schedule: ContinuousSchedule,
    /// The request of each number.
    numbers: BTreeMap<usize, usize>,
    heard: Vec<Heard>,
    batch_tokens: usize,
}

impl Driver<'_> {
    fn told(&mut self, number: usize) {
        let request = self.numbers[&number];
        if self.requests[request].first_target.is_some() {
            self.heard[request].scores = Some(self.schedule.scores(number));
        }
        if self.requests[request].new_tokens == 0 {
            self.end(number);
        }
    }

    fn end(&mut self, number: usize) {
        self.heard[self.numbers[&number]].ended = true;
        self.schedule.finish(number);
    }

    /// A pass; whether there was anything to do.
    fn pass(&mut self, toy: &mut Toy) -> bool {
        let (batch, answered) = self.schedule.next_batch(self.batch_tokens);
        let idle = batch.rows.is_empty() && answered.is_empty();
        for number in answered {
            self.told(number);
        }
        if batch.rows.is_empty() {
            return !idle;
        }
        let query = |&(row, number, what): &(usize, usize, RowUse)| RowQuery {
            row,
            next: match what {
                RowUse::Target { token, .. } => NextToken::Known(token),
                RowUse::Next => NextToken::Chosen(TokenRule::default()),
            },
            ranked: Some(self.requests[self.numbers[&number]].ranked),
        };
        let queries: Vec<RowQuery<'_>> = batch.uses.iter().map(query).collect();
        match toy.replies(&batch.rows, &queries) {
            Ok(replies) => self.take_in(batch, replies),
            Err(ExecutionError::OutOfMemory(_)) if batch.rows.len() > 1 => {
                self.batch_tokens = batch.rows.len() / 2;
                self.schedule.put_back(batch);
            }
            Err(_) => {
                for number in self.schedule.give_up(batch) {
                    self.heard[self.numbers[&number]].lost = true;
                }
            }
        }
        true
    }

    fn take_in(&mut self, batch: ContinuousBatch, replies: Vec<RowReply>) {
        let mut chosen = Vec::new();
        for (&(_, number, what), reply) in batch.uses.iter().zip(replies) {
            match what {
                RowUse::Target { position, .. } => {
                    self.schedule.learn(number, position, reply.score.unwrap());
                }
                RowUse::Next => chosen.push((number, reply.token.unwrap())),
            }
        }
        for number in self.schedule.computed(batch) {
            self.told(number);
        }
        for (number, token) in chosen {
            let request = self.numbers[&number];
            self.heard[request].tokens.push(token);
            if self.heard[request].tokens.len() < self.requests[request].new_tokens {
                self.schedule.go_on(number, token);
            } else {
                self.end(number);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Whenever requests come and go and whatever the budgets, each gets what it gets alone, and in the end every
    /// block is free.
    #[test]
    fn an_answer_never_depends_on_what_else_comes(
        requests in requests(),
        batch_tokens in 1usize..30,
        block_tokens in 1usize..6,
        blocks in 1usize..30,
        most_live in 1usize..5,
        device_rows in prop::option::weighted(0.3, 1usize..20),
        uncomputable in prop::option::weighted(0.1, 0usize..24),
    ) {
        let mut requests = requests;
        if let Some(request) = uncomputable.and_then(|index| requests.get_mut(index)) {
            request.ids.extend([UNCOMPUTABLE, 0]);
        }
        let pool = BlockPool::new(blocks, block_tokens);
        let mut toy = Toy::new(&pool, device_rows.unwrap_or(usize::MAX));
        let mut driver = Driver {
            requests: &requests,
            schedule: ContinuousSchedule::new(&pool, most_live),
            numbers: BTreeMap::new(),
            heard: vec![Heard::default(); requests.len()],
            batch_tokens,
        };
        let mut refused = Vec::new();
        for pass in 0.. {
            for (index, request) in requests.iter().enumerate() {
                if request.comes == pass {
                    let work = ContinuousWork {
                        ids: request.ids.as_slice().into(),
                        first_target: request.first_target,
                        ranked: request.ranked,
                        new_tokens: request.new_tokens,
                    };
                    match driver.schedule.push(work) {
                        Ok(number) => _ = driver.numbers.insert(number, index),
                        Err(oversized) => {
                            prop_assert!(oversized.blocks > blocks);
                            refused.push(index);
                        }
                    }
                }
                if request.goes == Some(pass) {
                    let numbers = driver.numbers.iter();
                    let number = numbers.filter(|(_, of)| **of == index).map(|(own, _)| *own).next();
                    if let Some(number) = number.filter(|_| !driver.heard[index].ended) {
                        driver.schedule.finish(number);
                    }
                }
            }
            let worked = driver.pass(&mut toy);
            if pass > 20 && !worked {
                break;
            }
            prop_assert!(pass < 5000, "it never ends");
        }
        for (index, request) in requests.iter().enumerate() {
            let heard = &driver.heard[index];
            if heard.lost {
                prop_assert!(uncomputable.is_some());
            } else if request.goes.is_none() && !refused.contains(&index) {
                prop_assert_eq!(heard, &alone(request));
            }
        }
        prop_assert_eq!(driver.schedule.running() + driver.schedule.waiting(), 0);
        drop(driver);
        prop_assert_eq!(pool.free_blocks(), blocks);
    }
}

#[test]
fn what_prompts_share_is_computed_once_and_its_last_row_again() {
    let pool = BlockPool::new(100, 4);
    let mut toy = Toy::new(&pool, usize::MAX);
    // Four answers to each of two questions of 20 tokens, at once.
    let request = |question: u32, answer: u32| Request {
        ids: [vec![question; 20], vec![answer, 3]].concat(),
        first_target: Some(0),
        ranked: 1,
        new_tokens: 0,
        comes: 0,
        goes: None,
    };
    let requests: Vec<Request> = (0..8).map(|index| request(index / 4, index % 4 + 4)).collect();
    let mut driver = Driver {
        requests: &requests,
        schedule: ContinuousSchedule::new(&pool, 4),
        numbers: BTreeMap::new(),
        heard: vec![Heard::default(); requests.len()],
        batch_tokens: 1000,
    };
    for round in 0..2 {
        for (index, request) in requests.iter().enumerate() {
            let ids = request.ids.as_slice().into();
            let work = ContinuousWork { ids, first_target: Some(0), ranked: 1, new_tokens: 0 };
            let number = driver.schedule.push(work).unwrap();
            driver.numbers.insert(number, index);
        }
        while driver.pass(&mut toy) {}
        // What was asked before costs one row each: that of its last token, which nothing was computed for.
        let expected = [2 * (21 + 3 * 2), 2 * (21 + 3 * 2) + 8];
        assert_eq!(toy.rows, expected[round]);
    }
    for (heard, request) in driver.heard.iter().zip(&requests) {
        assert_eq!(heard, &alone(request));
    }
}
