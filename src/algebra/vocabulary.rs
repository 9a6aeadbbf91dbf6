//! How the words of LaTeX mathematics are written.
//!
//! It is a list and nothing else: which word a text begins with is found in `token`, what words mean in `reader`.

/// Words that are skipped.
pub(super) const BLANK: &str = "blank";

/// Kinds of words that are written in a few ways.
#[rustfmt::skip]
pub(super) const WORDS: &[(&str, &[&str])] = &[
    ("TRANSPOSE", &["^T", "^{T}", "'"]),
    ("DEGREE", &[r"^\circ", r"^\degree", r"^\circle", "^°", r"^{\circ}", r"^{\degree}", r"^{\circle}", "^{°}"]),
    (BLANK, &[
        r"\,", r"\thinspace", r"\:", r"\medspace", r"\;", r"\thickspace", r"\quad", r"\qquad", r"\!", r"\negthinspace",
        r"\negmedspace", r"\negthickspace", r"\$", r"\vrule", r"\vcenter", r"\vbox", r"\vskip", r"\vspace", r"\hfil",
    ]),
    ("ADD", &["+", "∔", "⊕", "⊞"]),
    ("SUB", &["-", "−", "∸"]),
    ("MUL", &["*", "×", "⋅", "⋄", "⊡", "∗", "⋆", "∘", "∙", "⊗", "⊠", "⋈", "⋉", "⋊", r"\times", r"\cdot"]),
    ("DIV", &["/", "÷", "∕", r"\over", r"\div", ":"]),
    ("MOD", &[r"\mod"]),
    ("OPEN", &["("]),
    ("CLOSE", &[")"]),
    ("OPEN_VISUAL", &[r"\("]),
    ("CLOSE_VISUAL", &[r"\)"]),
    ("LGROUP", &[r"\lgroup"]),
    ("RGROUP", &[r"\rgroup"]),
    ("BRACE", &["{"]),
    ("END_BRACE", &["}"]),
    ("SET_BRACE", &[r"\{"]),
    ("END_SET_BRACE", &[r"\}"]),
    ("LBRACE", &[r"\lbrace"]),
    ("RBRACE", &[r"\rbrace"]),
    ("BRACKET", &["["]),
    ("END_BRACKET", &["]"]),
    ("LBRACK", &[r"\lbrack"]),
    ("RBRACK", &[r"\rbrack"]),
    ("PHANTOM", &[r"\phantom"]),
    ("BOXED", &[r"\boxed"]),
    ("BAR", &["|"]),
    ("LVERT", &[r"\lvert"]),
    ("RVERT", &[r"\rvert"]),
    ("VERT", &[r"\vert"]),
    ("NORM", &[r"\|"]),
    ("LANGLE", &[r"\langle"]),
    ("RANGLE", &[r"\rangle"]),
    ("LFLOOR", &[r"\lfloor"]),
    ("RFLOOR", &[r"\rfloor"]),
    ("LLCORNER", &[r"\llcorner"]),
    ("LRCORNER", &[r"\lrcorner"]),
    ("LCEIL", &[r"\lceil"]),
    ("RCEIL", &[r"\rceil"]),
    ("ULCORNER", &[r"\ulcorner"]),
    ("URCORNER", &[r"\urcorner"]),
    ("LIMIT", &[r"\lim"]),
    ("APPROACHES", &[r"\to", r"\rightarrow", r"\Rightarrow", r"\longrightarrow", r"\Longrightarrow"]),
    ("INTEGRAL", &[r"\int"]),
    ("SUM", &[r"\sum"]),
    ("PRODUCT", &[r"\prod"]),
    ("FUNCTION", &[
        r"\log", r"\ln", r"\exp", r"\sin", r"\cos", r"\tan", r"\csc", r"\sec", r"\cot", r"\Gamma", r"\gamma", r"\arcsin",
        r"\arccos", r"\arctan", r"\arccsc", r"\arcsec", r"\arccot", r"\sinh", r"\cosh", r"\tanh", r"\arsinh", r"\arcosh",
        r"\artanh", r"\arcsinh", r"\arccosh", r"\arctanh", r"\floor", r"\ceil", r"\det",
    ]),
    ("NAME", &[
        "arsinh", "arcsinh", "arcosh", "arccosh", "artanh", "arctanh", "floor", "ceil", "eye", "cols", "rows", "norm", "rank",
        "trace", "tr", "rref", "nullspace", "eig", "eigen", "diagonalize", "eigenvals", "eigenvalues", "eigenvects",
        "eigenvectors", "svd", "SVD",
    ]),
    ("NAME_OF_SEVERAL", &[
        "gcd", "lcm", "zeros", "ones", "diag", "hstack", "vstack", "orth", "ortho", "orthogonal", "orthogonalize",
    ]),
    ("ROOT", &[r"\sqrt"]),
    ("FUNCTION_OF_SEVERAL", &[r"\gcd", r"\lcm", r"\max", r"\min"]),
    ("FRACTION", &[r"\frac", r"\dfrac", r"\tfrac", r"\cfrac"]),
    ("BINOMIAL", &[r"\binom", r"\tbinom", r"\dbinom"]),
    ("CHOOSE", &[r"\choose"]),
    ("unused", &[r"\mathit", "matrix", "pmatrix", "bmatrix", "vmatrix", "."]),
    ("OPERATOR", &[r"\operatorname"]),
    ("BEGIN_MATRIX", &[r"\begin{matrix}", r"\begin{pmatrix}", r"\begin{bmatrix}"]),
    ("END_MATRIX", &[r"\end{matrix}", r"\end{pmatrix}", r"\end{bmatrix}"]),
    ("END_ARRAY", &[r"\end{array}"]),
    ("BEGIN_DETERMINANT", &[r"\begin{vmatrix}"]),
    ("END_DETERMINANT", &[r"\end{vmatrix}"]),
    ("NEXT_COLUMN", &["&"]),
    ("NEXT_ROW", &[r"\\"]),
    ("BELOW", &["_"]),
    ("ABOVE", &["^"]),
    ("SEMICOLON", &[";"]),
    ("COMMA", &[","]),
    ("EXP", &["e", r"\exponentialE"]),
    ("CAPITAL_E", &["E"]),
    ("unused", &[r"\xrightarrow", r"\xRightarrow", "<->", "<=>", r"\leftrightarrow", r"\Leftrightarrow"]),
    ("IN", &[r"\in"]),
    ("ASSIGN", &["=", "≡", "≣", "≟", "≎", "≏", "≐", "≑", "≒", "≓", "≔", "≕", "≖", "≗"]),
    ("EQUAL", &["==", r"\equiv"]),
    ("APPROXIMATE", &["~=", "≈", "≊", "≋", "≃", "≅", r"\approx"]),
    ("LESS", &["<", "≪", "≺", "⋖", r"\lt"]),
    ("LESS_OR_EQUAL", &[r"\leq", r"\le", r"\leqslant", "≤", "≦", "≲", "≾", "<="]),
    ("GREATER", &[">", "≫", "≻", "⋗", r"\gt"]),
    ("GREATER_OR_EQUAL", &[r"\geq", r"\ge", r"\geqslant", "≥", "≧", "≳", "≿", ">="]),
    ("UNEQUAL", &["!=", "!==", r"\ne", r"\neq", r"\not\equiv", "≠", "≁", "≄", "≇", "≉", "≢"]),
    ("FACTORIAL", &["!"]),
    ("SYMBOL", &[r"\partial", r"\infty", r"\$\infty", r"\infty\%", r"\infty%"]),
    ("NAMED_SET", &[
        r"\mathbb{N}", "ℕ", r"\mathbb{Z}", "ℤ", r"\mathbb{Q}", "ℚ", r"\mathbb{R}", "ℝ", r"\mathbb{C}", "ℂ", r"\mathbb{P}",
        "ℙ", r"\emptyset", "∅", r"\{\}", r"\lbrace\rbrace",
    ]),
    ("UNION", &[r"\cup", "∪"]),
    ("INTERSECTION", &[r"\cap", "∩"]),
    ("WITHOUT", &[r"\setminus", "∖"]),
    ("PLUS_MINUS", &[r"\pm", "±", "∓", r"\mp"]),
    ("CONTAINS", &[r"\supseteq", "⊇"]),
    ("CONTAINED", &[r"\subseteq", "⊆"]),
    ("NOT_IN", &[r"\notin", "∉"]),
];

