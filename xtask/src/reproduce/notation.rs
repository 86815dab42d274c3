//! Formulas: a small notation, set as MathML, which browsers show without help, and as plain text.
//!
//! ```text
//! f(@x) = ∑_{i=1}^n α_iy_iK(@x_i, @x) + b,  γ = frac{1}{‖@w‖}
//! ```
//!
//! A letter is a variable, `@` before it makes it a vector; names of functions are known words; `_` and `^` take a sign or a
//! group `{…}`; `frac{…}{…}`, `sqrt{…}`, `hat{…}` and `bar{…}` are what they say; text stands between double quotes, and two
//! spaces divide the parts of a line. Everything else is an operator.

/// Words that are set upright.
const NAMES: [&str; 15] = [
    "argmax", "argmin", "pocket", "const", "sign", "tanh", "aug", "dim", "err", "exp", "lim", "log", "max",
    "min", "sgn",
];

/// A piece of a formula.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    Variable(char),
    Vector(char),
    Name(&'static str),
    Number(String),
    Operator(char),
    Text(String),
    Space,
    Wide,
    Row(Vec<Node>),
    Fenced(char, Vec<Node>, char),
    Fraction(Box<Node>, Box<Node>),
    Root(Box<Node>),
    Over(Box<Node>, char),
    Script { base: Box<Node>, below: Option<Box<Node>>, above: Option<Box<Node>> },
}

/// A formula as MathML: an element for each of its parts, so that they may stand beside or below each other.
pub(super) fn mathml(formula: &str) -> String {
    let row = Parser::new(formula).row(None);
    let parts = row.split(|node| *node == Node::Wide).filter(|part| !part.is_empty());
    let mut out = String::new();
    for part in parts {
        out += "<math display=\"block\">";
        set_all(part, &mut out);
        out += "</math>";
    }
    out
}

/// A formula as a line of text.
pub(super) fn plain(formula: &str) -> String {
    let mut out = String::new();
    Parser::new(formula).row(None).iter().for_each(|node| tell(node, &mut out));
    out
}

/// Reads the notation. There is no wrong formula: what has no other meaning is an operator.
struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn new(rest: &'a str) -> Self {
        Self { rest }
    }

    fn take(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn take_if(&mut self, start: &str) -> bool {
        let found = self.rest.starts_with(start);
        if found {
            self.rest = &self.rest[start.len()..];
        }
        found
    }

    /// Everything up to a closing sign, which is taken, or to the end.
    fn row(&mut self, close: Option<char>) -> Vec<Node> {
        let mut row = Vec::new();
        while let Some(c) = self.rest.chars().next() {
            if Some(c) == close {
                self.take();
                break;
            }
            let Some(base) = self.piece() else { break };
            row.push(self.scripts(base));
        }
        row
    }

    /// A group between braces, or a single piece.
    fn group(&mut self) -> Box<Node> {
        if self.take_if("{") {
            return Box::new(Node::Row(self.row(Some('}'))));
        }
        let piece = match self.rest.chars().next() {
            // A script takes one letter, not a word.
            Some(c) if c.is_ascii_alphanumeric() => {
                self.take();
                single(c)
            }
            _ => self.piece().unwrap_or(Node::Space),
        };
        Box::new(piece)
    }

    fn scripts(&mut self, base: Node) -> Node {
        let (mut below, mut above) = (None, None);
        loop {
            if below.is_none() && self.take_if("_") {
                below = Some(self.group());
            } else if above.is_none() && self.take_if("^") {
                above = Some(self.group());
            } else {
                break;
            }
        }
        if below.is_none() && above.is_none() {
            base
        } else {
            Node::Script { base: Box::new(base), below, above }
        }
    }

    fn piece(&mut self) -> Option<Node> {
        if self.take_if("  ") {
            return Some(Node::Wide);
        }
        for (word, accent) in [("hat{", '^'), ("bar{", '¯')] {
            if self.take_if(word) {
                return Some(Node::Over(Box::new(Node::Row(self.row(Some('}')))), accent));
            }
        }
        if self.take_if("sqrt") {
            return Some(Node::Root(self.group()));
        }
        if self.take_if("frac") {
            let over = self.group();
            return Some(Node::Fraction(over, self.group()));
        }
        if let Some(name) = NAMES.into_iter().find(|name| self.rest.starts_with(name)) {
            self.take_if(name);
            return Some(Node::Name(name));
        }
        Some(match self.take()? {
            ' ' => Node::Space,
            '@' => Node::Vector(self.take()?),
            '"' => {
                let end = self.rest.find('"').unwrap_or(self.rest.len());
                let text = self.rest[..end].to_string();
                self.rest = self.rest.get(end + 1..).unwrap_or("");
                Node::Text(text)
            }
            '(' => Node::Fenced('(', self.row(Some(')')), ')'),
            '[' => Node::Fenced('[', self.row(Some(']')), ']'),
            '⟨' => Node::Fenced('⟨', self.row(Some('⟩')), '⟩'),
            '{' => Node::Row(self.row(Some('}'))),
            c if c.is_ascii_digit() => {
                let mut number = String::from(c);
                while let Some(digit) = self.rest.chars().next().filter(char::is_ascii_digit) {
                    number.push(digit);
                    self.take();
                }
                Node::Number(number)
            }
            c => single(c),
        })
    }
}

