#include "analyzer/linker_files/file_map.h"

#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gprofhub::analyzer {
namespace {

absl::Status Malformed(absl::string_view path, size_t line, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("unable to parse mapping file ", path, ": line ", line, " ", what,
                   "; `nm --extern-only --defined-only -v --print-file-name *.o` makes one"));
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
      return Malformed(path, number, "has no colon after an object file's name");
    }
    const absl::string_view rest = line.substr(colon + 1);
    const size_t blank = rest.rfind(' ');
    if (blank == absl::string_view::npos) {
      return Malformed(path, number, "has no name of a function after an address and a letter");
    }
    const bool is_used = absl::EndsWith(absl::StripTrailingAsciiWhitespace(rest.substr(0, blank)),
                                        absl::string_view("U"));
    map.push_back(
        {std::string(line.substr(0, colon)), std::string(rest.substr(blank + 1)), !is_used});
  }
  if (map.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("unable to parse mapping file ", path, ": it has no line"));
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

}  // namespace gprofhub::analyzer
