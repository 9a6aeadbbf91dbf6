//! What an entry of a model behind a server says of costs.

use serde::Deserialize;

use crate::{
    answer::served::Budget,
    config::{ConfigError, Node},
};

/// The field `budget`: `dict(tokens=…, money=…, price_read=…, price_written=…)`, prices for a million tokens.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BudgetEntry {
    tokens: Option<usize>,
    money: Option<f64>,
    price_read: Option<f64>,
    price_written: Option<f64>,
}

impl BudgetEntry {
    /// The budget of the entry `node`.
    pub(super) fn settled(&self, node: &Node) -> Result<Budget, ConfigError> {
        let refused = |what: String| Err(ConfigError::at(&node.origin, what).under("budget"));
        let Self { tokens, money, price_read, price_written } = *self;
        let prices = [("price_read", price_read), ("price_written", price_written)];
        for (name, value) in prices {
            if let Some(value) = value.filter(|own| !(own.is_finite() && *own >= 0.0)) {
                return refused(format!(
                    "{name} is {value}, which is no price of a million tokens"
                ));
            }
        }
        if tokens == Some(0) || money.is_some_and(|own| !(own.is_finite() && own > 0.0)) {
            return refused("nothing may be spent: write a number above 0".to_owned());
        }
        if [tokens.is_some(), money.is_some(), price_read.is_some(), price_written.is_some()]
            == [false; 4]
        {
            return refused("nothing is bounded: write tokens, or money and prices".to_owned());
        }
        if price_read.is_some() != price_written.is_some()
            || (money.is_some() && price_read.is_none())
        {
            return refused(
                "both prices belong together: write price_read and price_written, for a million tokens".to_owned(),
            );
        }
        if money.is_some() && prices.iter().all(|(_, price)| price.is_none_or(|own| own <= 0.0)) {
            return refused("money is bounded and nothing costs any".to_owned());
        }
        Ok(Budget {
            tokens,
            money,
            price_read: price_read.unwrap_or(0.0),
            price_written: price_written.unwrap_or(0.0),
        })
    }
}
