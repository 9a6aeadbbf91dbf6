//! `token_logprob.cu`: surprisals and the likeliest token from tiles of logits.

use candle_core::DType;
use surprisal::ops::head::greedy;

use super::emulator::{self, Launch};
use super::number::{self, assert_close, from_words, made_up, numbers, poison};

const NO_TOKEN: u32 = u32::MAX;
const DAMAGED: u32 = u32::MAX - 1;

/// Rows of logits over a vocabulary, and what is done to them.
struct Head {
    dtype: DType,
    rows: usize,
    vocabulary: usize,
    logits: Vec<f32>,
    bias: Option<Vec<f32>>,
    scale: f32,
    soft_cap: f32,
}

impl Head {
    fn new(dtype: DType, rows: usize, vocabulary: usize) -> Self {
        let logits = made_up(rows * vocabulary, 3, dtype).iter().map(|x| x * 8.0).collect();
        Self { dtype, rows, vocabulary, logits, bias: None, scale: 1.0, soft_cap: 0.0 }
    }

    fn shaped(&self) -> Vec<Vec<f32>> {
        let rows = self.logits.chunks(self.vocabulary);
        rows.map(|row| {
            let bias = |token: usize| self.bias.as_ref().map_or(0.0, |bias| bias[token]);
            let row = row.iter().enumerate().map(|(token, &logit)| {
                let logit = (logit + bias(token)) * self.scale;
                if self.soft_cap > 0.0 {
                    self.soft_cap * (logit / self.soft_cap).tanh()
                } else {
                    logit
                }
            });
            row.collect()
        })
        .collect()
    }

    /// Runs a kernel over tiles of these widths; `lists` are per row, `state` is what it folds into.
    fn folded<const STATES: usize>(
        &self,
        kernel: &str,
        tiles: &[usize],
        (firsts, list): (&[u32], &[u32]),
        mut state: [Vec<u8>; STATES],
    ) -> [Vec<u8>; STATES] {
        let mut first = 0;
        for &columns in tiles {
            // Rows are a little further apart than they are long.
            let stride = columns + 5;
            let mut tile = vec![f32::NAN; self.rows * stride];
            for (tile, row) in tile.chunks_mut(stride).zip(self.logits.chunks(self.vocabulary)) {
                tile[..columns].copy_from_slice(&row[first..first + columns]);
            }
            let words = [columns, stride, first].map(|word| word as u32);
            let name = format!("{kernel}_{}", self.dtype.as_str());
            let launch = Launch::new(name, (self.rows, 1), 128)
                .numbers(&tile, self.dtype)
                .optional(self.bias.as_deref(), self.dtype)
                .words(firsts)
                .words(list);
            let mut buffers = state
                .into_iter()
                .fold(launch, Launch::buffer)
                .value(words[0])
                .value(words[1])
                .value(words[2])
                .factor(self.scale)
                .factor(self.soft_cap)
                .run();
            state = buffers.split_off(buffers.len() - STATES).try_into().unwrap();
            first += columns;
        }
        assert_eq!(first, self.vocabulary);
        state
    }

    /// The surprisals of the targets, and whether each is the likeliest.
    fn surprisals(&self, tiles: &[usize], targets: &[(u32, u32)]) -> (Vec<f32>, Vec<bool>) {
        let (rows, tokens): (Vec<u32>, Vec<u32>) = targets.iter().copied().unzip();
        let firsts = firsts(self.rows, &rows);
        let state = [
            poison(2 * self.rows, DType::F32),
            poison(targets.len(), DType::F32),
            poison(self.rows, DType::F32),
        ];
        let [normalisers, chosen, likeliest] =
            self.folded("token_logprob", tiles, (&firsts, &tokens), state);
        let buffers = Launch::new("token_surprisals", (1, 1), 64)
            .buffer(normalisers)
            .buffer(chosen)
            .buffer(likeliest)
            .words(&rows)
            .words(&tokens)
            .buffer(poison(2 * targets.len(), DType::F32))
            .value(targets.len() as u32)
            .run();
        let found = numbers(&buffers[5], DType::F32);
        let flag = |flag: f32| match flag.to_bits() {
            0 => false,
            bits => {
                assert_eq!(bits, 1f32.to_bits(), "a flag of {flag}");
                true
            }
        };
        found.chunks(2).map(|pair| (pair[0], flag(pair[1]))).unzip()
    }

    fn likeliest(&self, tiles: &[usize], banned: &[(u32, u32)]) -> Vec<u32> {
        let (rows, tokens): (Vec<u32>, Vec<u32>) = banned.iter().copied().unzip();
        let state = [poison(self.rows, DType::F32), poison(self.rows, DType::F32)];
        let lists = (firsts(self.rows, &rows), tokens);
        let [_, found] = self.folded("likeliest_token", tiles, (&lists.0, &lists.1), state);
        from_words(&found)
    }
}

/// Where each row's entries begin in a list that is sorted by row.
fn firsts(rows: usize, of: &[u32]) -> Vec<u32> {
    (0..=rows as u32).map(|row| of.partition_point(|&other| other < row) as u32).collect()
}

