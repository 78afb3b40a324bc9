// CODEOWNERS: owners of a repository's files, as interpreted by GitHub and GitLab (docs.github.com
// "About code owners", docs.gitlab.com "CODEOWNERS syntax").
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// Locations of the file, in search order. The first existing one applies.
inline constexpr const char* kCodeOwnersFiles[] = {".github/CODEOWNERS", ".gitlab/CODEOWNERS",
                                                   "CODEOWNERS", "docs/CODEOWNERS"};

struct CodeOwnersEntry {
  std::string pattern;
  std::vector<std::string> owners;  // "@login", "@org/team", "a@b.example"; may be empty
  bool excludes = false;            // "!pattern": the section does not apply to these files
};

// Entries in the file's order. A file without sections has one.
struct CodeOwnersSection {
  std::vector<CodeOwnersEntry> entries;
};

struct CodeOwners {
  std::vector<CodeOwnersSection> sections;
};

// Parses leniently. Invalid lines, words that are not owners, and content beyond 3 MB, 20,000
// entries, 255 bytes of a pattern or 20 owners of an entry are ignored: the forge reports errors of
// the file to its users.
CodeOwners ParseCodeOwners(absl::string_view text);

// The owners of the file: from each section those of the last entry that matches, without
// duplicates. `path` is relative to the repository.
std::vector<std::string> OwnersOfFile(const CodeOwners& owners, absl::string_view path);

// Whether a pattern matches a path, or a directory that contains it. A pattern with a slash before
// its end is anchored at the repository's root, others match anywhere. "*" and "?" do not match
// slashes, "**" does; "folder/*" matches direct children only.
bool OwnerPatternMatches(absl::string_view pattern, absl::string_view path);

}  // namespace gprofhub::reporter
