//! `embedding.cu`, `residual_norm.cu`, `rotary_kv.cu`, `gated_activation.cu`, `few_rows_product.cu` and
//! `finish_product.cu`.

use candle_core::{DType, Device, Tensor};
use surprisal::ops::activation::{Activation, activation};
use surprisal::ops::norm::{NormRule, norm};
use surprisal::ops::rotary::{Angles, RotaryPairing, rotary};

use super::emulator::{self, Launch};
use super::number::{self, assert_close, made_up, numbers, poison, rounding, tensor};

fn flat(tensor: &Tensor) -> Vec<f32> {
    tensor.flatten_all().unwrap().to_vec1().unwrap()
}

#[test]
fn embeddings_are_rows_of_the_table() {
    if !emulator::is_there() {
        return;
    }
    for dtype in number::TYPES {
        for size in [1, 24, 37, 200] {
            let table = made_up(50 * size, 1, dtype);
            let ids = [3u32, 49, 0, 3];
            let buffers = Launch::new(format!("embedding_{}", dtype.as_str()), (ids.len(), 1), 32)
                .numbers(&table, dtype)
                .words(&ids)
                .buffer(poison(ids.len() * size, dtype))
                .value(size as u32)
                .factor(1.5)
                .run();
            let rows = ids.iter().flat_map(|&id| &table[id as usize * size..][..size]);
            let wanted: Vec<f32> = rows.map(|number| number * 1.5).collect();
            let found = numbers(&buffers[2], dtype);
            assert_close(&found, &wanted, rounding(dtype), &format!("{dtype:?} {size}"));
        }
    }
}

#[test]
fn norms_equal_the_cpu() {
    if !emulator::is_there() {
        return;
    }
    let rows = 3;
    for dtype in number::TYPES {
        for size in [1, 40, 111, 1024] {
            for (centred, has_weight, has_bias, offset, has_branch) in [
                (false, true, false, 0.0, false),
                (false, true, false, 1.0, true),
                (true, true, true, 0.0, true),
                (true, false, false, 0.0, false),
            ] {
                let input = made_up(rows * size, 1, dtype);
                let branch = has_branch.then(|| made_up(rows * size, 2, dtype));
                let weight = has_weight.then(|| made_up(size, 3, dtype));
                let bias = has_bias.then(|| made_up(size, 4, dtype));
                let buffers =
                    Launch::new(format!("residual_norm_{}", dtype.as_str()), (rows, 1), 64)
                        .numbers(&input, dtype)
                        .optional(branch.as_deref(), dtype)
                        .buffer(poison(rows * size, dtype))
                        .buffer(poison(rows * size, dtype))
                        .optional(weight.as_deref(), dtype)
                        .optional(bias.as_deref(), dtype)
                        .value(size as u32)
                        .value(size as u32)
                        .value(size as u32)
                        .values(
                            &[1e-5f32, offset, 0.5]
                                .map(f32::to_bits)
                                .into_iter()
                                .chain([u32::from(centred)])
                                .collect::<Vec<_>>(),
                        )
                        .run();
                let first_output = if has_branch { 2 } else { 1 };
                let mut stream = input.clone();
                if let Some(branch) = &branch {
                    stream
                        .iter_mut()
                        .zip(branch)
                        .for_each(|(stream, branch)| *stream += 0.5 * branch);
                    stream = numbers(&number::bytes(&stream, dtype), dtype);
                    assert_eq!(numbers(&buffers[first_output], dtype), stream, "{dtype:?} {size}");
                }
                let parameter = |numbers: Vec<f32>| Tensor::new(numbers, &Device::Cpu).unwrap();
                let weight = weight.map(|w| parameter(w.iter().map(|w| w + offset).collect()));
                let bias = bias.map(parameter);
                let (weight, bias) = (weight.as_ref(), bias.as_ref());
                let rule = NormRule { centred, weight, bias, epsilon: 1e-5 };
                let wanted = flat(&norm(&tensor(&stream, (rows, size)), rule).unwrap());
                let found = numbers(&buffers[first_output + 1], dtype);
                assert_close(&found, &wanted, rounding(dtype), &format!("{dtype:?} {size}"));
            }
        }
    }
}

