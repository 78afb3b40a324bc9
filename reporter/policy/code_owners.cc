#include "reporter/policy/code_owners.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kMaxBytes = 3 << 20;  // GitHub loads no larger file
constexpr size_t kMaxEntries = 20000;
constexpr size_t kMaxPattern = 255;
constexpr size_t kMaxOwners = 20;
constexpr size_t kMaxOwnerBytes = 100;
constexpr size_t kMaxNames = 64;  // of a path

bool IsOwner(absl::string_view word) {
  if (word.size() < 2 || word.size() > kMaxOwnerBytes) return false;
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return absl::ascii_isalnum(c) || absl::StrContains("@/._+-", c);
  });
  return plain && absl::StrContains(word, "@") && word.back() != '@';
}

// Removes and returns the first word of the line, up to an unescaped blank.
std::string TakePattern(absl::string_view& line) {
  std::string pattern;
  size_t i = 0;
  for (; i < line.size() && line[i] != ' ' && line[i] != '\t'; ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) ++i;
    pattern += line[i];
  }
  line.remove_prefix(i);
  return pattern;
}

// The owners in the line, up to a comment.
std::vector<std::string> OwnersIn(absl::string_view line) {
  std::vector<std::string> owners;
  for (absl::string_view word : absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
    if (absl::StartsWith(word, "#") || owners.size() == kMaxOwners) break;
    if (IsOwner(word)) owners.emplace_back(word);
  }
  return owners;
}

class Parser {
 public:
  void Read(absl::string_view line) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') return;
    if (ReadSection(line) || entries_ == kMaxEntries) return;
    CodeOwnersEntry entry;
    entry.excludes = absl::ConsumePrefix(&line, "!");
    entry.pattern = TakePattern(line);
    if (entry.pattern.empty() || entry.pattern.size() > kMaxPattern) return;
    entry.owners = OwnersIn(line);
    if (entry.owners.empty() && !entry.excludes) entry.owners = default_owners_;
    ++entries_;
    result_.sections[section_].entries.push_back(std::move(entry));
  }

  CodeOwners Take() { return std::move(result_); }

 private:
  // "[Name] @default", "^[Name][2] @default". Sections with equal names, ignoring case, are merged.
  bool ReadSection(absl::string_view line) {
    absl::ConsumePrefix(&line, "^");
    if (!absl::ConsumePrefix(&line, "[")) return false;
    const size_t end = line.find(']');
    if (end == absl::string_view::npos) return false;
    const std::string name = absl::AsciiStrToLower(line.substr(0, end));
    line.remove_prefix(end + 1);
    if (absl::StartsWith(line, "[")) {
      const size_t approvals = line.find(']');
      line.remove_prefix(approvals == absl::string_view::npos ? line.size() : approvals + 1);
    }
    const auto [known, is_new] = sections_.try_emplace(name, result_.sections.size());
    if (is_new) result_.sections.emplace_back();
    section_ = known->second;
    default_owners_ = OwnersIn(line);
    return true;
  }

  CodeOwners result_{{CodeOwnersSection()}};
  std::map<std::string, size_t> sections_;  // by name
  size_t section_ = 0;
  size_t entries_ = 0;
  std::vector<std::string> default_owners_;
};

using Names = std::vector<absl::string_view>;

// '*' matches any bytes or none, '?' one byte. Linear except for backtracking to the last '*'.
bool NameMatches(absl::string_view pattern, absl::string_view name) {
  size_t p = 0, n = 0, star = absl::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != absl::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Whether the pattern matches all names or, with `folders`, a prefix of them. Dynamic programming:
// which prefixes of the path the pattern's prefix matches.
bool NamesMatch(const Names& pattern, const Names& path, bool folders) {
  std::vector<bool> matched(path.size() + 1, false);
  matched[0] = true;
  for (const absl::string_view one : pattern) {
    std::vector<bool> next(path.size() + 1, false);
    for (size_t i = 0; i <= path.size(); ++i) {
      if (one == "**") {
        next[i] = matched[i] || (i > 0 && next[i - 1]);
      } else if (i > 0) {
        next[i] = matched[i - 1] && NameMatches(one, path[i - 1]);
      }
    }
    matched = std::move(next);
  }
  return matched.back() || (folders && std::count(matched.begin() + 1, matched.end(), true) > 0);
}

}  // namespace

CodeOwners ParseCodeOwners(absl::string_view text) {
  Parser parser;
  for (absl::string_view line : absl::StrSplit(text.substr(0, kMaxBytes), '\n')) parser.Read(line);
  return parser.Take();
}

bool OwnerPatternMatches(absl::string_view pattern, absl::string_view path) {
  const Names names = absl::StrSplit(path, '/');
  if (pattern.size() > kMaxPattern || names.size() > kMaxNames) return false;
  const bool is_folder = absl::ConsumeSuffix(&pattern, "/");
  bool at_root = absl::ConsumePrefix(&pattern, "/");
  if (pattern.empty()) return at_root || is_folder;
  Names wanted = absl::StrSplit(pattern, '/');
  at_root = at_root || wanted.size() > 1;
  const bool only_files = wanted.size() > 1 && wanted.back() == "*" && !is_folder;
  if (!at_root) wanted.insert(wanted.begin(), "**");
  // "folder/" matches everything in it, but not a file of that name.
  if (is_folder) wanted.insert(wanted.end(), {"*", "**"});
  return NamesMatch(wanted, names, /*folders=*/!only_files);
}

std::vector<std::string> OwnersOfFile(const CodeOwners& owners, absl::string_view path) {
  std::vector<std::string> all;
  for (const CodeOwnersSection& section : owners.sections) {
    const CodeOwnersEntry* last = nullptr;
    bool excluded = false;
    for (const CodeOwnersEntry& entry : section.entries) {
      if (!OwnerPatternMatches(entry.pattern, path)) continue;
      excluded = excluded || entry.excludes;
      last = &entry;
    }
    if (last == nullptr || excluded) continue;
    for (const std::string& owner : last->owners) {
      if (std::find(all.begin(), all.end(), owner) == all.end()) all.push_back(owner);
    }
  }
  return all;
}

}  // namespace gprofhub::reporter
