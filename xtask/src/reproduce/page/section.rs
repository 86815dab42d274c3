//! One entry on the page.

use super::super::entry::{Erratum, Figure, Measurement, Record};
use super::super::links::Links;
use super::super::matter::{self, Matter};
use super::super::notation;
use super::{badge, escape, title};

/// Rows of a table that are shown at once; a table that is a little longer is shown whole.
const SHOWN: usize = 8;

/// Everything about one entry.
pub(super) fn html(record: &Record<'_>, links: &Links) -> String {
    let (entry, findings) = (record.entry, &record.findings);
    let mut text = format!(
        "<section class=\"entry\" id=\"{id}\" aria-labelledby=\"{id}-title\">\n\
         <h3 id=\"{id}-title\"><a href=\"#{id}\">{id}</a> {title} {badge}</h3>\n\
         <p class=\"claim\">{claim} <span class=\"small\">({place})</span></p>\n",
        id = entry.id,
        title = escape(title(record)),
        badge = badge(record.verdict()),
        claim = escape(entry.claim),
        place = escape(entry.place),
    );
    if let Some(matter) = matter::of(entry.id) {
        text += &explanation(matter);
    }
    text += &format!("<p class=\"how\"><b>What was run.</b> {}</p>\n", escape(entry.how));
    if let Some(failure) = &findings.failure {
        text += &format!("<p class=\"failure\"><b>Failure.</b> {}</p>\n", escape(failure));
    }
    findings.errata.iter().for_each(|item| text += &erratum(item));
    text += &tables(&findings.measurements);
    if !findings.figures.is_empty() {
        text += "<div class=\"figures\">\n";
        findings.figures.iter().for_each(|item| text += &figure(item));
        text += "</div>\n";
    }
    for note in &findings.notes {
        text += &format!("<p class=\"note\">{}</p>\n", powers(&escape(note)));
    }
    text + &foot(record, links) + "</section>\n"
}

/// The matter in plain words, and its formulas.
fn explanation(matter: &Matter) -> String {
    let line = |formula: &&str| format!("<div class=\"formula\">{}</div>\n", notation::mathml(formula));
    let formulas: String = matter.formulas.iter().map(line).collect();
    format!(
        "<p class=\"plain\">{plain}</p>\n<div class=\"formulas\">\n{formulas}<p class=\"small\">{letters}</p>\n</div>\n",
        plain = escape(matter.plain),
        letters = escape(matter.letters),
    )
}

/// The tables of the measurements: the first rows, and the others where a reader asks for them.
fn tables(rows: &[Measurement]) -> String {
    let broken: Vec<_> = rows.iter().filter(|row| !row.holds).collect();
    if rows.is_empty() {
        return String::new();
    }
    if rows.len() <= SHOWN + 3 {
        return table(rows.iter());
    }
    // What does not hold is never hidden.
    let (shown, rest) = rows.split_at(SHOWN);
    let hidden_breaks: Vec<_> = rest.iter().filter(|row| !row.holds).collect();
    let agree = if broken.is_empty() { ", which agree as well" } else { "" };
    format!(
        "{}<details class=\"more\">\n<summary>{} more measurements{agree}</summary>\n{}</details>\n",
        table(shown.iter().chain(hidden_breaks)),
        rest.len(),
        table(rest.iter()),
    )
}

fn table<'a>(rows: impl Iterator<Item = &'a Measurement>) -> String {
    let mut text = String::from(
        "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">quantity</th>\
         <th scope=\"col\">claimed</th><th scope=\"col\">measured</th><th scope=\"col\">holds</th>\
         </tr></thead>\n<tbody>\n",
    );
    for row in rows {
        text += &format!(
            "<tr{}><td>{}</td><td>{}</td><td>{}{}</td><td>{}</td></tr>\n",
            if row.holds { "" } else { " class=\"broken\"" },
            powers(&escape(&row.what)),
            powers(&escape(&row.claimed)),
            powers(&escape(&row.measured)),
            if row.timed { " <span class=\"small\">(a time: it differs from run to run)</span>" } else { "" },
            if row.holds { "✓ yes" } else { "✗ no" },
        );
    }
    text + "</tbody>\n</table></div>\n"
}

