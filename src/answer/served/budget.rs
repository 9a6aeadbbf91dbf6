//! What asking a server may cost, in tokens and in money.
//!
//! What is spent is what the server says that it has read and written. Requests that are under way when the budget is spent are
//! still paid, and what a failed request has cost nobody says.

/// The bounds of what one run asks one server, with its prices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// Most tokens, read and written together.
    pub tokens: Option<usize>,
    /// Most money, in the currency of the prices.
    pub money: Option<f64>,
    /// What a million tokens cost that the server reads.
    pub price_read: f64,
    /// What a million tokens cost that the server writes.
    pub price_written: f64,
}

/// Tokens that prices are for.
const PRICED_TOKENS: f64 = 1e6;

impl Budget {
    /// Whether anything is bounded.
    pub fn is_bounded(&self) -> bool {
        self.tokens.is_some() || self.money.is_some()
    }

    /// What so many tokens cost; nothing if no price is known.
    pub fn cost(&self, read_tokens: usize, written_tokens: usize) -> Option<f64> {
        let is_priced = self.price_read > 0.0 || self.price_written > 0.0;
        let cost =
            read_tokens as f64 * self.price_read + written_tokens as f64 * self.price_written;
        is_priced.then_some(cost / PRICED_TOKENS)
    }

    /// Why nothing more is asked once so many tokens were read and written; nothing while there is something left.
    pub(super) fn spent(&self, read_tokens: usize, written_tokens: usize) -> Option<String> {
        let tokens = read_tokens + written_tokens;
        if let Some(most) = self.tokens.filter(|most| tokens >= *most) {
            return Some(format!("the budget of {most} tokens is spent"));
        }
        let cost = self.cost(read_tokens, written_tokens)?;
        let most = self.money.filter(|most| cost >= *most)?;
        Some(format!("the budget of {most} is spent"))
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;

    #[test]
    fn tokens_and_money_are_bounded_each_alone() {
        let budget = Budget {
            tokens: Some(100),
            money: Some(0.5),
            price_read: 1000.0,
            price_written: 9000.0,
        };
        assert_eq!(budget.spent(49, 50), None);
        assert!(budget.spent(50, 50).is_some_and(|why| why.contains("100 tokens")));
        assert!(budget.spent(5, 56).is_some_and(|why| why.contains("budget of 0.5")));
        assert_eq!(budget.cost(1_000_000, 0), Some(1000.0));
        let free = Budget::default();
        assert_eq!((free.cost(9, 9), free.spent(9, 9), free.is_bounded()), (None, None, false));
    }
}