/// Greek letters: the sign, and the name, which is also the command.
#[rustfmt::skip]
pub(super) const GREEK: &[(&str, &str)] = &[
    ("α", "alpha"), ("β", "beta"), ("γ", "gamma"), ("Γ", "Gamma"), ("δ", "delta"), ("Δ", "Delta"), ("ε", "epsilon"),
    ("ϵ", "varepsilon"), ("ζ", "zeta"), ("η", "eta"), ("θ", "theta"), ("Θ", "Theta"), ("ϑ", "vartheta"), ("ι", "iota"),
    ("κ", "kappa"), ("λ", "lambda"), ("Λ", "Lambda"), ("μ", "mu"), ("ν", "nu"), ("ξ", "xi"), ("Ξ", "Xi"), ("ο", "omicron"),
    ("π", "pi"), ("Π", "Pi"), ("ϖ", "varpi"), ("ρ", "rho"), ("ϱ", "varrho"), ("σ", "sigma"), ("Σ", "Sigma"),
    ("ς", "varsigma"), ("τ", "tau"), ("υ", "upsilon"), ("Υ", "Upsilon"), ("φ", "phi"), ("Φ", "Phi"), ("ϕ", "varphi"),
    ("χ", "chi"), ("ψ", "psi"), ("Ψ", "Psi"), ("ω", "omega"), ("Ω", "Omega"),
];

