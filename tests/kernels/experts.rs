//! `experts.cu`: routes, the rows of each expert, and their sum.

use candle_core::DType;
use surprisal::ops::experts::{GroupScore, RouteGroups, RouteRule, RouteScore, route};

use super::emulator::{self, Launch};
use super::number::{self, assert_close, from_words, made_up, numbers, poison, rounding, tensor};

const ROWS: usize = 37;
/// The place of a choice that gave nothing.
const NO_PLACE: u32 = u32::MAX;

/// The experts and weights of every row, side by side.
fn choices(
    logits: &[f32],
    experts: usize,
    correction: Option<&[f32]>,
    rule: &RouteRule,
    dtype: DType,
) -> (Vec<u32>, Vec<f32>) {
    let groups =
        rule.groups.unwrap_or(RouteGroups { count: 1, chosen: 1, score: GroupScore::Best });
    let words = [
        experts as u32,
        rule.chosen as u32,
        u32::from(rule.score == RouteScore::Sigmoid),
        groups.count as u32,
        groups.chosen as u32,
        u32::from(groups.score == GroupScore::BestTwo),
        u32::from(rule.renormalised.is_some()),
        rule.renormalised.unwrap_or(0.0).to_bits(),
        rule.scale.to_bits(),
    ];
    let count = logits.len() / experts * rule.chosen;
    let name = format!("choose_experts_{}", dtype.as_str());
    let buffers = Launch::new(name, (logits.len() / experts, 1), 32)
        .numbers(logits, dtype)
        .optional(correction, DType::F32)
        .buffer(poison(count, DType::F32))
        .buffer(poison(count, DType::F32))
        .values(&words)
        .run();
    let [choices, weights] = [&buffers[buffers.len() - 2], &buffers[buffers.len() - 1]];
    (from_words(choices), numbers(weights, DType::F32))
}

#[test]
fn routes_equal_the_cpu() {
    if !emulator::is_there() {
        return;
    }
    let plain = RouteRule {
        chosen: 2,
        score: RouteScore::Softmax,
        groups: None,
        renormalised: None,
        scale: 1.0,
    };
    let groups = |score| Some(RouteGroups { count: 4, chosen: 2, score });
    let rules = [
        (5, false, plain),
        (40, false, RouteRule { chosen: 8, renormalised: Some(0.0), ..plain }),
        (40, true, RouteRule { score: RouteScore::Sigmoid, scale: 2.5, ..plain }),
        (40, true, RouteRule { chosen: 6, groups: groups(GroupScore::BestTwo), ..plain }),
        (8, false, RouteRule { chosen: 4, groups: groups(GroupScore::Best), ..plain }),
        (3, false, RouteRule { chosen: 3, renormalised: Some(1e-20), ..plain }),
    ];
    for dtype in number::TYPES {
        for (experts, corrected, rule) in rules {
            let mut logits = made_up(ROWS * experts, 4, dtype);
            // A row of ties.
            logits[..experts].fill(0.5);
            let correction = corrected.then(|| made_up(experts, 5, DType::F32));
            let correction = correction.as_deref();
            let wanted = route(&tensor(&logits, (ROWS, experts)), correction, &rule).unwrap();
            let (choices, weights) = choices(&logits, experts, correction, &rule, dtype);
            let mut wanted_choices = vec![Vec::new(); ROWS];
            let mut wanted_weights = vec![Vec::new(); ROWS];
            for (expert, (rows, weights)) in wanted.experts.iter().enumerate() {
                for (&row, &weight) in rows.iter().zip(weights) {
                    wanted_choices[row as usize].push(expert as u32);
                    wanted_weights[row as usize].push(weight);
                }
            }
            assert_eq!(choices, wanted_choices.concat(), "{dtype:?} {rule:?}");
            assert_close(&weights, &wanted_weights.concat(), 2e-6, &format!("{rule:?}"));

            let (firsts, grouped, places) = group(&choices, experts, rule.chosen);
            let lengths = wanted.experts.iter().scan(0, |end, (rows, _)| {
                *end += rows.len() as u32;
                Some(*end)
            });
            assert_eq!(firsts, [0].into_iter().chain(lengths).collect::<Vec<_>>());
            let wanted_rows: Vec<u32> =
                wanted.experts.iter().flat_map(|(rows, _)| rows).copied().collect();
            assert_eq!(grouped, wanted_rows);
            for (choice, &place) in places.iter().enumerate() {
                let expert = choices[choice] as usize;
                assert!((firsts[expert]..firsts[expert + 1]).contains(&place));
                assert_eq!(grouped[place as usize] as usize, choice / rule.chosen);
            }
        }
    }
}

