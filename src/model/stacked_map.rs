//! One linear map out of a tensor that stacks those of many.
//!
//! Checkpoints stack the experts of a layer, and gate and up projections with them. Outputs and
//! inputs come in either order.

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

    /// The numbers that are meant, `(count, inputs)`, where outputs come before inputs.
    pub(super) fn cut_rows(&self, bytes: &[u8]) -> Vec<u8> {
        let row_bytes = bytes.len() / (self.maps * self.output_size).max(1);
        let bytes = self.of_map(bytes);
        let row = |output: usize| &bytes[output * row_bytes..(output + 1) * row_bytes];
        self.outputs().flat_map(row).copied().collect()
    }

    /// The numbers that are meant, `(count, inputs)`, each of `size` bytes, where inputs come before
    /// outputs.
    pub(super) fn cut_columns(&self, bytes: &[u8], size: usize) -> Vec<u8> {
        let row_bytes = self.output_size * size;
        let bytes = self.of_map(bytes);
        let column = |output: usize| {
            let rows = bytes.chunks_exact(row_bytes);
            rows.flat_map(move |row| &row[output * size..(output + 1) * size])
        };
        self.outputs().flat_map(column).copied().collect()
    }

    fn of_map<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let map_bytes = bytes.len() / self.maps.max(1);
        bytes.get(self.map * map_bytes..(self.map + 1) * map_bytes).unwrap_or_default()
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
        assert_eq!(map.cut_rows(&by_output), wanted);
        assert_eq!(StackedMap { inputs_first: true, ..map }.cut_columns(&by_input, 1), wanted);
    }
}
