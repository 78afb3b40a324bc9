#include "analyzer/ordering/linker_files.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/glob.h"
#include "base/status_macros.h"
#include "profile/demangle.h"
#include "profile/names.h"

namespace gprofhub::analyzer {

namespace {

absl::string_view FunctionOf(absl::string_view name) {
  return profile::WithoutCloneSuffixes(name, profile::CloneKinds::kCopies);
}

}  // namespace

std::vector<std::string> WithClones(absl::Span<const std::string> names,
                                    absl::Span<const std::string> in_binary) {
  absl::flat_hash_set<absl::string_view> known(names.begin(), names.end());
  std::vector<std::string> sorted(in_binary.begin(), in_binary.end());
  std::sort(sorted.begin(), sorted.end());
  absl::flat_hash_map<absl::string_view, std::vector<absl::string_view>> clones;
  for (const std::string& name : sorted) {
    const absl::string_view function = FunctionOf(name);
    if (function != name) clones[function].push_back(name);
  }
  std::vector<std::string> result;
  for (const std::string& name : names) {
    result.push_back(name);
    const absl::string_view function = FunctionOf(name);
    if (known.insert(function).second) result.emplace_back(function);
    const auto found = clones.find(function);
    if (found == clones.end()) continue;
    for (const absl::string_view clone : found->second) {
      if (known.insert(clone).second) result.emplace_back(clone);
    }
  }
  return result;
}

namespace {

absl::Status Malformed(absl::string_view path, size_t line, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      "unable to parse mapping file ", path, ": line ", line, " ", what,
      "; create the file with `nm --extern-only --defined-only -v --print-file-name *.o`"));
}

}  // namespace

absl::StatusOr<std::vector<MappedFunction>> ParseFileMap(absl::string_view text,
                                                         absl::string_view path) {
  std::vector<MappedFunction> map;
  size_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty()) continue;
    const size_t colon = line.find(':');
    if (colon == absl::string_view::npos) {
      return Malformed(path, number, "has no colon after the name of an object file");
    }
    const absl::string_view rest = line.substr(colon + 1);
    const size_t blank = rest.rfind(' ');
    if (blank == absl::string_view::npos) {
      return Malformed(path, number, "has no function name after an address and a letter");
    }
    const bool is_used = absl::EndsWith(absl::StripTrailingAsciiWhitespace(rest.substr(0, blank)),
                                        absl::string_view("U"));
    map.push_back(
        {std::string(line.substr(0, colon)), std::string(rest.substr(blank + 1)), !is_used});
  }
  if (map.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("unable to parse mapping file ", path, ": the file is empty"));
  }
  return map;
}

std::vector<profile::FunctionSymbol> MergeIntoFiles(
    const std::vector<MappedFunction>& map, std::vector<profile::FunctionSymbol> functions) {
  absl::flat_hash_map<absl::string_view, absl::string_view> files;
  for (const MappedFunction& entry : map) {
    if (entry.is_defined) files.try_emplace(entry.function, entry.file);
  }
  std::vector<profile::FunctionSymbol> merged;
  absl::string_view previous;
  for (profile::FunctionSymbol& function : functions) {
    const auto found = files.find(function.name);
    if (found == files.end()) {
      previous = {};
      merged.push_back(std::move(function));
      continue;
    }
    if (found->second == previous) continue;
    previous = found->second;
    function.name = std::string(previous);
    function.is_local = false;  // rules for names of local functions do not apply to files
    merged.push_back(std::move(function));
  }
  return merged;
}

std::vector<std::string> OrderFiles(const std::vector<MappedFunction>& map,
                                    const std::vector<absl::string_view>& rows) {
  absl::flat_hash_set<absl::string_view> unlisted;
  for (const MappedFunction& entry : map) unlisted.insert(entry.file);
  std::vector<std::string> order;
  const auto list = [&](absl::string_view file) {
    if (unlisted.erase(file) != 0) order.emplace_back(file);
  };
  for (const absl::string_view row : rows) list(row);
  for (const MappedFunction& entry : map) list(entry.file);
  return order;
}

bool CanBePlaced(absl::string_view name) {
  // The sections .init and .fini are fixed; samples in the stubs behind _init are attributed to
  // _init.
  if (name == "_init" || name == "_fini") return false;
  return !name.empty() && name.front() != '#' && name.front() != '[' &&
         name.find_first_of("\r\n\t \"'*?[]{};\\") == absl::string_view::npos;
}

std::vector<std::string> NamesInOrder(const OrderingGraph& graph,
                                      absl::Span<const uint32_t> order) {
  std::vector<std::string> names;
  absl::flat_hash_set<absl::string_view> seen;
  for (const uint32_t row : order) {
    const std::string& name = graph.functions[row].name;
    if (CanBePlaced(name) && seen.insert(name).second) names.push_back(name);
  }
  return WithClones(names, {});
}

