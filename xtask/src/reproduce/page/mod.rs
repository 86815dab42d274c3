//! `index.html`: the report for people. One file with everything in it, that asks nothing of any network.

mod section;

use super::entry::{Record, Verdict};
use super::links::Links;
use super::matter::{self, SOURCES, Source, WORDS};
use super::summary;

/// The look of the page: contents beside the text, or above it on a narrow screen; ink on paper when printed.
const STYLE: &str = include_str!("page.css");

/// The search, and what opens and closes. Everything can be read without it.
const SCRIPT: &str = include_str!("page.js");

/// Everything that the page tells.
pub(super) struct Book<'a> {
    /// The entries that ran.
    pub(super) records: &'a [Record<'a>],
    /// The ids of claims that have no entry.
    pub(super) missing: &'a [&'a str],
    /// The day of the run.
    pub(super) date: &'a str,
    /// Where the files are.
    pub(super) links: &'a Links,
}

impl Book<'_> {
    /// The text of the page.
    pub(super) fn html(&self) -> String {
        let chapters: String = SOURCES.iter().map(|source| self.chapter(source)).collect();
        let words: String = WORDS
            .iter()
            .map(|(word, means)| format!("<dt>{}</dt><dd>{}</dd>\n", escape(word), escape(means)))
            .collect();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>Linear learning machines: the claims, run</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             {contents}<div class=\"page\">\n{head}<main>\n{chapters}\
             <section class=\"chapter\" id=\"words\">\n<h2>Words</h2>\n<dl class=\"words\">\n{words}</dl>\n</section>\n\
             </main>\n</div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
            contents = self.contents(),
            head = self.head(),
        )
    }

    fn of(&self, source: &Source) -> impl Iterator<Item = &Record<'_>> {
        let letter = source.letter;
        self.records.iter().filter(move |record| record.entry.id.starts_with(letter))
    }

    fn head(&self) -> String {
        let seconds: f64 = self.records.iter().map(|record| record.seconds).sum();
        let count = |verdict| self.records.iter().filter(|record| record.verdict() == verdict).count();
        let tile = |number: usize, verdict: Verdict, means: &str| {
            format!("<li class=\"{}\"><b>{number}</b> {means}</li>\n", verdict.word())
        };
        let missing = match self.missing {
            [] => String::new(),
            ids => {
                format!("<p class=\"failure\">There is no entry yet for {}.</p>\n", escape(&ids.join(", ")))
            }
        };
        format!(
            "<header>\n<h1>Linear learning machines: the claims, run</h1>\n\
             <p class=\"lead\">Five texts teach how machines learn to draw a line between things, and what may be expected of them. \
             Every algorithm, theorem, worked example and figure in them is a claim. Here each claim is run by a \
             program, and what came out stands beside what was said.</p>\n\
             <ul class=\"tiles\">\n{holds}{errata}{fails}</ul>\n{missing}\
             <details class=\"reading\">\n<summary>How to read this page</summary>\n\
             <p>Each entry says what is claimed and where, the matter in plain words, the formulas, what was run, and the numbers: \
             what the source says (<i>claimed</i>) beside what came out (<i>measured</i>). “≤ 1e−9” claims that a number is at \
             most 0.000000001; “3 ± 0.1” that it is 3 up to 0.1, and “off by” says how near it came.</p>\n\
             <p>{badge_holds}: every number agrees with the claim. {badge_erratum}: the source is wrong in a point; it is said what \
             is true, with a computed proof, and the other numbers agree. {badge_fails}: a number disagrees.</p>\n\
             <p>Random numbers are made from the seed that is printed with each entry, so that every run measures the same. Only times \
             differ. Words that may be new stand <a href=\"#words\">at the end</a>.</p>\n</details>\n\
             <p class=\"small\">{count} run on {date} with version {version} in {seconds:.0} s. \
             To run it yourself: <code>cargo xtask reproduce</code>. The same, for programs: <a href=\"report.json\">report.json</a>.</p>\n\
             </header>\n",
            holds = tile(count(Verdict::Holds), Verdict::Holds, "hold"),
            errata = tile(count(Verdict::Erratum), Verdict::Erratum, "hold with an erratum"),
            fails = tile(count(Verdict::Fails), Verdict::Fails, "fail"),
            badge_holds = badge(Verdict::Holds),
            badge_erratum = badge(Verdict::Erratum),
            badge_fails = badge(Verdict::Fails),
            count = summary::counted(self.records.len()),
            date = escape(self.date),
            version = env!("CARGO_PKG_VERSION"),
        )
    }

    /// The contents, with the search.
    fn contents(&self) -> String {
        let mut text = String::from(
            "<nav aria-label=\"Contents\">\n<input type=\"search\" id=\"search\" placeholder=\"Search: margin, ridge, C09 …\" \
             aria-label=\"Search the entries\">\n<p id=\"found\" class=\"small\" hidden></p>\n\
             <details id=\"contents\">\n<summary>Contents</summary>\n",
        );
        for source in &SOURCES {
            let lines: String = self.of(source).map(line).collect();
            if !lines.is_empty() {
                text += &format!(
                    "<h2><a href=\"#{letter}\">{letter} · {title}</a></h2>\n<ol>\n{lines}</ol>\n",
                    letter = source.letter,
                    title = escape(source.title)
                );
            }
        }
        text + "<h2><a href=\"#words\">Words</a></h2>\n</details>\n</nav>\n"
    }

    /// Everything about a source; nothing, if none of its claims ran.
    fn chapter(&self, source: &Source) -> String {
        let sections: String = self.of(source).map(|record| section::html(record, self.links)).collect();
        if sections.is_empty() {
            return String::new();
        }
        format!(
            "<section class=\"chapter\" id=\"{letter}\">\n<h2>{letter} · {title}</h2>\n<p class=\"lead\">{what}</p>\n\
             {sections}</section>\n",
            letter = source.letter,
            title = escape(source.title),
            what = escape(source.what),
        )
    }
}

