//! OpenCompass's circular classes: the rows of another class, each question asked with its options turned.
//!
//! Option `i` moves to the place that the turn's `i`-th key names, and the gold with it. All turns of a question stand
//! together; `qid` numbers the questions of a split, `circular_pattern` is the turn. Both are columns that the
//! metric reads.

use serde_json::Value;

use super::row::{Fields, Flaw, Made, Row};
use crate::{
    config::{ConfigError, Node},
    dataset::Sample,
};

/// How a class turns its rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnForm {
    /// The splits whose rows are turned; all without it.
    pub(super) splits: Option<&'static [&'static str]>,
    /// The columns of the options.
    pub(super) options: &'static [&'static str],
    /// Where the gold is, and what it is.
    pub(super) gold: GoldForm,
}

/// What a gold is.
#[derive(Clone, Copy, Debug)]
pub(super) enum GoldForm {
    /// The name of an option's column.
    Option(&'static str),
    /// The last letter of an option's column.
    LastLetter(&'static str),
    /// The letter that stands for the number at the end of an option's column.
    LetterOfNumber(&'static str),
}

/// How the rows of an entry are turned.
#[derive(Clone, Debug)]
pub(super) struct Turning {
    splits: Option<&'static [&'static str]>,
    options: Vec<String>,
    gold: Gold,
    /// Whether every order of the options is asked, or only those that are turned round.
    is_all: bool,
}

#[derive(Clone, Debug)]
enum Gold {
    /// In the column of this name.
    Option(String),
    LastLetter(&'static str),
    LetterOfNumber(&'static str),
}

/// More orders of a question's options than these are no benchmark.
const MOST_OPTIONS_OF_ALL_ORDERS: usize = 7;

impl Turning {
    /// Takes `circular_patterns`, `option_keys` and `answer_key` out of an entry.
    pub(super) fn take(form: TurnForm, entry: &mut Node) -> Result<Self, ConfigError> {
        let mut given = |field: &str| entry.remove(field).filter(|value| !value.is_none());
        let refused = |node: &Node, field: &str, hint: &str| {
            let what = format!("{} is not understood", node.describe());
            Err(ConfigError::at(&node.origin, what).under(field).with_hint(hint))
        };
        let (patterns, options) = (given("circular_patterns"), given("option_keys"));
        let answer = given("answer_key");
        let is_all = match &patterns {
            None => false,
            Some(node) => match node.as_str() {
                Some("circular") => false,
                Some("all_possible") => true,
                _ => {
                    return refused(
                        node,
                        "circular_patterns",
                        "write 'circular' or 'all_possible'",
                    );
                }
            },
        };
        let options = match &options {
            None => form.options.iter().map(|name| (*name).to_owned()).collect(),
            Some(node) => {
                let names = node.as_list().into_iter().flatten().map(Node::as_str);
                let names: Option<Vec<String>> =
                    names.map(|name| name.map(str::to_owned)).collect();
                match names.filter(|names| names.len() > 1) {
                    Some(names) => names,
                    None => {
                        return refused(node, "option_keys", "write the columns of the options");
                    }
                }
            }
        };
        if is_all && options.len() > MOST_OPTIONS_OF_ALL_ORDERS {
            let what = format!("all orders of {} options are too many", options.len());
            return Err(ConfigError::at(&entry.origin, what)
                .with_hint("leave out circular_patterns='all_possible'"));
        }
        let gold = match (&answer, form.gold) {
            (Some(node), GoldForm::Option(_)) => match node.as_str() {
                Some(name) => Gold::Option(name.to_owned()),
                None => return refused(node, "answer_key", "write the column of the gold"),
            },
            (Some(node), _) => {
                return refused(
                    node,
                    "answer_key",
                    "its class knows how its gold turns; leave it out",
                );
            }
            (None, GoldForm::Option(name)) => Gold::Option(name.to_owned()),
            (None, GoldForm::LastLetter(name)) => Gold::LastLetter(name),
            (None, GoldForm::LetterOfNumber(name)) => Gold::LetterOfNumber(name),
        };
        Ok(Self { splits: form.splits, options, gold, is_all })
    }

    /// Whether the rows of a split are turned; a table without a name always is.
    pub(super) fn turns(&self, split: Option<&str>) -> bool {
        match (self.splits, split) {
            (Some(splits), Some(split)) => splits.contains(&split),
            _ => true,
        }
    }

    /// All turns of a question.
    pub(super) fn turned(&self, row: &Row, question: usize) -> Made<Vec<Row>> {
        let count = self.options.len();
        let orders = if self.is_all { permutations(count) } else { rotations(count) };
        orders.iter().map(|order| self.turn(row, order, question)).collect()
    }

    fn turn(&self, row: &Row, order: &[usize], question: usize) -> Made<Row> {
        let mut turned = row.clone();
        let name = |place: usize| self.options.get(place).map(String::as_str).unwrap_or_default();
        let pattern: Vec<&str> = order.iter().map(|&place| name(place)).collect();
        for (option, target) in self.options.iter().zip(&pattern) {
            let value = row.at(option)?.clone();
            turned.insert((*target).to_owned(), value);
        }
        let place_of = |letters: &str, column: &str| {
            let gold = row.text(column)?;
            let place = letters.find(gold).filter(|_| gold.chars().count() == 1);
            place.map_or_else(
                || Flaw::new(format!("`{column}` is {gold:?} and none of {letters}")),
                Ok,
            )
        };
        match &self.gold {
            Gold::Option(column) => {
                let gold = row.at(column)?;
                let place = self.options.iter().position(|option| gold == option.as_str());
                if let Some(own) = place.and_then(|place| pattern.get(place)) {
                    turned.insert(column.clone(), Value::from(*own));
                }
            }
            Gold::LastLetter(column) => {
                let place = place_of("ABCD", column)?;
                let last = pattern.get(place).and_then(|own| own.chars().last());
                turned.insert((*column).to_owned(), last.map(String::from).into());
            }
            Gold::LetterOfNumber(column) => {
                let place = place_of("AB", column)?;
                let last = pattern.get(place).and_then(|own| own.chars().last()?.to_digit(10));
                let letter =
                    last.and_then(|number| "AB".chars().nth((number as usize).checked_sub(1)?));
                turned.insert((*column).to_owned(), letter.map(String::from).into());
            }
        }
        turned.insert("qid".to_owned(), question.into());
        turned.insert("circular_pattern".to_owned(), pattern.into());
        Ok(turned)
    }
}

/// The columns of a sample that a class has made, without those that every data set is given.
pub(super) fn own_columns(sample: &Sample) -> Row {
    let own = sample.iter().filter(|(name, _)| !matches!(*name, "subdivision" | "idx"));
    own.map(|(name, value)| (name.to_owned(), value.clone())).collect()
}

fn rotations(count: usize) -> Vec<Vec<usize>> {
    (0..count).map(|first| (0..count).map(|place| (first + place) % count).collect()).collect()
}

/// Every order, as Python's `itertools.permutations` gives them.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        let longer = |order: Vec<usize>| {
            let free: Vec<usize> = (0..count).filter(|place| !order.contains(place)).collect();
            free.into_iter().map(move |place| [order.as_slice(), &[place]].concat())
        };
        orders = orders.into_iter().flat_map(longer).collect();
    }
    orders
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_and_gold_move_together() {
        let form = TurnForm {
            splits: None,
            options: &["textA", "textB", "textC", "textD"],
            gold: GoldForm::LastLetter("answerKey"),
        };
        let turning = Turning::take(form, &mut Node::from_json(&json!({}))).unwrap();
        let row = json!({"textA": "a", "textB": "b", "textC": "c", "textD": "d", "answerKey": "B"});
        let turns = turning.turned(row.as_object().unwrap(), 3).unwrap();
        let second = json!({
            "textA": "d", "textB": "a", "textC": "b", "textD": "c", "answerKey": "C", "qid": 3,
            "circular_pattern": ["textB", "textC", "textD", "textA"],
        });
        assert_eq!((turns.len(), &Value::Object(turns[1].clone())), (4, &second));
    }

    #[test]
    fn numbers_turn_as_letters() {
        let form = TurnForm {
            splits: Some(&["validation"]),
            options: &["sol1", "sol2"],
            gold: GoldForm::LetterOfNumber("answer"),
        };
        let turning = Turning::take(form, &mut Node::from_json(&json!({}))).unwrap();
        assert!(turning.turns(Some("validation")) && !turning.turns(Some("train")));
        let row = json!({"sol1": "x", "sol2": "y", "answer": "A"});
        let turns = turning.turned(row.as_object().unwrap(), 0).unwrap();
        assert_eq!((&turns[1]["sol1"], &turns[1]["answer"]), (&json!("y"), &json!("B")));
    }

    #[test]
    fn every_order_comes_as_in_python() {
        let orders = permutations(3);
        assert_eq!((orders.len(), &orders[1], &orders[5]), (6, &vec![0, 2, 1], &vec![2, 1, 0]));
    }
}
