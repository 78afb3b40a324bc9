#include "page/words/source_links.h"

#include <openssl/sha.h>

#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/percent_coding.h"
#include "base/sha256.h"
#include "page/words/words.h"

namespace gprofhub::page {
namespace {

using Values = std::vector<std::pair<absl::string_view, std::string>>;

std::optional<Url> Filled(const std::string& address, const Values& values) {
  if (address.empty()) return std::nullopt;
  return Url::External(absl::StrReplaceAll(address, values));
}

// Encodes each segment, so that slashes stay; nothing if it is not a path within the repository.
std::optional<std::string> CodedPath(absl::string_view file, bool has_external) {
  const bool is_external = absl::StartsWith(file, "external/");
  if (file.empty() || absl::StartsWith(file, "/") || (is_external && !has_external)) {
    return std::nullopt;
  }
  std::vector<std::string> segments;
  for (const absl::string_view segment : absl::StrSplit(file, '/')) {
    if (segment == "..") return std::nullopt;
    if (segment != ".") segments.push_back(base::PercentEncoded(segment));
  }
  return absl::StrJoin(segments, "/");
}

// GitLab's page anchors are SHA-1 digests of file names; not used for security.
std::string Sha1Hex(absl::string_view text) {
  unsigned char digest[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest), sizeof(digest)));
}

}  // namespace

std::optional<Url> LineUrl(const SourceLinks& links, absl::string_view commit,
                           absl::string_view file, uint32_t line) {
  const std::optional<std::string> path = CodedPath(file, links.has_external);
  if (!path.has_value() || commit.empty()) return std::nullopt;
  return Filled(links.line, {{"{commit}", base::PercentEncoded(commit)},
                             {"{file}", *path},
                             {"{line}", absl::StrCat(line == 0 ? 1 : line)}});
}

std::optional<Url> CommitUrl(const SourceLinks& links, absl::string_view commit) {
  if (commit.empty()) return std::nullopt;
  return Filled(links.commit, {{"{commit}", base::PercentEncoded(commit)}});
}

std::optional<Url> RangeUrl(const SourceLinks& links, absl::string_view base,
                            absl::string_view head) {
  if (base.empty() || head.empty()) return std::nullopt;
  return Filled(links.range,
                {{"{base}", base::PercentEncoded(base)}, {"{head}", base::PercentEncoded(head)}});
}

std::optional<Url> RangeUrlAt(const SourceLinks& links, absl::string_view base,
                              absl::string_view head, absl::string_view file, uint32_t line) {
  const std::optional<Url> range = RangeUrl(links, base, head);
  if (!range.has_value() || links.range_file.empty() || file.empty() || line == 0) return range;
  return Url::External(absl::StrCat(
      range->text(), absl::StrReplaceAll(links.range_file, {{"{sha1}", Sha1Hex(file)},
                                                            {"{sha256}", base::Sha256Hex(file)},
                                                            {"{line}", absl::StrCat(line)}})));
}

Html PlaceOf(const SourceLinks& links, absl::string_view commit, absl::string_view file,
             uint32_t line) {
  if (file.empty()) return "";
  const Html words = El("span", {{"class", "place"}},
                        Html(line == 0 ? std::string(file) : absl::StrCat(file, ":", line)));
  const std::optional<Url> url = LineUrl(links, commit, file, line);
  return url.has_value() ? Link(*url, words) : words;
}

Html CommitOf(const SourceLinks& links, absl::string_view commit) {
  if (commit.empty()) return "";
  const Html words = El("code", {{"title", commit}}, Html(ShortCommit(commit)));
  const std::optional<Url> url = CommitUrl(links, commit);
  return url.has_value() ? Link(*url, words) : words;
}

}  // namespace gprofhub::page