/// Where the rows of each expert begin, the rows, and the place of each choice among them.
fn group(choices: &[u32], experts: usize, chosen: usize) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let buffers = Launch::new("group_rows", (experts, 1), 64)
        .words(choices)
        .buffer(poison(experts + 1, DType::F32))
        .buffer(poison(choices.len(), DType::F32))
        .buffer(poison(choices.len(), DType::F32))
        .value((choices.len() / chosen) as u32)
        .value(chosen as u32)
        .run();
    (from_words(&buffers[1]), from_words(&buffers[2]), from_words(&buffers[3]))
}

#[test]
fn results_are_added_expert_after_expert() {
    if !emulator::is_there() {
        return;
    }
    let (chosen, size) = (3, 45);
    for dtype in number::TYPES {
        let outputs = made_up(ROWS * chosen * size, 1, dtype);
        let weights = made_up(ROWS * chosen, 2, DType::F32);
        let stream = made_up(ROWS * size, 3, dtype);
        // Every fifth choice gave nothing.
        let places: Vec<u32> = (0..ROWS * chosen)
            .map(|i| if i % 5 == 4 { NO_PLACE } else { (i * 7 % (ROWS * chosen)) as u32 })
            .collect();
        let buffers = Launch::new(format!("add_experts_{}", dtype.as_str()), (ROWS, 1), 32)
            .numbers(&outputs, dtype)
            .words(&places)
            .numbers(&weights, DType::F32)
            .numbers(&stream, dtype)
            .buffer(poison(ROWS * size, dtype))
            .value(size as u32)
            .value(chosen as u32)
            .factor(0.5)
            .run();
        let mut wanted = vec![0f32; ROWS * size];
        for (choice, (&place, weight)) in places.iter().zip(&weights).enumerate() {
            if place == NO_PLACE {
                continue;
            }
            let output = &outputs[place as usize * size..][..size];
            let row = &mut wanted[choice / chosen * size..][..size];
            row.iter_mut().zip(output).for_each(|(sum, number)| *sum += weight * number);
        }
        for (sum, stream) in wanted.iter_mut().zip(&stream) {
            *sum = 0.5 * *sum + stream;
        }
        assert_close(&numbers(&buffers[4], dtype), &wanted, rounding(dtype), &format!("{dtype:?}"));
    }
}

#[test]
fn every_row_meets_the_matrix_of_its_expert() {
    if !emulator::is_there() {
        return;
    }
    // Experts without rows, with one, with a tile and with more; sizes that are packed and that are not.
    let counts = [0usize, 1, 70, 0, 64, 3, 0];
    let experts = counts.len();
    let places: usize = counts.iter().sum();
    let firsts: Vec<u32> =
        (0..=experts).map(|end| counts[..end].iter().sum::<usize>() as u32).collect();
    for dtype in number::TYPES {
        for (depth, outputs, gathers, has_bias) in
            [(96, 80, true, false), (64, 64, false, true), (37, 5, true, true)]
        {
            let inputs = if gathers { 50 } else { places };
            let input = made_up(inputs * depth, 1, dtype);
            let rows: Vec<u32> = (0..places).map(|place| (place * 7 % 50) as u32).collect();
            let matrices: Vec<Vec<f32>> =
                (0..experts).map(|e| made_up(outputs * depth, 10 + e as u64, dtype)).collect();
            let biases: Vec<Vec<f32>> =
                (0..experts).map(|e| made_up(outputs, 30 + e as u64, dtype)).collect();
            let bytes = |all: &[Vec<f32>]| -> Vec<Vec<u8>> {
                all.iter().map(|numbers| number::bytes(numbers, dtype)).collect()
            };
            let shared = (places / 64 + experts, outputs.div_ceil(64));
            let name = format!("grouped_product_{}", dtype.as_str());
            let launch = Launch::new(name, shared, 128).numbers(&input, dtype);
            let launch =
                if gathers { launch.words(&rows) } else { launch.optional(None, DType::F32) };
            let launch = launch.words(&firsts).list(&bytes(&matrices));
            let launch = if has_bias {
                launch.list(&bytes(&biases))
            } else {
                launch.optional(None, DType::F32)
            };
            let buffers = launch
                .buffer(poison(places * outputs, dtype))
                .value(experts as u32)
                .value(depth as u32)
                .value(outputs as u32)
                .run();
            let mut wanted = Vec::with_capacity(places * outputs);
            for expert in 0..experts {
                for place in firsts[expert]..firsts[expert + 1] {
                    let row = if gathers { rows[place as usize] } else { place } as usize;
                    let own = &input[row * depth..(row + 1) * depth];
                    for output in 0..outputs {
                        let weights = &matrices[expert][output * depth..(output + 1) * depth];
                        let sum: f32 = own.iter().zip(weights).map(|(a, b)| a * b).sum();
                        wanted.push(sum + if has_bias { biases[expert][output] } else { 0.0 });
                    }
                }
            }
            let found = numbers(buffers.last().unwrap(), dtype);
            assert_close(&found, &wanted, rounding(dtype), &format!("{dtype:?} {depth}"));
        }
    }
}
