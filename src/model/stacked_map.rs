//! One linear map out of a tensor that stacks those of many.
//!
//! Checkpoints stack the experts of a layer, and gate and up projections with them. Outputs and
//! inputs come in either order.

use std::ops::Range;

/// A linear map within a tensor `(maps, outputs, inputs)` or `(maps, inputs, outputs)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackedMap {
    /// How many maps there are.
    pub(super) maps: usize,
    /// Which one is meant.
    pub(super) map: usize,
    /// Inputs of every map.
    pub(super) input_size: usize,
    /// Outputs of every map.
    pub(super) output_size: usize,
    /// Inputs come before outputs.
    pub(super) inputs_first: bool,
    /// The first of the outputs that are meant.
    pub(super) first: usize,
    /// From one of them to the next.
    pub(super) step: usize,
    /// How many are meant.
    pub(super) count: usize,
}

impl StackedMap {
    /// The shape of the whole tensor.
    pub(super) fn shape(&self) -> [usize; 3] {
        if self.inputs_first {
            [self.maps, self.input_size, self.output_size]
        } else {
            [self.maps, self.output_size, self.input_size]
        }
    }

    /// Which bytes of the whole tensor, which has `tensor_bytes`, hold the numbers that are meant: as few
    /// as follow one another.
    pub(super) fn stretch(&self, tensor_bytes: usize) -> Range<usize> {
        let map_bytes = tensor_bytes / self.maps.max(1);
        let start = self.map * map_bytes;
        if self.inputs_first {
            return start..start + map_bytes;
        }
        let row_bytes = map_bytes / self.output_size.max(1);
        start + self.first * row_bytes..start + self.outputs_end() * row_bytes
    }

    /// Whether all numbers of the stretch are meant, in the order in which they are wanted.
    pub(super) fn is_stretch(&self) -> bool {
        !self.inputs_first && self.step <= 1
    }

    /// The numbers that are meant, `(count, inputs)`, each of `size` bytes unless outputs come before
    /// inputs, out of the bytes of the stretch.
    pub(super) fn cut(&self, bytes: &[u8], size: usize) -> Vec<u8> {
        if self.inputs_first {
            let column = |output: usize| {
                let rows = bytes.chunks_exact((self.output_size * size).max(1));
                rows.flat_map(move |row| &row[output * size..(output + 1) * size])
            };
            return self.outputs().flat_map(column).copied().collect();
        }
        let row_bytes = bytes.len() / (self.outputs_end() - self.first).max(1);
        let rows = bytes.chunks_exact(row_bytes.max(1)).step_by(self.step.max(1));
        rows.flatten().copied().collect()
    }

    /// Behind the last output that is meant.
    fn outputs_end(&self) -> usize {
        self.outputs().last().map_or(self.first, |last| last + 1)
    }

    fn outputs(&self) -> impl Iterator<Item = usize> {
        (self.first..self.output_size).step_by(self.step.max(1)).take(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_cut_out_of_their_stack() {
        // Number 100·m + 10·o + i of map m, output o and input i.
        let (maps, output_size, input_size) = (2, 4, 3);
        let map = StackedMap {
            maps,
            map: 1,
            input_size,
            output_size,
            inputs_first: false,
            first: 1,
            step: 2,
            count: 2,
        };
        let number = |m: usize, o: usize, i: usize| (100 * m + 10 * o + i) as u8;
        let by_output: Vec<u8> = (0..maps * output_size * input_size)
            .map(|at| number(at / 12, at / input_size % output_size, at % input_size))
            .collect();
        let by_input: Vec<u8> = (0..maps * output_size * input_size)
            .map(|at| number(at / 12, at % output_size, at / output_size % input_size))
            .collect();
        let wanted = [110, 111, 112, 130, 131, 132];
        assert_eq!(map.cut(&by_output[map.stretch(by_output.len())], 1), wanted);
        let turned = StackedMap { inputs_first: true, ..map };
        assert_eq!(turned.cut(&by_input[turned.stretch(by_input.len())], 1), wanted);
        let next = StackedMap { step: 1, ..map };
        assert!(next.is_stretch() && !map.is_stretch() && !turned.is_stretch());
        assert_eq!(by_output[next.stretch(by_output.len())], [110, 111, 112, 120, 121, 122]);
    }
}
