(function () {
  "use strict";
  var wide = window.matchMedia("(min-width: 72rem)");
  var contents = document.getElementById("contents");
  function fit() { contents.open = wide.matches; }
  fit();
  wide.addEventListener("change", fit);
  contents.addEventListener("click", function (event) {
    if (!wide.matches && event.target.closest("a")) { contents.open = false; }
  });
  var search = document.getElementById("search");
  var found = document.getElementById("found");
  var entries = Array.from(document.querySelectorAll("section.entry")).map(function (section) {
    return {
      section: section,
      line: contents.querySelector('a[href="#' + section.id + '"]').parentNode,
      text: section.textContent.toLowerCase()
    };
  });
  search.addEventListener("input", function () {
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    var count = 0;
    entries.forEach(function (entry) {
      var hit = words.every(function (word) { return entry.text.includes(word); });
      entry.section.hidden = entry.line.hidden = !hit;
      count += hit ? 1 : 0;
    });
    document.querySelectorAll("section.chapter").forEach(function (chapter) {
      if (chapter.id !== "words") { chapter.hidden = !chapter.querySelector("section.entry:not([hidden])"); }
    });
    found.hidden = words.length === 0;
    found.textContent = count === 1 ? "1 entry" : count + " entries";
    if (words.length > 0) { contents.open = true; } else { fit(); }
  });
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("main details, header details").forEach(function (item) { item.open = true; });
  });
})();