#[test]
fn columns_are_normalised_in_place() {
    if !emulator::is_there() {
        return;
    }
    // Two stretches of 24 numbers from column 8 on; the others must stay.
    let (rows, width, first, size) = (2, 72, 8, 24);
    for dtype in number::TYPES {
        let input = made_up(rows * width, 1, dtype);
        let weight = made_up(size, 2, dtype);
        let launch = |from: &[f32], output: &[f32]| {
            let words = [size, width, width].map(|word| word as u32);
            Launch::new(format!("residual_norm_{}", dtype.as_str()), (rows, 2), 32)
                .numbers(from, dtype)
                .optional(None, dtype)
                .optional(None, dtype)
                .numbers(output, dtype)
                .optional(Some(&weight), dtype)
                .optional(None, dtype)
                .value(words[0])
                .value(words[1])
                .value(words[2])
                .values(&[1e-5f32.to_bits(), 0, 0, 0])
                .run()
        };
        // A launch begins where its first stretch does.
        let found = numbers(&launch(&input[first..], &input[first..])[1], dtype);
        let rule =
            |weight| NormRule { centred: false, weight: Some(weight), bias: None, epsilon: 1e-5 };
        let parameter = Tensor::new(weight.as_slice(), &Device::Cpu).unwrap();
        let mut wanted = input.clone();
        for row in 0..rows {
            for stretch in 0..2 {
                let place = row * width + first + stretch * size;
                let part = tensor(&input[place..place + size], (1, size));
                let part = flat(&norm(&part, rule(&parameter)).unwrap());
                wanted[place..place + size].copy_from_slice(&part);
            }
        }
        assert_close(&found, &wanted[first..], rounding(dtype), &format!("{dtype:?}"));
    }
}

#[test]
fn rotation_equals_the_cpu() {
    if !emulator::is_there() {
        return;
    }
    let rows = 3;
    for dtype in number::TYPES {
        for (heads, key_heads, key_size, pairs, value_size) in [
            (4, 2, 16, 8, 6),
            (3, 3, 10, 2, 6),
            (5, 1, 7, 3, 6),
            (3, 2, 24, 8, 16),
            (2, 1, 16, 8, 8),
        ] {
            for pairing in [RotaryPairing::Halves, RotaryPairing::Neighbours] {
                let rotated = (heads + key_heads) * key_size;
                let width = rotated + key_heads * value_size;
                let projected = made_up(rows * width, 1, dtype);
                let angles = made_up(rows * pairs, 2, DType::F32);
                let cosines: Vec<f32> = angles.iter().map(|angle| (3.0 * angle).cos()).collect();
                let sines: Vec<f32> = angles.iter().map(|angle| (3.0 * angle).sin()).collect();
                let strides = [key_size, value_size]
                    .map(|size: usize| size.next_multiple_of(16 / dtype.size_in_bytes()));
                let words = [heads, key_heads, key_size, value_size, strides[0], strides[1], width];
                let neighbours = usize::from(pairing == RotaryPairing::Neighbours);
                let words: Vec<u32> =
                    words.into_iter().chain([pairs, neighbours]).map(|word| word as u32).collect();
                let of_row = Angles {
                    cosines: tensor(&cosines, (rows, pairs)),
                    sines: tensor(&sines, (rows, pairs)),
                    positions: None,
                };
                let turned = rotary(
                    tensor(&projected, (rows, width)),
                    (heads + key_heads, key_size),
                    &of_row,
                    pairing,
                );
                let wanted = flat(&turned.unwrap());
                let rotating = |cosines: &[f32], sines: &[f32]| {
                    Launch::new(format!("rotary_kv_{}", dtype.as_str()), (rows, 1), 32)
                        .numbers(&projected, dtype)
                        .numbers(cosines, DType::F32)
                        .numbers(sines, DType::F32)
                };
                let what = format!("{dtype:?} {pairing:?} {key_size}");

                // All in place.
                let alone = rotating(&cosines, &sines)
                    .optional(None, dtype)
                    .optional(None, dtype)
                    .optional(None, dtype)
                    .optional(None, dtype);
                let found = numbers(&alone.values(&words).run()[0], dtype);
                assert_close(&found, &wanted, rounding(dtype), &what);

                // Keys and values are kept, at slots that are not in order, and so are the positions of a table.
                let slots = [4u32, 0, 2];
                let positions = [3u32, 1, 0];
                let table = |of_rows: &[f32]| -> Vec<f32> {
                    let mut table = vec![f32::NAN; 4 * pairs];
                    for (angles, position) in of_rows.chunks(pairs).zip(positions) {
                        table[position as usize * pairs..][..pairs].copy_from_slice(angles);
                    }
                    table
                };
                let sizes = strides.map(|stride| 5 * key_heads * stride);
                let buffers = rotating(&table(&cosines), &table(&sines))
                    .words(&positions)
                    .words(&slots)
                    .buffer(poison(sizes[0], dtype))
                    .buffer(poison(sizes[1], dtype))
                    .values(&words)
                    .run();
                let kept = [numbers(&buffers[5], dtype), numbers(&buffers[6], dtype)];
                for slot in 0..5 {
                    let row = slots.iter().position(|&own| own == slot as u32);
                    let firsts = [heads * key_size, rotated];
                    let of = [0, 1].map(|which| (&kept[which], strides[which], firsts[which]));
                    for ((kept, stride, first), size) in of.into_iter().zip([key_size, value_size])
                    {
                        for head in 0..key_heads {
                            let found = &kept[(slot * key_heads + head) * stride..][..stride];
                            let Some(row) = row else {
                                assert!(found.iter().all(|number| number.is_nan()), "{what}");
                                continue;
                            };
                            let wanted = &wanted[row * width + first + head * size..][..size];
                            assert_close(&found[..size], wanted, rounding(dtype), &what);
                            assert!(found[size..].iter().all(|&number| number == 0.0), "{what}");
                        }
                    }
                }
                for row in 0..rows {
                    let queries = row * width..row * width + heads * key_size;
                    let found = &numbers(&buffers[0], dtype)[queries.clone()];
                    assert_close(found, &wanted[queries], rounding(dtype), &what);
                }
            }
        }
    }
}