/// A single sign.
fn single(c: char) -> Node {
    match c {
        '0'..='9' => Node::Number(c.into()),
        // The sum sign and the like are operators, not letters.
        c if c.is_alphabetic() => Node::Variable(c),
        c => Node::Operator(c),
    }
}

/// Writes a piece as MathML.
fn set(node: &Node, out: &mut String) {
    match node {
        Node::Variable(c) => *out += &format!("<mi>{c}</mi>"),
        Node::Vector(c) => *out += &format!("<mi mathvariant=\"normal\" class=\"v\">{c}</mi>"),
        Node::Name(name) => *out += &format!("<mi>{name}</mi><mspace width=\"0.17em\"/>"),
        Node::Number(number) => *out += &format!("<mn>{number}</mn>"),
        Node::Operator(c) => set_operator(*c, out),
        Node::Text(text) => *out += &format!("<mtext>&#160;{}&#160;</mtext>", text.replace('<', "&lt;")),
        Node::Space => {}
        Node::Wide => *out += "<mspace width=\"1.3em\"/>",
        Node::Row(row) => wrapped("mrow", row, out),
        Node::Fenced(open, row, close) => {
            *out += &format!("<mrow><mo>{open}</mo>");
            set_all(row, out);
            *out += &format!("<mo>{close}</mo></mrow>");
        }
        Node::Fraction(over, under) => {
            *out += "<mfrac>";
            set_one(over, out);
            set_one(under, out);
            *out += "</mfrac>";
        }
        Node::Root(inner) => {
            *out += "<msqrt>";
            set(inner, out);
            *out += "</msqrt>";
        }
        Node::Over(inner, accent) => {
            *out += "<mover accent=\"true\">";
            set_one(inner, out);
            *out += &format!("<mo stretchy=\"false\">{accent}</mo></mover>");
        }
        Node::Script { base, below, above } => set_scripts(base, below.as_deref(), above.as_deref(), out),
    }
}

/// Writes pieces in a row. A sign after another operator belongs to what follows it.
fn set_all(row: &[Node], out: &mut String) {
    let mut after_operator = true;
    for node in row {
        match node {
            Node::Operator(c @ ('+' | '−' | '±')) if after_operator => {
                *out += &format!("<mo form=\"prefix\">{c}</mo>");
            }
            node => set(node, out),
        }
        if *node != Node::Space {
            after_operator = matches!(node, Node::Operator(c) if !"′!|‖".contains(*c));
        }
    }
}

fn set_operator(c: char, out: &mut String) {
    let text = match c {
        '<' => "&lt;".to_string(),
        '&' => "&amp;".to_string(),
        c => c.to_string(),
    };
    // Bars that would grow to any height, and the separators, keep their size.
    let plain = if "|‖/".contains(c) { " stretchy=\"false\" lspace=\"0\" rspace=\"0\"" } else { "" };
    *out += &format!("<mo{plain}>{text}</mo>");
}

/// Writes a piece that must be one element.
fn set_one(node: &Node, out: &mut String) {
    match node {
        Node::Row(row) if row.len() == 1 => set_one(&row[0], out),
        Node::Name(name) => *out += &format!("<mi>{name}</mi>"),
        Node::Space | Node::Wide => *out += "<mrow></mrow>",
        node => set(node, out),
    }
}

fn wrapped(element: &str, row: &[Node], out: &mut String) {
    *out += &format!("<{element}>");
    set_all(row, out);
    *out += &format!("</{element}>");
}

fn set_scripts(base: &Node, below: Option<&Node>, above: Option<&Node>, out: &mut String) {
    // What is written below "max" and the sum sign is written beside everything else.
    let limits = matches!(base, Node::Operator('∑') | Node::Name(_));
    let element = match (below.is_some(), above.is_some(), limits) {
        (true, true, true) => "munderover",
        (true, false, true) => "munder",
        (false, true, true) => "mover",
        (true, true, false) => "msubsup",
        (true, false, false) => "msub",
        _ => "msup",
    };
    *out += &format!("<{element}>");
    set_one(base, out);
    below.into_iter().chain(above).for_each(|node| set_one(node, out));
    *out += &format!("</{element}>");
    if limits {
        *out += "<mspace width=\"0.17em\"/>";
    }
}

