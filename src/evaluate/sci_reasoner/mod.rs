//! The metrics of `SciReasoner`'s benchmarks: genomes, proteins and materials.

mod answer;
mod genome;
mod materials;
mod numbers;
mod pairs;
mod protein;
mod terms;

pub(super) use self::{
    genome::scores as genome,
    materials::scores as materials,
    numbers::{Property, TmScore},
    pairs::DockedPairs,
    protein::{ProteinCounts, scores as protein},
    terms::scores as terms,
};