/// One line of the contents.
fn line(record: &Record<'_>) -> String {
    format!(
        "<li><a href=\"#{id}\"><b>{id}</b> <span>{title}</span> <i class=\"{word}\" title=\"{word}\">{sign}</i></a></li>\n",
        id = record.entry.id,
        title = escape(title(record)),
        word = record.verdict().word(),
        sign = sign(record.verdict()),
    )
}

/// The title of a claim; what it says, where it has none.
fn title<'a>(record: &Record<'a>) -> &'a str {
    matter::of(record.entry.id).map_or(record.entry.claim, |matter| matter.title)
}

/// The sign of a verdict.
fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "✓",
        Verdict::Erratum => "≠",
        Verdict::Fails => "✗",
    }
}

/// A verdict as a sign and a word: neither needs colour to be told apart.
fn badge(verdict: Verdict) -> String {
    format!("<span class=\"badge {word}\">{sign} {word}</span>", word = verdict.word(), sign = sign(verdict))
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

    fn page() -> String {
        let records = sample::records();
        let book =
            Book { records: &records, missing: &["A02"], date: "2000-01-01", links: &Links::default() };
        book.html()
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("<a href=\"x\">&'</a>"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;&lt;/a&gt;");
        let page = page();
        assert!(page.contains("Seven is &lt;seven&gt;, and a half &amp; a half are one."));
        assert!(page.contains("A &quot;dot&quot; &amp; nothing else."));
        assert!(!page.contains("<seven>"));
    }

    #[test]
    fn every_entry_is_in_the_contents_and_on_the_page() {
        let page = page();
        for entry in sample::ENTRIES {
            assert!(page.contains(&format!("href=\"#{}\"", entry.id)), "{}", entry.id);
            assert!(page.contains(&format!("<section class=\"entry\" id=\"{}\"", entry.id)), "{}", entry.id);
        }
        assert!(page.contains("panicked: index 3 is out of range"));
        assert!(page.contains("<dd>66 terms</dd>"));
        assert!(page.contains("no entry yet for A02"));
    }

    #[test]
    fn the_page_needs_no_network() {
        let page = page();
        for outside in ["<link", "src=", "@import", "url(", "fetch(", "XMLHttp", "import("] {
            assert!(!page.contains(outside), "{outside}");
        }
        // The only addresses are names of places on the page, of files beside it, and the names of two languages.
        for address in page.split("http").skip(1).map(|rest| rest.split('"').next().unwrap_or("")) {
            assert!(["://www.w3.org/2000/svg"].contains(&address), "{address}");
        }
    }

    #[test]
    fn every_element_that_is_opened_is_closed() {
        let page = page();
        for element in [
            "section", "details", "table", "figure", "dl", "ul", "ol", "nav", "main", "header", "div",
            "footer",
        ] {
            let opened =
                page.matches(&format!("<{element}>")).count() + page.matches(&format!("<{element} ")).count();
            assert_eq!(opened, page.matches(&format!("</{element}>")).count(), "{element}");
        }
    }
}
