// A report as the comment that a pull request gets.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"
#include "reporter/rendering/function_rows.h"

namespace gprofhub::reporter {

struct MarkdownOptions {
  // Goes into the hidden first line by which the comment is found again.
  std::string project = "default";
  // GitHub refuses bodies above 65,536.
  size_t max_bytes = 65000;
  // What else is to be said of a cause: that it fails the check, or whose it is. Markdown, about a
  // line. May be empty.
  std::function<std::string(const FunctionRow&)> remark;
  // Stands below the causes that are shown: what the check says and where the rest is. Markdown of
  // at most eight lines of the screen, with its line end. May be empty.
  std::function<std::string(const std::vector<const FunctionRow*>&)> closing;
  // Below the screen, folded: pictures of the causes that are shown. Markdown with its line end.
  // May be empty.
  std::function<std::string(const std::vector<const FunctionRow*>&)> pictures;
  // Whether the rest stands elsewhere, so that nothing is folded below.
  bool only_screen = false;
};

// The hidden first line of a project's comment, without line end.
std::string CommentMarker(absl::string_view project);

// GitHub-flavoured Markdown of at most max_bytes: marker, verdict, at most three causes, one line
// on what else there is, the closing. That is the first screen: it takes at most kScreenLines
// lines. Below it pictures and a few lines are folded. Names from profiles stand in code spans and
// nowhere else, so that nothing in them is markup.
std::string RenderMarkdown(const v1::Report& report, const MarkdownOptions& options);

}  // namespace gprofhub::reporter
