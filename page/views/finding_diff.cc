#include "page/views/finding_diff.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "page/html/table.h"
#include "page/words/words.h"

namespace gprofhub::page {
namespace {

// Longer diffs are not shown: they are unreadable.
constexpr size_t kMostLines = 400;

Html LineNumber(uint32_t line) { return line == 0 ? Html() : Html(absl::StrCat(line)); }

Row RowOf(const DiffLine& line, const FindingDiff& diff) {
  const bool is_here = diff.line != 0 && diff.line == (diff.is_head ? line.after : line.before);
  Row row;
  std::string sign = " ";
  switch (line.kind) {
    case DiffLine::Kind::kKept:
      break;
    case DiffLine::Kind::kRemoved:
      row.css_class = "removed";
      sign = "−";
      break;
    case DiffLine::Kind::kAdded:
      row.css_class = "added";
      sign = "+";
      break;
  }
  if (is_here) absl::StrAppend(&row.css_class, " here");
  row.cells = {LineNumber(line.before), LineNumber(line.after), Html(sign),
               El("code", {{"class", "line"}},
                  Html::Lines(absl::StrReplaceAll(line.text, {{"\t", "        "}, {"\r", ""}})))};
  return row;
}

Html HunksTable(const std::string& caption, const std::vector<DiffHunk>& hunks,
                const FindingDiff& diff) {
  std::vector<Row> rows;
  size_t left_out = 0;
  for (const DiffHunk& hunk : hunks) {
    if (!rows.empty() && rows.size() < kMostLines) {
      rows.push_back({{Html("…"), Html("…"), Html(), Html()}, "", "between"});
    }
    for (const DiffLine& line : hunk) {
      if (rows.size() < kMostLines) {
        rows.push_back(RowOf(line, diff));
      } else {
        ++left_out;
      }
    }
  }
  const Html table = El(
      "div", {{"class", "diff"}},
      Table(
          caption,
          {{"Before", true}, {"After", true}, {"±", false, "+ was added, − was removed"}, {"Line"}},
          rows));
  if (left_out == 0) return table;
  return Join(
      {table, El("p", {{"class", "about"}}, Html(absl::StrCat("And ", left_out, " more lines.")))});
}

std::string Places(size_t count) {
  return count == 1 ? "1 other place of the file changed"
                    : absl::StrCat(count, " other places of the file changed");
}

}  // namespace

Html FindingDiffView(const Context& context, const v1::Compared& compared,
                     const v1::Finding& finding, const FindingDiff& diff) {
  if (diff.file.empty() || !diff.is_read) return "";
  const std::string& blamed =
      finding.caller().empty() ? finding.function_display() : finding.caller_display();
  const Html title = El("h2", {}, "What changed there");
  const Html between =
      El("p", {{"class", "about"}},
         {PlaceOf(context.links, diff.is_head ? compared.head().commit() : compared.base().commit(),
                  diff.file, diff.line),
          Html(" from "), CommitOf(context.links, compared.base().commit()), Html(" to "),
          CommitOf(context.links, compared.head().commit())});
  if (!diff.problem.empty()) {
    return Join({title, between, El("p", {{"class", "note"}}, Html(diff.problem))});
  }
  if (diff.own.empty() && diff.others.empty()) {
    return Join(
        {title, between, El("p", {{"class", "note"}}, "The file is the same in both commits.")});
  }
  const Html own = diff.own.empty()
                       ? El("p", {{"class", "note"}},
                            {Html("No line of "), FunctionCode(blamed), Html(" changed.")})
                       : HunksTable("Changed lines of the function", diff.own, diff);
  const Html others =
      diff.others.empty()
          ? Html()
          : El("details", {},
               {El("summary", {}, Html(Places(diff.others.size()))),
                HunksTable("Changed lines of the rest of the file", diff.others, diff)});
  return Join({title, between, own, others});
}

}  // namespace gprofhub::page
