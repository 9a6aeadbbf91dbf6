//! Every operation but attention, with the shapes it is tried in.

use candle_core::{Result, Tensor};

use super::inputs::{Case, HostAndDevice, Operation, TestInputs};
use crate::ops::{
    activation::{Activation, Xielu, activation},
    clamp::clamp,
    embedding::embedding,
    experts::{
        ExpertSum, GroupScore, RouteGroups, RouteRule, RouteScore, add_weighted, gather, route,
    },
    head::{Head, most_likely, surprisals},
    linear::{Residual, gated_linear, linear},
    norm::{NormRule, norm, norm_columns},
    rotary::{Angles, RotaryPairing, rotary},
    scale::scale_columns,
};

/// Rows × width: one row, odd numbers, more than a tile, more rows than a pass has.
const SHAPES: [(usize, usize); 5] = [(1, 64), (3, 97), (17, 160), (130, 256), (8201, 40)];

const ACTIVATIONS: [Activation; 8] = [
    Activation::Silu,
    Activation::Gelu,
    Activation::GeluTanh,
    Activation::Relu,
    Activation::ReluSquared,
    Activation::QuickGelu,
    Activation::ClampedSwish { slope: 1.702, limit: 0.7 },
    Activation::Xielu(Xielu::UNTRAINED),
];

/// The operations in the order in which a pass comes through them.
pub(super) fn cases() -> Vec<Operation> {
    let over_shapes =
        |case: fn(&mut TestInputs<'_>, (usize, usize)) -> Result<HostAndDevice<Tensor>>| {
            SHAPES
                .into_iter()
                .map(|shape| boxed(move |inputs| case(inputs, shape)))
                .collect::<Vec<_>>()
        };
    let activations =
        |case: fn(&mut TestInputs<'_>, Activation) -> Result<HostAndDevice<Tensor>>| {
            ACTIVATIONS.into_iter().map(|kind| boxed(move |inputs| case(inputs, kind))).collect()
        };
    let normed = [false, true].map(|centred| {
        SHAPES.into_iter().map(move |shape| boxed(move |inputs| norms(inputs, shape, centred)))
    });
    let pairings = [RotaryPairing::Halves, RotaryPairing::Neighbours].map(|pairing| {
        [8, 12].into_iter().map(move |pairs| boxed(move |inputs| rotations(inputs, pairs, pairing)))
    });
    let heads = [(None, None), (Some(0.3), None), (None, Some(5.0))];
    let heads = heads.map(|(scale, cap)| {
        [false, true].map(|biased| boxed(move |inputs| head_surprisals(inputs, biased, scale, cap)))
    });
    let routes = route_rules().into_iter().map(|(rule, experts, corrected)| {
        boxed(move |inputs| routes(inputs, &rule, experts, corrected))
    });
    let operation = |name, cases| Operation { name, cases };
    vec![
        operation("embedding", over_shapes(embeddings)),
        operation("norm", normed.into_iter().flatten().collect()),
        operation("norm of heads", over_shapes(norms_of_heads)),
        operation("linear", over_shapes(linear_maps)),
        operation("rotary", pairings.into_iter().flatten().collect()),
        operation("queries that grow", over_shapes(grown)),
        operation("activation", activations(activated)),
        operation("gated activation", activations(gated)),
        operation("clamp", over_shapes(clamped)),
        operation("expert choice", routes.collect()),
        operation("expert rows", over_shapes(experts)),
        operation("token surprisal", heads.into_iter().flatten().collect()),
        operation("likeliest token", over_shapes(likeliest)),
    ]
}

