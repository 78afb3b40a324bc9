// Renders a report as a pull request comment.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"
#include "reporter/findings/function_rows.h"

namespace gprofhub::reporter {

struct MarkdownOptions {
  // Part of the hidden first line by which the comment is identified.
  std::string project = "default";
  // GitHub rejects bodies above 65,536.
  size_t max_bytes = 65000;
  // Returns an additional remark about a cause: that it fails the check, or its owners. Markdown,
  // about one line. May be empty.
  std::function<std::string(const FunctionRow&)> remark;
  // Returns the text below the shown causes: the check's result and a link to the full report.
  // Markdown of at most eight screen lines, with its line end. May be empty.
  std::function<std::string(const std::vector<const FunctionRow*>&)> closing;
  // Returns the folded pictures of the shown causes. Markdown with its line end. May be empty.
  std::function<std::string(const std::vector<const FunctionRow*>&)> pictures;
  // Omits the folded parts, if they are published elsewhere.
  bool only_screen = false;
};

// The hidden first line of a project's comment, without line end.
std::string CommentMarker(absl::string_view project);

// GitHub-flavoured Markdown of at most max_bytes: marker, verdict, at most three causes, one line
// that summarises the rest, the closing. That is the first screen: it takes at most kScreenLines
// lines. Pictures and a few lines are folded below it. Names from profiles appear only in code
// spans, so that they cannot become markup.
std::string RenderMarkdown(const v1::Report& report, const MarkdownOptions& options);

// A report as text for a terminal or a log.

struct TextOptions {
  bool color = false;  // ANSI colours: only for a terminal
  // Lists every row. Otherwise lists the most important causes, at most three and at most a screen
  // (kScreenLines), and counts everything else.
  bool all = false;
};

// Names from profiles are made printable: their control characters do not reach the terminal.
std::string RenderText(const v1::Report& report, const TextOptions& options);

}  // namespace gprofhub::reporter