#[test]
fn surprisals_are_those_of_the_softmax() {
    if !emulator::is_there() {
        return;
    }
    for dtype in number::TYPES {
        for (vocabulary, tiles) in
            [(1, vec![1]), (777, vec![300, 1, 476]), (2049, vec![1024, 1025])]
        {
            for (bias, scale, soft_cap) in [(false, 1.0, 0.0), (true, 0.25, 3.0)] {
                let bias = bias.then(|| made_up(vocabulary, 8, dtype));
                let head = Head { bias, scale, soft_cap, ..Head::new(dtype, 3, vocabulary) };
                let last = vocabulary as u32 - 1;
                let targets = [(0, 0), (0, last), (0, last / 2), (2, last), (2, 0), (2, last / 3)];
                let wanted: Vec<f32> = targets
                    .iter()
                    .map(|&(row, token)| {
                        let row = &head.shaped()[row as usize];
                        let total: f64 = row.iter().map(|&logit| f64::from(logit).exp()).sum();
                        (total.ln() - f64::from(row[token as usize])) as f32
                    })
                    .collect();
                let (found, _) = head.surprisals(&tiles, &targets);
                assert_close(&found, &wanted, 2e-6, &format!("{dtype:?} {vocabulary}"));
            }
        }
    }
}

#[test]
fn logits_that_are_no_numbers_give_surprisals_that_are_not_finite() {
    if !emulator::is_there() {
        return;
    }
    for bad in [f32::NAN, f32::INFINITY] {
        let mut head = Head::new(DType::BF16, 2, 600);
        head.logits[450] = bad;
        let best = greedy(&head.shaped()[0], &[]).unwrap_or(450);
        let (found, likeliest) =
            head.surprisals(&[256, 344], &[(0, 3), (0, 450), (0, best), (1, 3)]);
        assert!(!found[0].is_finite() && found[3].is_finite(), "{found:?}");
        assert_eq!(likeliest[..3], [false; 3]);
    }
    let mut head = Head::new(DType::F32, 2, 600);
    head.logits[1..].fill(f32::NEG_INFINITY);
    let (found, likeliest) = head.surprisals(&[256, 344], &[(0, 0), (0, 599), (1, 0)]);
    assert_eq!(found[..2], [0.0, f32::INFINITY]);
    assert_eq!(likeliest, [true, false, false]);
}

#[test]
fn the_likeliest_target_is_that_of_the_cpu() {
    if !emulator::is_there() {
        return;
    }
    for dtype in number::TYPES {
        for (vocabulary, tiles) in
            [(1, vec![1]), (777, vec![300, 1, 476]), (2049, vec![1024, 1025])]
        {
            for soft_cap in [0.0, 3.0] {
                let mut head = Head { soft_cap, ..Head::new(dtype, 4, vocabulary) };
                // In the second row many are equal, in the third a winner in the last column is equal to
                // the first, in the fourth all but one are impossible.
                for logit in &mut head.logits[vocabulary..2 * vocabulary] {
                    *logit = (*logit / 8.0).round();
                }
                head.logits[3 * vocabulary - 1] = 100.0;
                head.logits[2 * vocabulary] = 100.0;
                head.logits[3 * vocabulary..].fill(f32::NEG_INFINITY);
                head.logits[3 * vocabulary + vocabulary / 2] = -1.0;
                for (row, logits) in head.shaped().iter().enumerate() {
                    let best = greedy(logits, &[]).unwrap();
                    let equals = (0..vocabulary as u32)
                        .filter(|&token| logits[token as usize] >= logits[best as usize]);
                    let others = [0, vocabulary as u32 / 3, vocabulary as u32 - 1];
                    let mut targets: Vec<(u32, u32)> =
                        equals.chain(others).map(|token| (row as u32, token)).collect();
                    targets.truncate(64);
                    let wanted: Vec<bool> =
                        targets.iter().map(|&(_, token)| token == best).collect();
                    let (_, found) = head.surprisals(&tiles, &targets);
                    assert_eq!(found, wanted, "{dtype:?} {vocabulary}, row {row}");
                }
            }
        }
    }
}

#[test]
fn the_likeliest_token_is_that_of_the_cpu() {
    if !emulator::is_there() {
        return;
    }
    for dtype in number::TYPES {
        let mut head = Head::new(dtype, 5, 1500);
        // Ties, nothing at all, and a logit that is no number in a token that is banned.
        for logit in &mut head.logits[1500..3000] {
            *logit = logit.round();
        }
        head.logits[3000..4500].fill(f32::NEG_INFINITY);
        head.logits[4500 + 1400] = f32::NAN;
        let best = greedy(&head.shaped()[0], &[]).unwrap();
        let mut banned = vec![(0, best), (0, 7), (2, 0), (3, 1400)];
        banned.extend((0..1500).map(|token| (4, token)));
        let found = head.likeliest(&[1000, 500], &banned);
        for (row, logits) in head.shaped().iter().enumerate() {
            let own = banned.iter().filter(|(of, _)| *of as usize == row);
            let own: Vec<u32> = own.map(|(_, token)| *token).collect();
            let wanted = greedy(logits, &own);
            let found = Some(found[row]).filter(|&token| token < DAMAGED);
            assert_eq!(found, wanted, "{dtype:?}, row {row}");
        }
        assert_eq!(found[3..], [DAMAGED, NO_TOKEN]);
    }
}
