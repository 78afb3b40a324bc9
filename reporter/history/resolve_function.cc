#include "reporter/history/resolve_function.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "profile/codec/series.h"
#include "profile/names/demangle.h"
#include "profile/names/short_name.h"
#include "reporter/comparison/test_files.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kCandidatesListed = 10;

// Data of the functions with one linkage name.
struct Known {
  std::string linkage, display;  // printable; `display` is set by AddDisplays
  std::set<uint64_t> hashes;
  bool is_test = true;  // all of its files are test files
  double samples = 0;   // total
  uint64_t calls = 0;
};

using KnownByName = std::map<std::string, Known>;  // by linkage name

KnownByName KnownFunctions(const std::vector<profile::ComputedProfile>& profiles) {
  KnownByName functions;
  for (const profile::ComputedProfile& profile : profiles) {
    for (const profile::FunctionCost& function : profile.functions) {
      const absl::string_view name = profile.strings[function.name];
      const absl::string_view file = profile.strings[function.file];
      const auto [entry, inserted] = functions.try_emplace(std::string(name));
      Known& known = entry->second;
      if (inserted) {
        known.linkage = base::Printable(name);
      }
      known.hashes.insert(profile::FunctionHash(name, function.is_static ? file : ""));
      known.is_test = known.is_test && IsTestFile(file);
      known.samples += function.self_samples + function.child_samples;
      known.calls += function.calls;
    }
  }
  return functions;
}

// Demangling takes most of the time, and is not needed to resolve a linkage name.
void AddDisplays(KnownByName& functions) {
  for (auto& [name, known] : functions) known.display = base::Printable(profile::Demangle(name));
}

absl::string_view WithoutParameters(absl::string_view display) {
  // The operator's name may contain the parenthesis: operator()(int).
  size_t from = display.find("operator()");
  from = from == absl::string_view::npos ? 0 : from + 10;
  return display.substr(0, display.find('(', from));
}

// Whether the function's unqualified name is `text`.
bool IsCalled(const std::string& linkage, absl::string_view text) {
  std::string name = base::Printable(profile::DemangleWithoutParameters(linkage));
  if (absl::EndsWith(name, ">") && !absl::EndsWith(text, ">")) {
    // Skips template arguments: back to the opening bracket.
    size_t open = name.size(), depth = 0;
    do {
      --open;
      depth += name[open] == '>' ? 1 : 0;
      depth -= name[open] == '<' ? 1 : 0;
    } while (depth > 0 && open > 0);
    name.resize(open);
  }
  return name == text || absl::EndsWith(name, absl::StrCat("::", text));
}

absl::Status Ambiguous(absl::string_view text,
                       const std::vector<KnownByName::const_pointer>& candidates) {
  using Rank = std::tuple<bool, bool, double, int64_t>;
  std::vector<std::pair<Rank, absl::string_view>> ranked;
  for (const auto* candidate : candidates) {
    const auto& [linkage, known] = *candidate;
    ranked.push_back({{!IsCalled(linkage, text), known.is_test, -known.samples,
                       -static_cast<int64_t>(known.calls)},
                      known.display});
  }
  std::sort(ranked.begin(), ranked.end());
  std::string message = absl::StrCat(
      "function \"", text, "\" is ambiguous: ", candidates.size(),
      " fit. Give the whole name of one, a longer part of it, or a --target; the likeliest are\n");
  for (size_t i = 0; i < std::min(ranked.size(), kCandidatesListed); ++i) {
    absl::StrAppend(&message, "  ", profile::ShortName(ranked[i].second, 160), "\n");
  }
  if (ranked.size() > kCandidatesListed) {
    absl::StrAppend(&message, "  … and ", ranked.size() - kCandidatesListed, " more\n");
  }
  message.pop_back();
  return absl::InvalidArgumentError(message);
}

}  // namespace

absl::StatusOr<SeriesIdentity> ResolveFunction(
    const std::vector<profile::ComputedProfile>& profiles, absl::string_view text) {
  if (text.empty()) return absl::InvalidArgumentError("function: the name is empty");
  KnownByName functions = KnownFunctions(profiles);
  // Compared in the printable form, which people copy from reports.
  const std::string wanted = base::Printable(text);
  const std::vector<std::function<bool(const Known&)>> ways = {
      [&](const Known& known) { return known.linkage == wanted; },
      [&](const Known& known) { return known.display == wanted; },
      [&](const Known& known) { return WithoutParameters(known.display) == wanted; },
      [&](const Known& known) {
        return absl::StrContains(known.display, wanted) || absl::StrContains(known.linkage, wanted);
      },
  };
  for (const auto& fits : ways) {
    if (&fits == &ways[1]) AddDisplays(functions);
    std::vector<KnownByName::const_pointer> candidates;
    for (const auto& entry : functions) {
      if (fits(entry.second)) candidates.push_back(&entry);
    }
    if (candidates.size() > 1) {
      AddDisplays(functions);
      return Ambiguous(wanted, candidates);
    }
    if (candidates.size() == 1) {
      return SeriesIdentity{candidates[0]->first, candidates[0]->second.hashes};
    }
  }
  return absl::NotFoundError(
      absl::StrCat("no function is called \"", wanted, "\" or has that in its name"));
}

void AddHashes(const profile::ComputedProfile& profile, SeriesIdentity& identity) {
  for (const profile::FunctionCost& function : profile.functions) {
    const absl::string_view name = profile.strings[function.name];
    if (name != identity.function) continue;
    identity.hashes.insert(
        profile::FunctionHash(name, function.is_static ? profile.strings[function.file] : ""));
  }
}

}  // namespace gprofhub::reporter
