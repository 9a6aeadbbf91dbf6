//! What is known of a request after it, in seconds from the start of its load.

/// A request and when what happened.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestRecord {
    /// When it was to be sent. All latencies count from here.
    pub intended_seconds: f64,
    /// When it could be sent: later than it was to be where most requests at once were under way already.
    pub due_seconds: f64,
    /// When sending began.
    pub sent_seconds: f64,
    /// When nothing more was to come.
    pub ended_seconds: f64,
    /// The answer, or why there is none.
    pub outcome: Result<AnswerRecord, String>,
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerRecord {
    /// The pieces of text; none where the server does not stream.
    pub pieces: Vec<PieceRecord>,
    /// When the last word of the model came.
    pub finished_seconds: f64,
    /// Tokens of the prompt, where they are known.
    pub prompt_tokens: Option<usize>,
    /// Tokens that were generated, where they are known.
    pub new_tokens: Option<usize>,
    /// Whether the tokens of every piece are known.
    pub has_piece_tokens: bool,
}

/// A piece of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieceRecord {
    /// When it came.
    pub seconds: f64,
    /// Its tokens; meaningless where those of pieces are not known.
    pub tokens: usize,
}

impl RequestRecord {
    /// How late it was sent, by this program's doing.
    pub fn late_seconds(&self) -> f64 {
        self.sent_seconds - self.due_seconds
    }
}

impl AnswerRecord {
    /// From `intended_seconds` to the first text.
    pub fn ttft_seconds(&self, intended_seconds: f64) -> Option<f64> {
        Some(self.pieces.first()?.seconds - intended_seconds)
    }

    /// From the first text to the end for each token that was not part of the first piece, which holds one token where
    /// that is not known; nothing where there is no such token.
    pub fn tpot_seconds(&self) -> Option<f64> {
        let first = self.pieces.first()?;
        let first_tokens = if self.has_piece_tokens { first.tokens } else { 1 };
        let others = self.new_tokens?.checked_sub(first_tokens).filter(|others| *others > 0)?;
        Some((self.finished_seconds - first.seconds) / others as f64)
    }

    /// The time before each token behind those of the first piece: tokens that came together share it equally. A token
    /// without text, such as the one that ends an answer, came with the notice of the end.
    pub fn itl_seconds(&self) -> Vec<f64> {
        let mut gaps = Vec::new();
        let (Some(first), Some(new_tokens), true) =
            (self.pieces.first(), self.new_tokens, self.has_piece_tokens)
        else {
            return gaps;
        };
        let mut before = first.seconds;
        let mut counted = first.tokens;
        for piece in &self.pieces[1..] {
            if piece.tokens > 0 {
                let gap = (piece.seconds - before) / piece.tokens as f64;
                gaps.extend(std::iter::repeat_n(gap, piece.tokens));
                before = piece.seconds;
                counted += piece.tokens;
            }
        }
        let silent = new_tokens.saturating_sub(counted);
        let gap = (self.finished_seconds - before) / silent.max(1) as f64;
        gaps.extend(std::iter::repeat_n(gap, silent));
        gaps
    }

    /// The time between two pieces.
    pub fn piece_gap_seconds(&self) -> impl Iterator<Item = f64> {
        self.pieces.windows(2).map(|pair| pair[1].seconds - pair[0].seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(pieces: &[(f64, usize)], finished_seconds: f64, new_tokens: usize) -> AnswerRecord {
        AnswerRecord {
            pieces: pieces
                .iter()
                .map(|&(seconds, tokens)| PieceRecord { seconds, tokens })
                .collect(),
            finished_seconds,
            prompt_tokens: Some(3),
            new_tokens: Some(new_tokens),
            has_piece_tokens: true,
        }
    }

    #[test]
    fn tokens_count_and_not_pieces() {
        // Two tokens a piece, 0.04 s apart: a token takes 0.02 s.
        let own = answer(&[(1.5, 2), (1.54, 2), (1.58, 2)], 1.58, 6);
        assert_eq!(own.ttft_seconds(1.0), Some(0.5));
        assert!((own.tpot_seconds().unwrap() - 0.02).abs() < 1e-12);
        assert_eq!(own.itl_seconds().len(), 4);
        assert!(own.itl_seconds().iter().all(|gap| (gap - 0.02).abs() < 1e-12));
        assert!(own.piece_gap_seconds().all(|gap| (gap - 0.04).abs() < 1e-12));
        // Where nobody tells, the first piece stands for one token, and no time between tokens is made up.
        let unknown = AnswerRecord { has_piece_tokens: false, ..own };
        assert!((unknown.tpot_seconds().unwrap() - 0.08 / 5.0).abs() < 1e-12);
        assert!(unknown.itl_seconds().is_empty());
        let uncounted = AnswerRecord { new_tokens: None, ..unknown };
        assert_eq!(uncounted.tpot_seconds(), None);
    }

    #[test]
    fn a_token_without_text_comes_with_the_end() {
        let own = answer(&[(0.1, 1), (0.11, 0), (0.12, 1)], 0.13, 3);
        let gaps = own.itl_seconds();
        assert_eq!(gaps.len(), 2);
        assert!((gaps[0] - 0.02).abs() < 1e-12 && (gaps[1] - 0.01).abs() < 1e-12, "{gaps:?}");
        assert!((own.tpot_seconds().unwrap() - 0.015).abs() < 1e-12);
        // One token has none behind it.
        assert_eq!(answer(&[(0.1, 1)], 0.1, 1).tpot_seconds(), None);
        assert!(answer(&[(0.1, 1)], 0.1, 1).itl_seconds().is_empty());
    }
}
