//! `index.html`: the report for people. One file with everything in it: no script, no network.

use super::entry::{Erratum, Measurement, Record, Verdict};
use super::summary;

/// The look of the page: one column, system fonts, tables that scroll on a narrow screen, ink on paper.
const STYLE: &str = include_str!("page.css");

/// The text of the page.
pub(super) fn html(records: &[Record<'_>], date: &str) -> String {
    let contents: String = records.iter().map(contents_line).collect();
    let entries: String = records.iter().map(section).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Reproduction of the sources</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>Reproduction of the sources</h1>\n\
         <p>What each source claims, beside what was measured. {}. Run on {} with version {}.</p>\n\
         </header>\n<nav aria-label=\"Contents\">\n<ol class=\"contents\">\n{contents}</ol>\n</nav>\n\
         <main>\n{entries}</main>\n</body>\n</html>\n",
        escape(&summary::counts(records)),
        escape(date),
        env!("CARGO_PKG_VERSION"),
    )
}

/// One line of the contents.
fn contents_line(record: &Record<'_>) -> String {
    let entry = record.entry;
    format!(
        "<li><a href=\"#{id}\"><b>{id}</b> {badge}<span>{claim}</span></a></li>\n",
        id = entry.id,
        badge = badge(record.verdict()),
        claim = escape(entry.claim),
    )
}

/// A verdict as a sign and a word: neither needs colour to be told apart.
fn badge(verdict: Verdict) -> String {
    let sign = match verdict {
        Verdict::Holds => "✓",
        Verdict::Erratum => "≠",
        Verdict::Fails => "✗",
    };
    format!("<span class=\"badge {word}\">{sign} {word}</span> ", word = verdict.word())
}

/// Everything about one entry.
fn section(record: &Record<'_>) -> String {
    let (entry, findings) = (record.entry, &record.findings);
    let mut text = format!(
        "<section id=\"{id}\">\n<h2>{id} {badge}<small>{place}</small></h2>\n<p class=\"claim\">{claim}</p>\n\
         <p>{how} <span class=\"small\">Seed {seed}; {seconds:.2} s.</span></p>\n",
        id = entry.id,
        badge = badge(record.verdict()),
        place = escape(entry.place),
        claim = escape(entry.claim),
        how = escape(entry.how),
        seed = entry.seed,
        seconds = record.seconds,
    );
    if let Some(failure) = &findings.failure {
        text += &format!("<p class=\"failure\"><b>Failure.</b> {}</p>\n", escape(failure));
    }
    text += &table(&findings.measurements);
    text.extend(findings.errata.iter().map(erratum));
    text.extend(findings.notes.iter().map(|note| format!("<p class=\"note\">{}</p>\n", escape(note))));
    if !findings.figures.is_empty() {
        text += "<div class=\"figures\">\n";
        for figure in &findings.figures {
            // The picture is SVG of our own making: its texts are escaped where they are drawn.
            let caption = escape(&figure.caption);
            text += &format!("<figure>\n{}<figcaption>{caption}</figcaption>\n</figure>\n", figure.svg);
        }
        text += "</div>\n";
    }
    text + "</section>\n"
}

/// The table of the measurements.
fn table(rows: &[Measurement]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">quantity</th>\
         <th scope=\"col\">claimed</th><th scope=\"col\">measured</th><th scope=\"col\">holds</th>\
         </tr></thead>\n<tbody>\n",
    );
    for row in rows {
        text += &format!(
            "<tr{}><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            if row.holds { "" } else { " class=\"broken\"" },
            escape(&row.what),
            escape(&row.claimed),
            escape(&row.measured),
            if row.holds { "✓ yes" } else { "✗ no" },
        );
    }
    text + "</tbody>\n</table></div>\n"
}

/// A point in which the source is wrong.
fn erratum(erratum: &Erratum) -> String {
    format!(
        "<dl class=\"erratum\">\n<dt>The source says</dt><dd>{}</dd>\n<dt>{}</dt><dd>{}</dd>\n\
         <dt>Evidence</dt><dd>{}</dd>\n</dl>\n",
        escape(&erratum.says),
        if erratum.shown { "What is true" } else { "Not shown to be true instead" },
        escape(&erratum.truth),
        escape(&erratum.evidence),
    )
}

/// Text that stands for itself in HTML, in an element or an attribute.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("<a href=\"x\">&'</a>"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;&lt;/a&gt;");
        let page = html(&sample::records(), "2000-01-01");
        assert!(page.contains("Seven is &lt;seven&gt;, and a half &amp; a half are one."));
        assert!(page.contains("A &quot;dot&quot; &amp; nothing else."));
        assert!(!page.contains("<seven>"));
    }

    #[test]
    fn every_entry_is_in_the_contents_and_on_the_page() {
        let page = html(&sample::records(), "2000-01-01");
        for entry in sample::ENTRIES {
            assert!(page.contains(&format!("href=\"#{}\"", entry.id)), "{}", entry.id);
            assert!(page.contains(&format!("<section id=\"{}\">", entry.id)), "{}", entry.id);
        }
        assert!(page.contains("panicked: index 3 is out of range"));
        assert!(page.contains("<dd>66 terms</dd>"));
    }

    #[test]
    fn the_page_needs_no_network_and_no_script() {
        let page = html(&sample::records(), "2000-01-01");
        for outside in ["<script", "<link", "src=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn a_section_reads_as_written() {
        insta::assert_snapshot!(section(&sample::records()[1]));
    }
}