/// Other commands that stand for a symbol.
#[rustfmt::skip]
pub(super) const SYMBOLS: &[&str] = &[
    r"\Bbbk", r"\wp", r"\nabla", r"\bigstar", r"\angle", r"\nexists", r"\diagdown", r"\measuredangle", r"\eth", "ℵ", "ℶ", "ℷ",
    "ℸ", r"\diagup", r"\sphericalangle", r"\clubsuit", r"\varnothing", r"\Diamond", r"\complement", r"\diamondsuit",
    r"\imath", r"\Finv", r"\triangledown", r"\heartsuit", r"\jmath", r"\Game", r"\triangle", r"\spadesuit", r"\ell", r"\hbar",
    r"\vartriangle", r"\hslash", r"\blacklozenge", r"\lozenge", r"\blacksquare", r"\mho", r"\blacktriangle", r"\sharp",
    r"\prime", r"\Im", r"\flat", r"\square", r"\backprime", r"\Re", r"\natural", r"\surd", r"\circledS",
];

/// Commands that change how what they hold looks.
#[rustfmt::skip]
pub(super) const ACCENTS: &[&str] = &[
    "acute", "bar", "overline", "breve", "check", "widecheck", "dot", "ddot", "grave", "hat", "tilde", "widetilde", "vec",
    "overrightarrow", "bm", "boldsymbol", "text", "textit", "textbf", "textnormal", "mathbb", "mathbin", "mathbf", "mathcal",
    "mathclap", "mathclose", "mathellipsis", "mathfrak", "mathinner", "mathit", "mathnormal", "mathop", "mathopen", "mathord",
    "mathpunct", "mathrel", "mathring", "mathrlap", "mathrm", "mathscr", "mathsf", "mathsterling", "mathtt", "mbox",
];
