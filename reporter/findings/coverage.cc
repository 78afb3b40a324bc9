#include "reporter/findings/coverage.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace gprofhub::reporter {
namespace {

// Tests that the report covers or lists as not compared.
size_t TestsOf(const v1::Compared& compared) {
  return static_cast<size_t>(compared.targets_size()) +
         static_cast<size_t>(compared.unchanged_targets_size()) +
         static_cast<size_t>(compared.not_compared_size());
}

}  // namespace

std::string NotComparedWords(size_t not_compared, size_t tests) {
  if (not_compared == 0) return "";
  if (tests == 1) return "the test could not be compared";
  if (not_compared == tests) return absl::StrCat("none of the ", tests, " tests could be compared");
  return absl::StrCat(not_compared, " of ", tests, " tests ", not_compared == 1 ? "was" : "were",
                      " not compared");
}

std::string NotComparedWords(const v1::Compared& compared) {
  return NotComparedWords(static_cast<size_t>(compared.not_compared_size()), TestsOf(compared));
}

std::string NothingComparedWords(const v1::Compared& compared) {
  if (compared.targets_size() > 0) return "";
  if (compared.unchanged_targets_size() == 0) {
    if (compared.not_compared_size() > 0) return NotComparedWords(compared);
    return compared.new_targets_size() + compared.vanished_targets_size() > 0
               ? "no test is on both sides"
               : "";
  }
  if (compared.not_compared_size() == 0) return "the binary of every test is the base's";
  return absl::StrCat("the binaries of the other tests are the base's; ",
                      NotComparedWords(compared));
}

std::vector<std::pair<std::string, std::vector<std::string>>> NotComparedByReason(
    const v1::Compared& compared) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const v1::NotCompared& one : compared.not_compared()) {
    auto found = std::find_if(reasons.begin(), reasons.end(),
                              [&](const auto& known) { return known.first == one.reason(); });
    if (found == reasons.end()) found = reasons.insert(found, {one.reason(), {}});
    found->second.push_back(one.target());
  }
  return reasons;
}

}  // namespace gprofhub::reporter