/// Powers of ten as people write them: 4.4e−16 becomes 4.4·10⁻¹⁶.
fn powers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('e') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        let minus = ["−", "-"].into_iter().find(|sign| after.starts_with(sign)).unwrap_or("");
        let digits = after[minus.len()..].bytes().take_while(u8::is_ascii_digit).count();
        let next = after[minus.len() + digits..].chars().next();
        let is_power = before.ends_with(|c: char| c.is_ascii_digit())
            && (1..4).contains(&digits)
            && !next.is_some_and(char::is_alphanumeric);
        out += before;
        if is_power {
            let sign = if minus.is_empty() { "" } else { "−" };
            let end = minus.len() + digits;
            // A one before the power goes without saying.
            let one = out.ends_with('1')
                && !out[..out.len() - 1].ends_with(|c: char| c.is_ascii_digit() || c == '.');
            if one {
                out.pop();
            }
            out += &format!("{}10<sup>{sign}{}</sup>", if one { "" } else { "·" }, &after[minus.len()..end]);
            rest = &after[end..];
        } else {
            out.push('e');
            rest = after;
        }
    }
    out + rest
}

/// A point in which the source is wrong.
fn erratum(erratum: &Erratum) -> String {
    format!(
        "<dl class=\"erratum\">\n<dt>The source says</dt><dd>{}</dd>\n<dt>{}</dt><dd>{}</dd>\n\
         <dt>Proof</dt><dd>{}</dd>\n</dl>\n",
        escape(&erratum.says),
        if erratum.shown { "What is true" } else { "Not shown to be true instead" },
        escape(&erratum.truth),
        powers(&escape(&erratum.evidence)),
    )
}

/// A figure. The picture is SVG of our own making: its texts are escaped where they are drawn.
fn figure(figure: &Figure) -> String {
    let caption = escape(&figure.caption);
    let svg = figure.svg.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{caption}\" "), 1);
    format!("<figure>\n{svg}<figcaption>{}</figcaption>\n</figure>\n", powers(&caption))
}

/// Seed, time, and where the code is.
fn foot(record: &Record<'_>, links: &Links) -> String {
    let id = record.entry.id;
    let link = |file: &str, name: &str| {
        format!(
            "<a href=\"{}\" title=\"{}\">{}</a>",
            escape(&links.address(file)),
            escape(file),
            escape(name)
        )
    };
    let mut parts = Vec::new();
    let algorithms: Vec<_> =
        links.algorithms(id).iter().map(|algorithm| link(&algorithm.file, &algorithm.name)).collect();
    if !algorithms.is_empty() {
        parts.push(format!("Algorithms: {}.", algorithms.join(", ")));
    }
    if let Some(file) = links.experiment(id) {
        let name = file.rsplit('/').next().unwrap_or(file);
        parts.push(format!("Experiment: {}.", link(file, name)));
    }
    parts.push(format!("Seed {}.", record.entry.seed));
    let seconds = record.seconds;
    parts.push(if seconds < 0.01 { "Less than 0.01 s.".into() } else { format!("{seconds:.2} s.") });
    format!("<footer class=\"small\">{}</footer>\n", parts.join(" "))
}

#[cfg(test)]
mod tests {
    use super::super::super::sample;
    use super::*;

    #[test]
    fn a_section_reads_as_written() {
        insta::assert_snapshot!(html(&sample::records()[1], &Links::default()));
    }

    #[test]
    fn long_tables_are_folded_but_what_fails_is_shown() {
        let row = |index: usize| Measurement {
            what: format!("row {index}"),
            claimed: "c".into(),
            measured: "m".into(),
            holds: index != 19,
            timed: false,
        };
        let rows: Vec<_> = (0..20).map(row).collect();
        assert!(!tables(&rows[..11]).contains("<details"));
        let whole = tables(&rows[..19]);
        assert!(whole.contains("11 more measurements, which agree as well"), "{whole}");
        let broken = tables(&rows);
        let open = broken.split("<details").next().unwrap();
        assert!(open.contains("row 19") && open.contains("✗ no"), "{broken}");
        assert_eq!(tables(&[]), "");
    }

    #[test]
    fn powers_of_ten_are_raised_and_words_left_alone() {
        let cases = [
            ("4.44089e−16", "4.44089·10<sup>−16</sup>"),
            ("≤ 1e−9", "≤ 10<sup>−9</sup>"),
            ("(2.5e12, 11e3)", "(2.5·10<sup>12</sup>, 11·10<sup>3</sup>)"),
            ("3.1e-5", "3.1·10<sup>−5</sup>"),
            ("2e−8", "2·10<sup>−8</sup>"),
            ("the 3 examples of e1 and 5e", "the 3 examples of e1 and 5e"),
            ("0.1e2x", "0.1e2x"),
        ];
        for (text, set) in cases {
            assert_eq!(powers(text), set);
        }
    }

    #[test]
    fn a_figure_tells_those_who_cannot_see_it() {
        let text = figure(&Figure {
            name: "a".into(),
            caption: "x < y".into(),
            svg: "<svg viewBox=\"0 0 1 1\"></svg>".into(),
        });
        assert!(text.contains("<svg role=\"img\" aria-label=\"x &lt; y\" viewBox"), "{text}");
    }
}
