//! Which device holds which layers of a model that is larger than any of them.
//!
//! Layers stay in their order, a stretch of them on each device, so that a pass crosses from one to the next once. What
//! stands before and behind the layers, embedding and head above all, is on the first. Each device is filled to the same
//! share of what is free there, as far as whole layers allow: what the layers leave is for keys and values, of which each
//! layer needs as much. Pure: it opens no device and reads no weight.

/// Most of a device's free memory that weights may take.
const WEIGHT_SHARE: f64 = 0.9;

/// What the parts of a model take, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelBytes {
    /// Each layer.
    pub layers: Vec<usize>,
    /// All that is no layer.
    pub rest: usize,
}

impl ModelBytes {
    /// All of it.
    pub fn sum(&self) -> usize {
        self.layers.iter().sum::<usize>() + self.rest
    }

    /// Whether a device with so much free memory can hold all of it, and keys and values beside it.
    pub fn fits(&self, free_bytes: usize) -> bool {
        self.sum() as f64 <= WEIGHT_SHARE * free_bytes as f64
    }
}

/// Layers on several devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerSplit {
    /// The device of each layer, ascending.
    pub devices: Vec<usize>,
}

impl LayerSplit {
    /// Spreads a model over devices with so much free memory each, the first of which holds what is no layer. `None` if it
    /// does not fit all of them together.
    pub fn of(bytes: &ModelBytes, free_bytes: &[usize]) -> Option<Self> {
        // Filling to a share is possible or not, and more so the larger it is.
        let (mut impossible, mut possible) = (0.0, WEIGHT_SHARE);
        let mut found = filled(bytes, free_bytes, possible)?;
        for _ in 0..40 {
            let share = f64::midpoint(impossible, possible);
            match filled(bytes, free_bytes, share) {
                Some(better) => (found, possible) = (better, share),
                None => impossible = share,
            }
        }
        Some(Self { devices: found })
    }
}

/// The device of each layer where none is filled beyond a share of its free memory: each takes as many layers as go.
fn filled(bytes: &ModelBytes, free_bytes: &[usize], share: f64) -> Option<Vec<usize>> {
    let mut rooms = free_bytes.iter().map(|&free| share * free as f64);
    let mut room = rooms.next()? - bytes.rest as f64;
    if room < 0.0 {
        return None;
    }
    let mut device = 0;
    let mut devices = Vec::with_capacity(bytes.layers.len());
    for &layer in &bytes.layers {
        while room < layer as f64 {
            room = rooms.next()?;
            device += 1;
        }
        room -= layer as f64;
        devices.push(device);
    }
    Some(devices)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// How full the fullest device is, as a share.
    fn fullest(bytes: &ModelBytes, free_bytes: &[usize], devices: &[usize]) -> f64 {
        let mut taken = vec![0; free_bytes.len()];
        taken[0] = bytes.rest;
        devices.iter().zip(&bytes.layers).for_each(|(&device, layer)| taken[device] += layer);
        let shares = taken.iter().zip(free_bytes).map(|(&taken, &free)| taken as f64 / free as f64);
        shares.fold(0.0, f64::max)
    }

    /// All ways to give the layers to devices in order.
    fn every_split(layers: usize, devices: usize) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new()];
        for _ in 0..layers {
            all = all
                .into_iter()
                .flat_map(|split: Vec<usize>| {
                    let last = split.last().copied().unwrap_or(0);
                    (last..devices).map(move |next| [split.as_slice(), &[next]].concat())
                })
                .collect();
        }
        all
    }

    proptest! {
        /// No way to spread whole layers leaves the fullest device emptier.
        #[test]
        fn the_fullest_device_is_as_empty_as_can_be(
            layers in prop::collection::vec(1usize..50, 1..7),
            rest in 0usize..60,
            free_bytes in prop::collection::vec(1usize..200, 1..4),
        ) {
            let bytes = ModelBytes { layers, rest };
            let best = every_split(bytes.layers.len(), free_bytes.len())
                .iter()
                .map(|split| fullest(&bytes, &free_bytes, split))
                .fold(f64::INFINITY, f64::min);
            match LayerSplit::of(&bytes, &free_bytes) {
                None => prop_assert!(best > WEIGHT_SHARE - 1e-9),
                Some(LayerSplit { devices }) => {
                    prop_assert!(devices.is_sorted() && devices.len() == bytes.layers.len());
                    let found = fullest(&bytes, &free_bytes, &devices);
                    prop_assert!(found <= best + 1e-6 && found <= WEIGHT_SHARE + 1e-9);
                }
            }
        }
    }

    #[test]
    fn even_layers_are_spread_evenly_but_for_what_is_no_layer() {
        let bytes = ModelBytes { layers: vec![10; 8], rest: 20 };
        let split = LayerSplit::of(&bytes, &[100, 100]).unwrap();
        assert_eq!(split.devices, [0, 0, 0, 1, 1, 1, 1, 1]);
        assert!(bytes.sum() == 100 && bytes.fits(112) && !bytes.fits(111));
        assert_eq!(LayerSplit::of(&bytes, &[100]), None);
        assert_eq!(LayerSplit::of(&bytes, &[]), None);
    }
}