std::string FormatSymbolFile(absl::Span<const std::string> names) {
  std::string text = absl::StrCat(kSymbolFileHeader, ": ", names.size(),
                                  " functions; link with lld --symbol-ordering-file, after "
                                  "compiling with -ffunction-sections\n");
  for (const std::string& name : names) absl::StrAppend(&text, name, "\n");
  return text;
}

std::string FormatCallGraphFile(const OrderingGraph& graph) {
  std::string text;
  for (const OrderingCalls& calls : CallsByPair(graph)) {
    const std::string& from = graph.functions[calls.caller].name;
    const std::string& to = graph.functions[calls.callee].name;
    if (CanBePlaced(from) && CanBePlaced(to)) {
      absl::StrAppend(&text, from, " ", to, " ", calls.count, "\n");
    }
  }
  return text;
}

std::vector<std::string> ParseSymbolFile(absl::string_view text) {
  std::vector<std::string> names;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const absl::string_view name = absl::StripAsciiWhitespace(line);
    if (!name.empty() && name.front() != '#') names.emplace_back(name);
  }
  return names;
}

profile::SymbolTable ProgramOfNames(const profile::SampledStacks& stacks) {
  std::vector<std::string> names = stacks.functions;
  std::sort(names.begin(), names.end());
  profile::SymbolTable program;
  program.image_name = "a program";
  for (const std::string& name : names) {
    if (!CanBePlaced(name) || absl::StrContains(name, '(')) continue;
    profile::FunctionSymbol symbol;
    symbol.name = name;
    symbol.address = 2 * (program.functions.size() + 1);
    symbol.size = 1;
    symbol.is_function = true;
    program.functions.push_back(symbol);
  }
  program.text_low = 2;
  program.text_high = 2 * (program.functions.size() + 1);
  return program;
}

