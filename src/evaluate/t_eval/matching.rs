//! Pairs of two sides, each item in at most one pair, whose weights together are the greatest.
//!
//! Zvi Galil, "Efficient Algorithms for Finding Maximum Matching in Graphs" (1986). Of several greatest matchings one
//! has to be taken, and which one decides a figure: so nodes and edges are looked at in the order in which `NetworkX`'s
//! `max_weight_matching` looks at them. Between two sides there are no odd circles, and so none of its blossoms.

use std::collections::{HashMap, HashSet};

/// A node of either side.
type Node = usize;

/// What a node is in the trees that grow from single nodes.
#[derive(Clone, Copy, PartialEq)]
enum Label {
    Free,
    /// As far from a root as makes an even number.
    Even,
    Odd,
}

/// The partner of each item of the left side; `edges` are left, right and a weight above 0, in their order.
pub(super) fn heaviest(
    left: usize,
    right: usize,
    edges: &[(usize, usize, f64)],
) -> Vec<Option<usize>> {
    let mut search = Search::new(left, right, edges);
    while search.stage() {}
    search.mates.iter().take(left).map(|mate| mate.map(|node| node - left)).collect()
}

struct Search {
    /// Nodes in the order in which edges name them.
    nodes: Vec<Node>,
    neighbours: Vec<Vec<Node>>,
    weights: HashMap<(Node, Node), f64>,
    mates: Vec<Option<Node>>,
    labels: Vec<Label>,
    /// The edge by which a node came into its tree.
    entries: Vec<Option<(Node, Node)>>,
    /// The edge with the least slack to a node.
    nearest: Vec<Option<(Node, Node)>>,
    duals: Vec<f64>,
    allowed: HashSet<(Node, Node)>,
    waiting: Vec<Node>,
}

impl Search {
    fn new(left: usize, right: usize, edges: &[(usize, usize, f64)]) -> Self {
        let count = left + right;
        let (mut nodes, mut neighbours) = (Vec::new(), vec![Vec::new(); count]);
        let (mut weights, mut most) = (HashMap::new(), 0.0_f64);
        for &(one, other, weight) in edges {
            let other = left + other;
            for node in [one, other] {
                if !nodes.contains(&node) {
                    nodes.push(node);
                }
            }
            neighbours[one].push(other);
            neighbours[other].push(one);
            weights.insert((one, other), weight);
            weights.insert((other, one), weight);
            most = most.max(weight);
        }
        Self {
            nodes,
            neighbours,
            weights,
            mates: vec![None; count],
            labels: Vec::new(),
            entries: Vec::new(),
            nearest: Vec::new(),
            duals: vec![most; count],
            allowed: HashSet::new(),
            waiting: Vec::new(),
        }
    }

    /// Grows trees until a path is found that makes the matching greater; whether there was one.
    fn stage(&mut self) -> bool {
        let count = self.mates.len();
        self.labels = vec![Label::Free; count];
        self.entries = vec![None; count];
        self.nearest = vec![None; count];
        self.allowed.clear();
        self.waiting.clear();
        for node in self.nodes.clone() {
            if self.mates[node].is_none() && self.labels[node] == Label::Free {
                self.label_even(node, None);
            }
        }
        while !self.grown() {
            if !self.relaxed() {
                return false;
            }
        }
        true
    }

    /// Follows edges without slack; whether a path was found and used.
    fn grown(&mut self) -> bool {
        while let Some(node) = self.waiting.pop() {
            for other in self.neighbours[node].clone() {
                let edge = (node, other);
                let slack = self.slack(edge);
                if slack <= 0.0 {
                    self.allow(edge);
                }
                let is_allowed = self.allowed.contains(&edge);
                match self.labels[other] {
                    Label::Free if is_allowed => self.label_odd(other, node),
                    Label::Even if is_allowed => {
                        self.augment(node, other);
                        return true;
                    }
                    Label::Even => self.note(node, edge, slack),
                    Label::Free => self.note(other, edge, slack),
                    Label::Odd => {}
                }
            }
        }
        false
    }

    /// Changes the dual variables so that an edge loses its slack; not if the matching is the greatest.
    fn relaxed(&mut self) -> bool {
        let duals = self.nodes.iter().map(|&node| self.duals[node]);
        let (mut delta, mut found) = (duals.fold(f64::INFINITY, f64::min), None);
        for (label, share) in [(Label::Free, 1.0), (Label::Even, 2.0)] {
            for &node in self.nodes.iter().filter(|&&node| self.labels[node] == label) {
                let Some(edge) = self.nearest[node] else { continue };
                let slack = self.slack(edge) / share;
                if slack < delta {
                    (delta, found) = (slack, Some(edge));
                }
            }
        }
        for &node in &self.nodes {
            match self.labels[node] {
                Label::Even => self.duals[node] -= delta,
                Label::Odd => self.duals[node] += delta,
                Label::Free => {}
            }
        }
        let Some(edge) = found else { return false };
        self.allow(edge);
        self.waiting.push(edge.0);
        true
    }

    fn slack(&self, (one, other): (Node, Node)) -> f64 {
        let weight = self.weights.get(&(one, other)).copied().unwrap_or_default();
        self.duals[one] + self.duals[other] - 2.0 * weight
    }

    fn allow(&mut self, (one, other): (Node, Node)) {
        self.allowed.extend([(one, other), (other, one)]);
    }

    /// Remembers an edge if it has less slack than the one that was known.
    fn note(&mut self, node: Node, edge: (Node, Node), slack: f64) {
        if self.nearest[node].is_none_or(|known| slack < self.slack(known)) {
            self.nearest[node] = Some(edge);
        }
    }

    fn label_even(&mut self, node: Node, entry: Option<(Node, Node)>) {
        self.labels[node] = Label::Even;
        self.entries[node] = entry;
        self.nearest[node] = None;
        self.waiting.push(node);
    }

    /// A node that was reached, and its mate behind it.
    fn label_odd(&mut self, node: Node, from: Node) {
        self.labels[node] = Label::Odd;
        self.entries[node] = Some((from, node));
        self.nearest[node] = None;
        if let Some(mate) = self.mates[node] {
            self.label_even(mate, Some((node, mate)));
        }
    }

    /// Turns the edges of the path through both nodes, from root to root.
    fn augment(&mut self, one: Node, other: Node) {
        for (mut node, mut mate) in [(one, other), (other, one)] {
            loop {
                self.mates[node] = Some(mate);
                let Some((before, _)) = self.entries[node] else { break };
                let Some((root, reached)) = self.entries[before] else { break };
                self.mates[reached] = Some(root);
                (node, mate) = (root, reached);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_sum_is_found_and_not_the_greatest_pair() {
        let edges = [(0, 0, 0.9), (0, 1, 0.8), (1, 0, 0.8)];
        assert_eq!(heaviest(2, 2, &edges), [Some(1), Some(0)]);
        assert_eq!(heaviest(2, 2, &edges[..1]), [Some(0), None]);
        assert_eq!(heaviest(3, 1, &[(2, 0, 0.75)]), [None, None, Some(0)]);
        assert_eq!(heaviest(1, 1, &[]), [None]);
    }
}
