#include "analyzer/linker_files/test_code.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "base/glob.h"
#include "profile/names/demangle.h"

namespace gprofhub::analyzer {
namespace {

// Namespaces and methods in linkage names, also as arguments of other libraries' templates.
constexpr absl::string_view kFrameworks[] = {
    "N7testing",         "NK7testing",         "N5Catch",     "NK5Catch", "N7doctest", "NK7doctest",
    "N5boost9unit_test", "NK5boost9unit_test", "8TestBodyEv",
};
constexpr absl::string_view kTestFiles[] = {"_test", "_tests", "_unittest"};

bool IsTestFile(absl::string_view file) {
  file.remove_prefix(std::min(file.size(), file.rfind('/') + 1));
  const absl::string_view stem = file.substr(0, file.find('.'));
  return std::any_of(std::begin(kTestFiles), std::end(kTestFiles),
                     [&](absl::string_view ending) { return absl::EndsWith(stem, ending); });
}

bool IsFramework(absl::string_view name) {
  return absl::StartsWith(name, "_Z") &&
         std::any_of(std::begin(kFrameworks), std::end(kFrameworks),
                     [&](absl::string_view part) { return absl::StrContains(name, part); });
}

bool Matches(absl::string_view text, absl::Span<const std::string> patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return base::GlobMatches(pattern, text); });
}

}  // namespace

bool MatchesPattern(absl::string_view linkage_name, absl::Span<const std::string> patterns) {
  if (patterns.empty()) return false;
  if (Matches(linkage_name, patterns)) return true;
  const std::string readable = profile::Demangle(linkage_name);
  return Matches(readable, patterns) || Matches(readable.substr(0, readable.find('(')), patterns);
}

std::vector<bool> ExcludedFunctions(const profile::ComputedProfile& profile,
                                    const ExcludeOptions& options) {
  std::vector<bool> excluded;
  excluded.reserve(profile.functions.size());
  for (const profile::FunctionCost& function : profile.functions) {
    const absl::string_view name = profile.strings[function.name];
    const absl::string_view file = profile.strings[function.file];
    excluded.push_back((options.tests && (IsFramework(name) || IsTestFile(file))) ||
                       MatchesPattern(name, options.patterns) || Matches(file, options.patterns));
  }
  return excluded;
}

}  // namespace gprofhub::analyzer