fn boxed(case: impl Fn(&mut TestInputs<'_>) -> Result<HostAndDevice<Tensor>> + 'static) -> Case {
    Box::new(case)
}

fn embeddings(
    inputs: &mut TestInputs<'_>,
    (rows, width): (usize, usize),
) -> Result<HostAndDevice<Tensor>> {
    let table = inputs.weight(211, width)?;
    let ids: Vec<u32> = (0..rows).map(|_| inputs.index(211) as u32).collect();
    let scale = (rows % 2 == 1).then_some(1.7);
    Ok(HostAndDevice {
        host: embedding(&ids, &table.host, scale)?,
        device: embedding(&ids, &table.device, scale)?,
    })
}

fn norms(
    inputs: &mut TestInputs<'_>,
    (rows, width): (usize, usize),
    centred: bool,
) -> Result<HostAndDevice<Tensor>> {
    let input = inputs.tensor((rows, width), 3.0)?;
    let (weight, bias) = (inputs.tensor(width, 2.0)?, inputs.tensor(width, 1.0)?);
    let normed = |input: &Tensor, weight: &Tensor, bias: &Tensor| {
        let bias = (rows % 2 == 1).then_some(bias);
        norm(input, NormRule { centred, weight: Some(weight), bias, epsilon: 1e-5 })
    };
    Ok(HostAndDevice {
        host: normed(&input.host, &weight.host, &bias.host)?,
        device: normed(&input.device, &weight.device, &bias.device)?,
    })
}

fn norms_of_heads(
    inputs: &mut TestInputs<'_>,
    (rows, width): (usize, usize),
) -> Result<HostAndDevice<Tensor>> {
    let input = inputs.tensor((rows, 4 * width + 5), 3.0)?;
    let weight = inputs.tensor(width, 2.0)?;
    let normed = |input: Tensor, weight: &Tensor| {
        let rule = NormRule { centred: false, weight: Some(weight), bias: None, epsilon: 1e-6 };
        norm_columns(input, width..3 * width, width, rule)
    };
    Ok(HostAndDevice {
        host: normed(input.host, &weight.host)?,
        device: normed(input.device, &weight.device)?,
    })
}

fn linear_maps(
    inputs: &mut TestInputs<'_>,
    (rows, width): (usize, usize),
) -> Result<HostAndDevice<Tensor>> {
    let input = inputs.tensor((rows, width), 1.0)?;
    let weight = inputs.weight(width + 33, width)?;
    let bias = inputs.tensor(width + 33, 1.0)?;
    let stream = inputs.tensor((rows, width + 33), 1.0)?;
    let scale = (rows % 2 == 1).then_some(0.22);
    let residual = |stream| Some(Residual { scale, ..Residual::of(stream) });
    Ok(HostAndDevice {
        host: linear(&input.host, &weight.host, Some(&bias.host), residual(&stream.host))?,
        device: linear(
            &input.device,
            &weight.device,
            Some(&bias.device),
            residual(&stream.device),
        )?,
    })
}

fn rotations(
    inputs: &mut TestInputs<'_>,
    pairs: usize,
    pairing: RotaryPairing,
) -> Result<HostAndDevice<Tensor>> {
    let (rows, heads, head_size) = (19, 3, 24);
    let projected = inputs.tensor((rows, heads * head_size + 7), 1.0)?;
    let angles = inputs.tensor((rows, pairs), 3.0)?;
    let turned = |projected: Tensor, angles: &Tensor| {
        let angles = Angles { cosines: angles.cos()?, sines: angles.sin()?, positions: None };
        rotary(projected, (heads, head_size), &angles, pairing)
    };
    Ok(HostAndDevice {
        host: turned(projected.host, &angles.host)?,
        device: turned(projected.device, &angles.device)?,
    })
}

fn grown(
    inputs: &mut TestInputs<'_>,
    (rows, width): (usize, usize),
) -> Result<HostAndDevice<Tensor>> {
    let input = inputs.tensor((rows, width), 1.0)?;
    let factors: Vec<f32> = (0..rows).map(|row| 1.0 + row as f32 / rows as f32).collect();
    let columns = width / 3;
    Ok(HostAndDevice {
        host: scale_columns(input.host, columns, &factors)?,
        device: scale_columns(input.device, columns, &factors)?,
    })
}

fn activated(inputs: &mut TestInputs<'_>, kind: Activation) -> Result<HostAndDevice<Tensor>> {
    let input = inputs.tensor((7, 333), 4.0)?;
    Ok(HostAndDevice {
        host: activation(input.host, kind)?,
        device: activation(input.device, kind)?,
    })
}

fn gated(inputs: &mut TestInputs<'_>, kind: Activation) -> Result<HostAndDevice<Tensor>> {
    let input = inputs.tensor((5, 48), 1.0)?;
    let (gate, up) = (inputs.weight(75, 48)?, inputs.weight(75, 48)?);
    Ok(HostAndDevice {
        host: gated_linear(&input.host, (&gate.host, None), (&up.host, None), kind)?,
        device: gated_linear(&input.device, (&gate.device, None), (&up.device, None), kind)?,
    })
}

fn clamped(inputs: &mut TestInputs<'_>, shape: (usize, usize)) -> Result<HostAndDevice<Tensor>> {
    let input = inputs.tensor(shape, 2.0)?;
    Ok(HostAndDevice { host: clamp(input.host, 0.5)?, device: clamp(input.device, 0.5)? })
}

/// Rules, how many experts there are to choose from, and whether scores are corrected.
fn route_rules() -> Vec<(RouteRule, usize, bool)> {
    let groups = |score| Some(RouteGroups { count: 4, chosen: 2, score });
    let sigmoid = |groups| RouteRule {
        score: RouteScore::Sigmoid,
        groups,
        renormalised: Some(1e-20),
        scale: 2.5,
        ..RouteRule::of_softmax(6)
    };
    vec![
        (RouteRule::of_softmax(2), 8, false),
        (RouteRule { renormalised: None, ..RouteRule::of_softmax(8) }, 60, false),
        (RouteRule { groups: groups(GroupScore::Best), ..RouteRule::of_softmax(3) }, 16, false),
        (sigmoid(None), 33, true),
        (sigmoid(groups(GroupScore::BestTwo)), 160, true),
    ]
}

/// The weights of all experts, 0 for those that were not chosen.
fn routes(
    inputs: &mut TestInputs<'_>,
    rule: &RouteRule,
    experts: usize,
    corrected: bool,
) -> Result<HostAndDevice<Tensor>> {
    let rows = 37;
    let logits = inputs.tensor((rows, experts), 3.0)?;
    // In both types the same number.
    let correction: Vec<f32> = (0..experts).map(|_| inputs.index(9) as f32 / 16.0).collect();
    let chosen = |logits: &Tensor| {
        let mut weights = vec![0f32; rows * experts];
        let route = route(logits, corrected.then_some(correction.as_slice()), rule)?;
        for (expert, (rows, own)) in route.experts.iter().enumerate() {
            for (&row, &weight) in rows.iter().zip(own) {
                weights[row as usize * experts + expert] = weight;
            }
        }
        Tensor::from_vec(weights, (rows, experts), &candle_core::Device::Cpu)
    };
    Ok(HostAndDevice { host: chosen(&logits.host)?, device: chosen(&logits.device)? })
}

/// Rows that go to three experts, more of them or fewer, and to one that is shared.
fn experts(
    inputs: &mut TestInputs<'_>,
    (rows, width): (usize, usize),
) -> Result<HostAndDevice<Tensor>> {
    let input = inputs.tensor((rows, width), 1.0)?;
    let chosen: Vec<Vec<u32>> =
        (0..3).map(|_| (0..rows as u32).filter(|_| inputs.index(3) > 0).collect()).collect();
    let weights: Vec<f32> = (0..rows).map(|row| 0.25 + row as f32 / rows as f32).collect();
    let every: Vec<u32> = (0..rows as u32).collect();
    let mixed = |input: &Tensor| {
        let mut sum = ExpertSum::new(input)?;
        for rows in chosen.iter().filter(|rows| !rows.is_empty()) {
            sum.add(&gather(input, rows)?, rows, &weights[..rows.len()])?;
        }
        add_weighted(sum.finish()?, input, &every, &weights)
    };
    Ok(HostAndDevice { host: mixed(&input.host)?, device: mixed(&input.device)? })
}

/// Several targets of one row, rows without one, and more tokens than fit into one tile.
fn head_surprisals(
    inputs: &mut TestInputs<'_>,
    biased: bool,
    scale: Option<f64>,
    soft_cap: Option<f64>,
) -> Result<HostAndDevice<Tensor>> {
    let (rows, width, vocabulary) = (37, 96, 5003);
    let hidden = inputs.tensor((rows, width), 4.0)?;
    let weight = inputs.weight(vocabulary, width)?;
    let bias = inputs.tensor(vocabulary, 2.0)?;
    let targets: Vec<(usize, u32)> = (0..rows)
        .filter(|row| row % 5 != 2)
        .flat_map(|row| [row].repeat(1 + row % 3))
        .map(|row| (row, inputs.index(vocabulary) as u32))
        .collect();
    let scored = |hidden: &Tensor, weight, bias| {
        let head = Head { weight, bias: biased.then_some(bias), scale, soft_cap };
        let nats: Vec<f32> =
            surprisals(hidden, head, &targets)?.read()?.iter().map(|found| found.nats).collect();
        Tensor::new(nats, &candle_core::Device::Cpu)
    };
    Ok(HostAndDevice {
        host: scored(&hidden.host, &weight.host, &bias.host)?,
        device: scored(&hidden.device, &weight.device, &bias.device)?,
    })
}

/// Hidden states that are rows of the head, so that the winner is clear in any type.
fn likeliest(
    inputs: &mut TestInputs<'_>,
    (rows, width): (usize, usize),
) -> Result<HostAndDevice<Tensor>> {
    let vocabulary = 1501;
    let weight = inputs.weight(vocabulary, width)?;
    let ids: Vec<u32> = (0..rows).map(|_| inputs.index(vocabulary) as u32).collect();
    // Half of the rows may not take their own token.
    let banned: Vec<&[u32]> = ids
        .iter()
        .enumerate()
        .map(|(row, id)| if row % 2 == 1 { std::slice::from_ref(id) } else { &[] })
        .collect();
    let winners = |weight: &crate::ops::linear::Weight| {
        let hidden = embedding(&ids, weight, Some(8.0))?;
        let head = Head { weight, bias: None, scale: None, soft_cap: None };
        let winners = most_likely(&hidden, head, &banned)?;
        let kept = winners.iter().zip(&banned).map(|(winner, banned)| match winner {
            // Whoever comes second depends on rounding; that the banned one does not win does not.
            Some(id) if !banned.is_empty() => f32::from(u8::from(banned.contains(id))),
            Some(id) => *id as f32,
            None => f32::NAN,
        });
        // Each row's own token is its likeliest, and the one after that is not.
        let targets: Vec<(usize, u32)> = ids
            .iter()
            .enumerate()
            .flat_map(|(row, &id)| [(row, id), (row, (id + 1) % vocabulary as u32)])
            .collect();
        let surprisals = surprisals(&hidden, head, &targets)?.read()?;
        let flags = surprisals.iter().map(|found| f32::from(u8::from(found.is_likeliest)));
        Tensor::new(kept.chain(flags).collect::<Vec<_>>(), &candle_core::Device::Cpu)
    };
    Ok(HostAndDevice { host: winners(&weight.host)?, device: winners(&weight.device)? })
}