#[test]
fn activations_equal_the_cpu() {
    if !emulator::is_there() {
        return;
    }
    let clamped = Activation::ClampedSwish { slope: 1.702, limit: 0.6 };
    let kinds = [
        Activation::Silu,
        Activation::Gelu,
        Activation::GeluTanh,
        Activation::Relu,
        Activation::ReluSquared,
        clamped,
    ];
    let rows = 2;
    for dtype in number::TYPES {
        for (number, kind) in kinds.into_iter().enumerate() {
            for size in [5, 64, 67] {
                // Gate and up side by side, as one product gives them.
                let both: Vec<f32> =
                    made_up(rows * 2 * size, 1, dtype).iter().map(|x| x * 4.0).collect();
                let half = |first: usize| -> Vec<f32> {
                    both.chunks(2 * size)
                        .flat_map(|row| &row[first..first + size])
                        .copied()
                        .collect()
                };
                let (gates, ups) = (half(0), half(size));
                let alone = flat(&activation(tensor(&gates, (rows, size)), kind).unwrap());
                let factor =
                    |up: &f32| if kind == clamped { up.clamp(-0.6, 0.6) + 1.0 } else { *up };
                let gated: Vec<f32> =
                    alone.iter().zip(&ups).map(|(gate, up)| gate * factor(up)).collect();
                for (ups, wanted) in [(Some(ups), gated), (None, alone)] {
                    let name = format!("gated_activation_{}", dtype.as_str());
                    let buffers = Launch::new(name, (rows, 2), 32)
                        .numbers(&gates, dtype)
                        .optional(ups.as_deref(), dtype)
                        .buffer(poison(rows * size, dtype))
                        .value(size as u32)
                        .value(size as u32)
                        .value(size as u32)
                        .values(&[number as u32, 1.702f32.to_bits(), 0.6f32.to_bits()])
                        .run();
                    let found = numbers(buffers.last().unwrap(), dtype);
                    assert_close(&found, &wanted, rounding(dtype), &format!("{dtype:?} {kind:?}"));
                }
                if size == 64 {
                    let name = format!("gated_activation_{}", dtype.as_str());
                    let buffers = Launch::new(name, (rows, 1), 32)
                        .numbers(&both, dtype)
                        .optional(None, dtype)
                        .buffer(poison(rows * size, dtype))
                        .value(size as u32)
                        .value(2 * size as u32)
                        .value(0)
                        .values(&[number as u32, 1.702f32.to_bits(), 0.6f32.to_bits()])
                        .run();
                    let wanted = flat(&activation(tensor(&half(0), (rows, size)), kind).unwrap());
                    let found = numbers(&buffers[1], dtype);
                    assert_close(&found, &wanted, rounding(dtype), &format!("{dtype:?} {kind:?}"));
                }
            }
        }
    }
}

