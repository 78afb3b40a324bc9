// CODEOWNERS: which people a repository asks about which files, as GitHub and GitLab read it
// (docs.github.com "About code owners", docs.gitlab.com "CODEOWNERS syntax").
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// Where the file may lie, in the order in which it is looked for. The first one counts.
inline constexpr const char* kCodeOwnersFiles[] = {".github/CODEOWNERS", ".gitlab/CODEOWNERS",
                                                   "CODEOWNERS", "docs/CODEOWNERS"};

struct CodeOwnersEntry {
  std::string pattern;
  std::vector<std::string> owners;  // "@login", "@org/team", "a@b.example"; may be empty
  bool excludes = false;            // "!pattern": the section says nothing about these files
};

// Entries in the file's order. A file without sections is one.
struct CodeOwnersSection {
  std::vector<CodeOwnersEntry> entries;
};

struct CodeOwners {
  std::vector<CodeOwnersSection> sections;
};

// Reads what can be read. Lines that mean nothing, words that are no owner, and what is beyond
// 3 MB, 20,000 entries, 255 bytes of a pattern or 20 owners of an entry are left out: the forge
// tells people about errors of the file.
CodeOwners ParseCodeOwners(absl::string_view text);

// Who owns the file: of each section the owners of the last entry that matches, without
// repetitions. `path` is relative to the repository.
std::vector<std::string> OwnersOfFile(const CodeOwners& owners, absl::string_view path);

// Whether a pattern matches a path, or a folder that holds it. A pattern with a slash before its
// end begins at the repository's root, another one anywhere. "*" and "?" stay within a name, "**"
// does not; "folder/*" is what lies right in the folder.
bool OwnerPatternMatches(absl::string_view pattern, absl::string_view path);

}  // namespace gprofhub::reporter
