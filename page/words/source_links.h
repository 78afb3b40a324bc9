// Where a repository's files and commits can be read.
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

// Addresses with {commit}, {file} and {line} where these stand; of a range {base} and {head}.
// Empty: there is no such page.
struct SourceLinks {
  std::string line;
  std::string commit;
  std::string range;
  // Behind `range`, where a file of it is: with {sha1} and {sha256} of the file's name, and {line}.
  std::string range_file = {};
  // Whether `line` has files of other repositories, too ("external/…").
  bool has_external = false;
};

using SourceLinksByProject = std::map<std::string, SourceLinks>;

// A path that leads out of the repository ("/usr/include/…"), or into another one, has no page; nor
// has one without a commit.
std::optional<Url> LineUrl(const SourceLinks& links, absl::string_view commit,
                           absl::string_view file, uint32_t line);
std::optional<Url> CommitUrl(const SourceLinks& links, absl::string_view commit);
std::optional<Url> RangeUrl(const SourceLinks& links, absl::string_view base,
                            absl::string_view head);
// The same at a line of the file, as the head has it; without a file, or where the forge names no
// such places, at its beginning.
std::optional<Url> RangeUrlAt(const SourceLinks& links, absl::string_view base,
                              absl::string_view head, absl::string_view file, uint32_t line);

// "src/json.c:1841", as a link where that is possible. Empty without a file.
Html PlaceOf(const SourceLinks& links, absl::string_view commit, absl::string_view file,
             uint32_t line);
// A short commit, likewise.
Html CommitOf(const SourceLinks& links, absl::string_view commit);

}  // namespace gprofhub::page
