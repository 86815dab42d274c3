//! Rust source without its comments and literals, so that a rule about code reads code only.

/// Replaces comments, strings and character literals by spaces; lines and columns stay.
///
/// This is a scanner, not a parser: it knows line and nested block comments, plain, byte and raw strings,
/// and tells a character from a lifetime by the closing quote.
pub(super) fn strip(source: &str) -> String {
    let text: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while at < text.len() {
        let end = literal_end(&text, at);
        if end == at {
            out.push(text[at]);
            at += 1;
        } else {
            out.extend(text[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// Where the comment or literal that begins at `at` ends; `at` itself if none begins there.
fn literal_end(text: &[char], at: usize) -> usize {
    let next = text.get(at + 1);
    match text[at] {
        '/' if next == Some(&'/') => find(text, at, |c| c == '\n'),
        '/' if next == Some(&'*') => block_comment_end(text, at),
        '"' => string_end(text, at + 1),
        'r' if !follows_name(text, at) => raw_string_end(text, at).unwrap_or(at),
        '\'' => character_end(text, at),
        _ => at,
    }
}

/// The first position from `from` on whose character satisfies the condition, or the end.
fn find(text: &[char], from: usize, condition: impl Fn(char) -> bool) -> usize {
    text[from..].iter().position(|&c| condition(c)).map_or(text.len(), |offset| from + offset)
}

/// Whether the character before `at` belongs to a name, as in `for"`; `br"` is a raw string all the same.
fn follows_name(text: &[char], at: usize) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    match at.checked_sub(1).map(|before| text[before]) {
        Some('b') => at >= 2 && is_name(text[at - 2]),
        Some(c) => is_name(c),
        None => false,
    }
}

/// The end of a block comment, which may hold others.
fn block_comment_end(text: &[char], at: usize) -> usize {
    let (mut depth, mut i) = (0_usize, at);
    while i + 1 < text.len() {
        match (text[i], text[i + 1]) {
            ('/', '*') => {
                depth += 1;
                i += 2;
            }
            ('*', '/') => {
                depth -= 1;
                i += 2;
                if depth == 0 {
                    return i;
                }
            }
            _ => i += 1,
        }
    }
    text.len()
}

/// The end of a string whose first character after the quote is at `from`.
fn string_end(text: &[char], from: usize) -> usize {
    let mut i = from;
    while i < text.len() {
        match text[i] {
            '\\' => i += 2,
            '"' => return i + 1,
            _ => i += 1,
        }
    }
    text.len()
}

/// The end of a raw string at `at`, if there is one.
fn raw_string_end(text: &[char], at: usize) -> Option<usize> {
    let open = find(text, at + 1, |c| c != '#');
    if text.get(open) != Some(&'"') {
        return None;
    }
    let hashes = open - at - 1;
    let closes =
        |i: usize| text[i] == '"' && text[i + 1..].iter().take_while(|&&c| c == '#').count() >= hashes;
    let close = (open + 1..text.len()).find(|&i| closes(i));
    Some(close.map_or(text.len(), |i| i + 1 + hashes))
}

/// The end of a character literal at `at`, or `at` for a lifetime.
fn character_end(text: &[char], at: usize) -> usize {
    if text.get(at + 1) == Some(&'\\') {
        return (find(text, at + 3, |c| c == '\'') + 1).min(text.len());
    }
    if text.get(at + 2) == Some(&'\'') { at + 3 } else { at }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(source: &str) -> String {
        let stripped = strip(source);
        assert_eq!(stripped.chars().count(), source.chars().count(), "columns moved in {source}");
        stripped.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_go_and_code_stays() {
        assert_eq!(kept("a(); // b()\nc();"), "a(); c();");
        assert_eq!(kept("a(); /* b /* c */ d */ e();"), "a(); e();");
        assert_eq!(kept("/// a.unwrap()\nfn b() {}"), "fn b() {}");
    }

    #[test]
    fn strings_go_whatever_they_hold() {
        assert_eq!(kept(r#"a("// no \" comment"); b();"#), "a( ); b();");
        assert_eq!(kept("a(r#\"quote \" inside\"#); b();"), "a( ); b();");
        assert_eq!(kept("a(br\"x\", b\"y\"); for r in s {}"), "a(b , b ); for r in s {}");
    }

    #[test]
    fn a_lifetime_is_not_a_character() {
        assert_eq!(
            kept("fn a<'a>(b: &'a str, c: char) { c == '\"'; c == '\\''; d(); }"),
            "fn a<'a>(b: &'a str, c: char) { c == ; c == ; d(); }"
        );
    }

    #[test]
    fn an_open_literal_ends_with_the_file() {
        assert_eq!(kept("a \"b"), "a");
        assert_eq!(kept("a /* b"), "a");
        assert_eq!(kept("a r#\"b\""), "a");
    }
}
