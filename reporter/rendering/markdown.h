// A report as the comment that a pull request gets.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

struct MarkdownOptions {
  // Goes into the hidden first line by which the comment is found again.
  std::string project = "default";
  // GitHub refuses bodies above 65,536.
  size_t max_bytes = 65000;
};

// The hidden first line of a project's comment, without line end.
std::string CommentMarker(absl::string_view project);

// GitHub-flavoured Markdown of at most max_bytes: marker, verdict, a table of
// at most five changes, and the rest folded. What is least important is cut
// first, and said to be cut. Names from profiles stand in code spans and
// nowhere else, so that nothing in them is markup.
std::string RenderMarkdown(const v1::Report& report, const MarkdownOptions& options);

}  // namespace gprofhub::reporter