/// Writes a piece as text.
fn tell(node: &Node, out: &mut String) {
    match node {
        Node::Variable(c) | Node::Vector(c) | Node::Operator(c) => out.push(*c),
        Node::Name(name) => *out += name,
        Node::Number(text) | Node::Text(text) => *out += text,
        Node::Space => out.push(' '),
        Node::Wide => *out += "  ",
        Node::Row(row) => row.iter().for_each(|node| tell(node, out)),
        Node::Fenced(open, row, close) => {
            out.push(*open);
            row.iter().for_each(|node| tell(node, out));
            out.push(*close);
        }
        Node::Fraction(over, under) => {
            tell_closed(over, out);
            out.push('/');
            tell_closed(under, out);
        }
        Node::Root(inner) => {
            out.push('√');
            tell_closed(inner, out);
        }
        Node::Over(inner, accent) => {
            tell(inner, out);
            // Marks that combine with the letter before them.
            out.push(if *accent == '^' { '\u{302}' } else { '\u{304}' });
        }
        Node::Script { base, below, above } => {
            tell(base, out);
            for (script, sign, signs) in [(below, '_', BELOW), (above, '^', ABOVE)] {
                if let Some(script) = script {
                    tell_script(script, sign, signs, out);
                }
            }
        }
    }
}

/// Writes a piece in brackets, unless it is a single sign.
fn tell_closed(node: &Node, out: &mut String) {
    let mut text = String::new();
    tell(node, &mut text);
    let closed =
        text.chars().all(char::is_alphanumeric) || text.starts_with('‖') && text.matches('‖').count() == 2;
    *out += &if closed { text } else { format!("({text})") };
}

/// Signs with a small form, low and high.
const BELOW: (&str, &str) = ("0123456789+−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ");
const ABOVE: (&str, &str) =
    ("0123456789+−=()abcdefghijklmnoprstuvwxyz*†′", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ*†′");

fn tell_script(node: &Node, sign: char, (from, to): (&str, &str), out: &mut String) {
    let mut text = String::new();
    tell(node, &mut text);
    let small: Option<String> = text
        .chars()
        .map(|c| from.chars().position(|known| known == c).and_then(|place| to.chars().nth(place)))
        .collect();
    match small {
        Some(small) => *out += &small,
        None if text.chars().count() == 1 => *out += &format!("{sign}{text}"),
        None => *out += &format!("{sign}({text})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_uses_small_signs_where_there_are_any() {
        let cases = [
            ("f(@x) = ∑_i α_iy_iK(@x_i, @x) + b", "f(x) = ∑ᵢ αᵢyᵢK(xᵢ, x) + b"),
            ("γ = frac{1}{‖@w‖}", "γ = 1/‖w‖"),
            ("k ≤ (frac{2R}{γ})^2", "k ≤ (2R/γ)²"),
            ("S_W^{−1}(@m_1 − @m_{−1})", "S_W⁻¹(m₁ − m₋₁)"),
            ("(∑_i α_i)^{−1/2}", "(∑ᵢ αᵢ)^(−1/2)"),
            ("hat{X}^that{X}hat{@w} = hat{X}^t@y", "X̂ᵗX̂ŵ = X̂ᵗy"),
            ("sqrt{∑_i ξ_i^2}", "√(∑ᵢ ξᵢ²)"),
            ("max_{@w,b} min_i \"of all\" x", "max_(w,b) minᵢ of all x"),
            ("α^{zy_i}", "α^(zyᵢ)"),
        ];
        for (formula, text) in cases {
            assert_eq!(
                plain(formula).replace('\u{302}', ""),
                text.replace(['\u{302}'], "").replace('ŵ', "w"),
                "{formula}"
            );
        }
    }

    #[test]
    fn mathml_has_fractions_scripts_limits_and_fences() {
        let set = mathml("(frac{2R}{γ})^2 ≤ ∑_{i=1}^n @x_i < a");
        assert_eq!(
            set,
            "<math display=\"block\"><msup><mrow><mo>(</mo><mfrac><mrow><mn>2</mn><mi>R</mi></mrow><mi>γ</mi></mfrac>\
             <mo>)</mo></mrow><mn>2</mn></msup><mo>≤</mo><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow>\
             <mi>n</mi></munderover><mspace width=\"0.17em\"/><msub><mi mathvariant=\"normal\" class=\"v\">x</mi><mi>i</mi>\
             </msub><mo>&lt;</mo><mi>a</mi></math>"
        );
    }

    #[test]
    fn parts_are_elements_of_their_own_and_signs_bind_to_what_follows() {
        let set = mathml("a = −1,  b − 1");
        assert_eq!(
            set,
            "<math display=\"block\"><mi>a</mi><mo>=</mo><mo form=\"prefix\">−</mo><mn>1</mn><mo>,</mo></math>\
             <math display=\"block\"><mi>b</mi><mo>−</mo><mn>1</mn></math>"
        );
    }

    #[test]
    fn elements_are_closed_whatever_the_formula() {
        for formula in
            ["", "_", "frac", "sqrt{", "hat{", "((", "\"open", "@", "x^", "a  b", "}", "frac{1}", "x_{i}^{"]
        {
            let set = mathml(formula);
            let opened = set.matches('<').count() - set.matches("</").count() - set.matches("/>").count();
            assert_eq!(opened, set.matches("</").count(), "{formula}: {set}");
            let _ = plain(formula);
        }
    }
}
