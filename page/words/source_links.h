// Links to a repository's files and commits on its forge.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "page/html/html.h"
#include "page/html/url.h"

namespace gprofhub::page {

// URL templates with the placeholders {commit}, {file} and {line}; for a range {base} and {head}.
// Empty: no such page.
struct SourceLinks {
  std::string line;
  std::string commit;
  std::string range;
  // Suffix of `range` that leads to a file: with {sha1} and {sha256} of the file's name, and
  // {line}.
  std::string range_file = {};
  // Whether `line` also has files of other repositories ("external/…").
  bool has_external = false;
};

using SourceLinksByProject = std::map<std::string, SourceLinks>;

// Nothing for a path that leads out of the repository ("/usr/include/…") or into another one, and
// without a commit.
std::optional<Url> LineUrl(const SourceLinks& links, absl::string_view commit,
                           absl::string_view file, uint32_t line);
std::optional<Url> CommitUrl(const SourceLinks& links, absl::string_view commit);
std::optional<Url> RangeUrl(const SourceLinks& links, absl::string_view base,
                            absl::string_view head);
// The same at a line of the file, as of the head. Without a file, or if the forge has no such
// anchors: the top of the page.
std::optional<Url> RangeUrlAt(const SourceLinks& links, absl::string_view base,
                              absl::string_view head, absl::string_view file, uint32_t line);

// "src/json.c:1841", as a link if possible. Empty without a file.
Html PlaceOf(const SourceLinks& links, absl::string_view commit, absl::string_view file,
             uint32_t line);
// A short commit, as a link if possible.
Html CommitOf(const SourceLinks& links, absl::string_view commit);

}  // namespace gprofhub::page