namespace {

constexpr size_t kNoIndex = SIZE_MAX;

// gcc's name for the part of a function that seldom runs.
constexpr absl::string_view kColdSuffix = ".cold";

// Indices of a longest non-decreasing subsequence.
std::vector<size_t> LongestRising(const std::vector<size_t>& values) {
  std::vector<size_t> last;  // by length - 1: index of the smallest last element
  std::vector<size_t> before(values.size(), kNoIndex);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto at = std::upper_bound(last.begin(), last.end(), values[i],
                                     [&](size_t value, size_t j) { return value < values[j]; });
    if (at != last.begin()) before[i] = *(at - 1);
    if (at == last.end()) {
      last.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<size_t> result;
  for (size_t i = last.empty() ? kNoIndex : last.back(); i != kNoIndex; i = before[i]) {
    result.push_back(i);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace

Placement CheckPlacement(const profile::SymbolTable& binary, absl::Span<const std::string> names) {
  Placement placement;
  absl::flat_hash_map<absl::string_view, size_t> ranks;
  for (const std::string& name : names) {
    if (CanBePlaced(name) && !absl::EndsWith(name, kColdSuffix)) {
      ranks.try_emplace(name, ranks.size());
    }
  }
  placement.asked = ranks.size();

  struct Entry {
    size_t rank = kNoIndex;
    uint64_t size = 0;
  };
  std::map<uint64_t, Entry> entries;  // by address
  absl::flat_hash_map<absl::string_view, std::vector<uint64_t>> addresses;
  for (const profile::FunctionSymbol& symbol : binary.functions) {
    if (!symbol.is_function || symbol.size == 0) continue;
    Entry& entry = entries[symbol.address];
    entry.size = std::max(entry.size, symbol.size);
    const auto rank = ranks.find(symbol.name);
    if (rank == ranks.end()) continue;
    entry.rank = std::min(entry.rank, rank->second);
    addresses[rank->first].push_back(symbol.address);
  }
  placement.present = addresses.size();

  std::vector<uint64_t> at;
  std::vector<size_t> sequence;
  for (const auto& [address, entry] : entries) {
    if (entry.rank == kNoIndex) continue;
    at.push_back(address);
    sequence.push_back(entry.rank);
  }
  absl::flat_hash_set<uint64_t> standing;
  const std::vector<size_t> rising = LongestRising(sequence);
  for (const size_t i : rising) standing.insert(at[i]);
  for (const std::string& name : names) {
    const auto present = addresses.find(name);
    if (present == addresses.end()) continue;
    const bool placed = std::all_of(present->second.begin(), present->second.end(),
                                    [&](uint64_t address) { return standing.contains(address); });
    if (placed) {
      ++placement.placed;
    } else {
      placement.missed.push_back(name);
    }
    addresses.erase(present);  // a name may occur in the ordering twice
  }
  if (rising.empty()) return placement;
  const uint64_t first = at[rising.front()];
  const uint64_t last = at[rising.back()];
  for (auto entry = entries.find(first); entry != entries.end() && entry->first <= last; ++entry) {
    if (entry->second.rank == kNoIndex) ++placement.strangers;
  }
  placement.span = last - first + entries[last].size;
  return placement;
}

namespace {

// The name itself, and with each C1 (D1) in the place of C2 (D2) and the other
// way round. Other text of this form gives names that no section has.
std::vector<std::string> Variants(absl::string_view name) {
  std::vector<std::string> variants = {std::string(name)};
  if (!absl::StartsWith(name, "_Z")) return variants;
  for (size_t i = 2; i + 2 < name.size(); ++i) {
    if ((name[i] != 'C' && name[i] != 'D') || (name[i + 1] != '1' && name[i + 1] != '2') ||
        (name[i + 2] != 'E' && name[i + 2] != 'I')) {
      continue;
    }
    std::string variant(name);
    variant[i + 1] = name[i + 1] == '1' ? '2' : '1';
    variants.push_back(std::move(variant));
  }
  return variants;
}

void ForEachSection(absl::Span<const std::string> names, absl::flat_hash_set<std::string> split,
                    const std::function<void(const std::string&)>& visit) {
  // A cold part with a place of its own was split off.
  for (absl::string_view name : names) {
    if (absl::ConsumeSuffix(&name, kColdSuffix)) split.emplace(name);
  }
  absl::flat_hash_set<std::string> seen;
  for (const std::string& name : names) {
    if (!CanBePlaced(name)) continue;
    for (const std::string& section : SectionsOf(name, split)) {
      if (seen.insert(section).second) visit(section);
    }
  }
}

}  // namespace

std::vector<std::string> SectionsOf(absl::string_view name,
                                    const absl::flat_hash_set<std::string>& split) {
  std::vector<std::string> sections;
  const bool is_cold_part = absl::ConsumeSuffix(&name, kColdSuffix);
  for (const std::string& variant : Variants(name)) {
    if (!is_cold_part) {
      for (const char* prefix : {".text.", ".text.hot.", ".text.startup.", ".text.exit."}) {
        sections.push_back(absl::StrCat(prefix, variant));
      }
    }
    if (is_cold_part || !split.contains(variant)) {
      sections.push_back(absl::StrCat(".text.unlikely.", variant));
    }
  }
  return sections;
}

std::string FormatGoldSections(absl::Span<const std::string> names,
                               const absl::flat_hash_set<std::string>& split) {
  std::string text;
  ForEachSection(names, split,
                 [&](const std::string& section) { absl::StrAppend(&text, section, "\n"); });
  return text;
}

std::string FormatLinkerScript(absl::Span<const std::string> names,
                               const absl::flat_hash_set<std::string>& split) {
  std::string text =
      "/* gprofhub function ordering: link with ld.bfd -T THIS_FILE, after compiling with\n"
      "   -ffunction-sections. The default script stays in force. */\n"
      "SECTIONS\n{\n  .text.ordered :\n  {\n";
  ForEachSection(names, split, [&](const std::string& section) {
    absl::StrAppend(&text, "    *(", section, ")\n");
  });
  absl::StrAppend(&text, "  }\n}\nINSERT BEFORE .text;\n");
  return text;
}

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

namespace {

// Linkage name, readable name with and without parameters, and file.
constexpr uint64_t kTextsOfFunction = 4;

absl::Status TakeWork(const ExcludeOptions& options, absl::string_view name, absl::string_view file,
                      MatchingLimit& limit) {
  uint64_t work = 0;
  for (const std::string& pattern : options.patterns) {
    work +=
        kTextsOfFunction + kTextsOfFunction * pattern.size() * (name.size() + file.size()) / 256;
  }
  if (work > limit.left) {
    return absl::InvalidArgumentError(absl::StrCat(
        "exclude: ", options.patterns.size(),
        " patterns are too many for the functions of these runs; pass fewer or shorter ones"));
  }
  limit.left -= work;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<bool>> ExcludedFunctions(const profile::ComputedProfile& profile,
                                                    const ExcludeOptions& options,
                                                    MatchingLimit& limit) {
  // A thousand patterns take about a millisecond for 16 functions.
  constexpr size_t kFunctionsAtOnce = 16;
  std::vector<bool> excluded;
  excluded.reserve(profile.functions.size());
  for (const profile::FunctionCost& function : profile.functions) {
    const absl::string_view name = profile.strings[function.name];
    const absl::string_view file = profile.strings[function.file];
    if (excluded.size() % kFunctionsAtOnce == 0) RETURN_IF_ERROR(limit.decoding.CheckWanted());
    RETURN_IF_ERROR(TakeWork(options, name, file, limit));
    excluded.push_back((options.tests && (IsFramework(name) || IsTestFile(file))) ||
                       MatchesPattern(name, options.patterns) || Matches(file, options.patterns));
  }
  return excluded;
}

}  // namespace gprofhub::analyzer
