//! `biodata_*`: answers about sequences of genes and proteins, as labels, numbers and records of numbers.

mod answer;
mod correlated;
mod enzyme_classes;
mod f1_max;
mod labelled;
mod mixed_score;

pub(super) use self::{
    correlated::{
        pearson_departures, pearson_of_records, r_squared, r_squared_departures,
        spearman_of_numbers,
    },
    enzyme_classes::EnzymeClasses,
    labelled::{Auc, accuracy, matthews},
    mixed_score::scores as mixed,
};
