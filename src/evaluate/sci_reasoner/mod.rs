//! The metrics of `SciReasoner`'s benchmarks: genomes, proteins and materials.

mod alignment;
mod answer;
mod biotext;
mod chemical_elements;
mod crystals;
mod genome;
mod materials;
mod numbers;
mod opi;
mod pairs;
mod protein;
mod protein_design;
mod terms;

pub(super) use self::{
    biotext::BioText,
    crystals::Crystals,
    genome::scores as genome,
    materials::scores as materials,
    numbers::{Property, TmScore},
    opi::Opi,
    pairs::DockedPairs,
    protein::{ProteinCounts, scores as protein},
    protein_design::ProteinDesign,
    terms::scores as terms,
};