#[test]
fn what_follows_a_product_equals_the_formula() {
    if !emulator::is_there() {
        return;
    }
    let (rows, scale) = (3, 0.5f32);
    for dtype in number::TYPES {
        for size in [1, 40, 67] {
            for (has_bias, has_logits, has_stream) in
                [(true, false, false), (true, true, true), (false, false, true)]
            {
                let product = made_up(rows * size, 1, dtype);
                let bias = has_bias.then(|| made_up(size, 2, dtype));
                let logits = has_logits.then(|| made_up(rows, 3, dtype));
                let stream = has_stream.then(|| made_up(rows * size, 4, dtype));
                let name = format!("finish_product_{}", dtype.as_str());
                let buffers = Launch::new(name, (rows, 2), 32)
                    .numbers(&product, dtype)
                    .optional(bias.as_deref(), dtype)
                    .optional(logits.as_deref(), dtype)
                    .optional(stream.as_deref(), dtype)
                    .buffer(poison(rows * size, dtype))
                    .value(size as u32)
                    .factor(scale)
                    .run();
                let wanted: Vec<f32> = (0..rows * size)
                    .map(|place| {
                        let bias = bias.as_ref().map_or(0.0, |bias| bias[place % size]);
                        let sigmoid = |logit: f32| 1.0 / (1.0 + (-logit).exp());
                        let factor =
                            logits.as_ref().map_or(1.0, |logits| sigmoid(logits[place / size]));
                        let stream = stream.as_ref().map_or(0.0, |stream| stream[place]);
                        (product[place] + bias) * factor * scale + stream
                    })
                    .collect();
                let found = numbers(buffers.last().unwrap(), dtype);
                assert_close(&found, &wanted, rounding(dtype), &format!("{dtype:?} {size}"));
            }
        }
    }
}

#[test]
fn products_of_a_few_rows_equal_plain_sums_and_do_not_depend_on_their_number() {
    if !emulator::is_there() {
        return;
    }
    for dtype in number::TYPES {
        // Less than a warp moves at once, not whole turns of it, and columns that are no whole block.
        for (depth, columns) in [(8, 1), (264, 17), (1040, 35)] {
            let (input, weight) =
                (made_up(4 * depth, 1, dtype), made_up(columns * depth, 2, dtype));
            let before = made_up(4 * columns, 3, dtype);
            let mut first_row = None;
            for rows in 1..=4usize {
                let kernel = rows.next_power_of_two();
                let name = format!("few_rows_product_{kernel}_{}", dtype.as_str());
                for (alpha, beta) in [(1.0f32, 0.0f32), (0.5, 1.0)] {
                    let buffers = Launch::new(name.clone(), (columns.div_ceil(16), 1), 256)
                        .numbers(&input[..rows * depth], dtype)
                        .numbers(&weight, dtype)
                        .numbers(&before[..rows * columns], dtype)
                        .value(rows as u32)
                        .value(depth as u32)
                        .value(columns as u32)
                        .value(depth as u32)
                        .factor(alpha)
                        .factor(beta)
                        .run();
                    let found = numbers(&buffers[2], dtype);
                    let wanted: Vec<f32> = (0..rows * columns)
                        .map(|place| {
                            let row = &input[place / columns * depth..][..depth];
                            let column = &weight[place % columns * depth..][..depth];
                            let products = row.iter().zip(column);
                            let sum: f64 =
                                products.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                            alpha * sum as f32 + beta * before[place]
                        })
                        .collect();
                    let what = format!("{dtype:?} {rows} x {depth} x {columns}");
                    assert_close(&found, &wanted, 4.0 * rounding(dtype), &what);
                    if beta == 0.0 {
                        let own = found[..columns].to_vec();
                        assert_eq!(*first_row.get_or_insert(own.clone()), own, "{what}");
                    }
                }
            }
        }
    }
}
