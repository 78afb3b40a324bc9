#include "reporter/comparison/test_files.h"

#include "absl/strings/match.h"

namespace gprofhub::reporter {

bool IsTestFile(absl::string_view file) {
  const absl::string_view name = file.substr(file.rfind('/') + 1);
  const absl::string_view stem = name.substr(0, name.find('.'));
  return absl::EndsWith(stem, "_test") || absl::EndsWith(stem, "_tests") ||
         absl::EndsWith(stem, "_unittest") || absl::StartsWith(stem, "test_") ||
         absl::EndsWith(stem, "Test") || absl::StrContains(file, "/test/") ||
         absl::StrContains(file, "/tests/") || absl::StartsWith(file, "test/") ||
         absl::StartsWith(file, "tests/");
}

}  // namespace gprofhub::reporter
