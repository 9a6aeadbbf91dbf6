//! How near a translation is to its references: BLEU, chrF and TER, as sacreBLEU 2.6 counts them.
//!
//! Each is made of counts, those of a corpus being the sum of those of its texts. Nothing here knows a data set or a metric.

mod bleu;
mod bleu_words;
mod chrf;
mod shift;
mod ter;
mod word_edits;

pub(crate) use self::{
    bleu::{BleuCounts, BleuScore, Smoothing, trimmed},
    bleu_words::{Script, words_13a},
    chrf::ChrfCounts,
    ter::TerCounts,
};

/// Texts with the figures that sacreBLEU 2.6.0 gives of each alone.
#[cfg(test)]
#[expect(clippy::unreadable_literal, reason = "figures stand as they were printed")]
mod known {
    /// Text, references, chrF, chrF++ and TER.
    type Scored = (&'static str, &'static [&'static str], f64, f64, f64);

    pub(super) const ROWS: [Scored; 14] = [
        ("the cat sat on the mat", &["the cat sat on the mat"], 100.0, 100.0, 0.0),
        (
            "on the mat the cat sat",
            &["the cat sat on the mat"],
            81.09203296703296,
            83.31902472527472,
            16.666666666666664,
        ),
        ("", &["a b"], 0.0, 0.0, 100.0),
        ("a b", &[""], 0.0, 0.0, 100.0),
        ("", &[""], 0.0, 0.0, 0.0),
        (
            "Hello, (world)!",
            &["hello world", "Hello (World)"],
            47.16049594934436,
            39.28446678367684,
            100.0,
        ),
        (
            "c d e a b x f g",
            &["a b c d e f g h", "x f g a b"],
            36.502849002849004,
            48.15618696834166,
            46.15384615384615,
        ),
        (
            "  Four cranes stood in the reeds..",
            &[" Four cranes stood in the reeds."],
            99.15184251822531,
            93.41584197085588,
            16.666666666666664,
        ),
        (
            "naïve 中文 text 😀",
            &["naive 中文 text 😀!"],
            66.0611941001057,
            63.977697075676964,
            50.0,
        ),
        (
            "f e d c b a a b c d e f g",
            &["a b c d e f g f e d c b a"],
            72.756734006734,
            78.52588383838383,
            7.6923076923076925,
        ),
        (
            "d c f h b a h e d d h h",
            &["c d c g a b c a e a e h g"],
            9.224938222133174,
            13.837407333199758,
            61.53846153846154,
        ),
        (
            "g g h c f b a c h d e g e g g f g d f a e c f b d e e b b h",
            &["h b f b g c a e g g b a a g f e d a e a b b a d g e e c a f f f c g g h g b"],
            19.439271220987905,
            28.432147714751043,
            55.26315789473685,
        ),
        (
            "e g d e g e e f a g f a g c a f h f f e h a a a f e h e f c f c f f e e g b a c e d e d f c g b b f f d h c b f d h e d",
            &[
                "b a d f c e f b f c g e e h f g e g g a g c d a h g d a h e f d b e b d a a d g a a h b c e d a g a b f c e h a f d d b b c d e c a h",
            ],
            22.7935719940818,
            32.814570306098,
            58.2089552238806,
        ),
        (
            "g a e",
            &[
                "d e g a h f a a c a b a b h a b h f c f b f g g e f e d f g b c a g b c a f h g a g a f h f g g h a d d e b g d g c a f f e b h b g b f b a h c d g a b b g c a f b a b h e e b a d b b a f c b d c d h g e f g f g b g d g c g h c g c c b h h h c c e d c f d e g e d e a e h g d c f d f h c g h d h a h b g a h d d b d e d d e c c a e c a f c g b b b b e e a f h f a a f f g g h b d h g c f b e b g b h",
            ],
            1.0405023633075243,
            1.248602835969029,
            98.5,
        ),
    ];
}
