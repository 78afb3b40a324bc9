// Interface to the issues of a repository.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

struct Issue {
  std::string number;  // digits
  std::string body;
  bool own = false;  // by the reporter's account
};

enum class IssueState { kAsItIs, kOpen, kClosed };

// Issues with the label kLabel. Methods block; errors are RestApi's.
class Issues {
 public:
  static constexpr char kLabel[] = "gprofhub";

  virtual ~Issues() = default;

  // Open and closed ones.
  virtual absl::StatusOr<std::vector<Issue>> List() = 0;
  // Returns the new issue's number. Bodies are GitHub-flavoured Markdown with HTML comments.
  virtual absl::StatusOr<std::string> Create(absl::string_view title, absl::string_view body) = 0;
  virtual absl::Status Edit(absl::string_view number, absl::string_view title,
                            absl::string_view body, IssueState state) = 0;
};

}  // namespace gprofhub::reporter
