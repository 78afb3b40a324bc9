#include "ci/upload/results/output_names.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/hash.h"
#include "runtime/gmon/placement.h"

namespace gprofhub::ci {

namespace {

constexpr absl::string_view kGmonSuffix = "." GPROFHUB_GMON_SUFFIX;

bool AllDigits(absl::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isdigit(c); });
}

bool IsBuildId(absl::string_view text) {
  return text.size() >= 8 && text.size() <= 128 && text.size() % 2 == 0 && base::IsLowerHex(text);
}

// A repository without the decoration of its canonical name, with its "@".
std::string ApparentRepository(absl::string_view name) {
  if (name.empty()) return "";
  std::vector<absl::string_view> parts = absl::StrSplit(name, absl::ByAnyChar("+~"));
  // A module, and its version: empty unless a build has several.
  if (parts.size() <= 2) return absl::StrCat("@", parts[0].empty() ? name : parts[0]);
  if (parts[0] == "_main") parts[0] = "";
  // Module, version, extension, name. The main module has no version.
  if (parts.size() > 3 && !parts[0].empty()) parts[1] = "";
  return absl::StrCat("@@", absl::StrJoin(parts, "+"));
}

}  // namespace

std::string ApparentLabel(absl::string_view label) {
  absl::string_view rest = label;
  if (!absl::ConsumePrefix(&rest, "@")) return std::string(label);
  while (absl::ConsumePrefix(&rest, "@")) {
  }
  const size_t end = rest.find("//");
  if (end == absl::string_view::npos) return std::string(label);
  return absl::StrCat(ApparentRepository(rest.substr(0, end)), rest.substr(end));
}

bool IsAllOutputs(absl::string_view event_name) {
  return event_name == "test.outputs" || event_name == "test.outputs__outputs.zip";
}

absl::string_view OutputOf(absl::string_view event_name) {
  return absl::ConsumePrefix(&event_name, "test.outputs/") ? event_name : "";
}

bool IsProfile(absl::string_view path) {
  return ParseProfileName(path.substr(path.rfind('/') + 1)).has_value();
}

std::optional<ProfileName> ParseProfileName(absl::string_view base_name) {
  if (base_name == "gmon.out" || absl::EndsWith(base_name, ".gprofhub")) return ProfileName();
  const size_t dot = base_name.rfind('.');
  if (dot == absl::string_view::npos || !AllDigits(base_name.substr(dot + 1))) return std::nullopt;
  absl::string_view rest = base_name.substr(0, dot);
  if (rest == "gmon" || rest == "gmon.out") return ProfileName();
  if (!absl::ConsumeSuffix(&rest, kGmonSuffix)) return std::nullopt;
  const size_t id_dot = rest.rfind('.');
  if (id_dot == absl::string_view::npos || id_dot == 0) return std::nullopt;
  const absl::string_view id = rest.substr(id_dot + 1);
  if (id == GPROFHUB_UNKNOWN_BUILD_ID) return ProfileName();
  if (!IsBuildId(id)) return std::nullopt;
  return ProfileName{std::string(id), std::string(rest.substr(0, id_dot))};
}

bool IsPlainPath(absl::string_view name) {
  if (name.empty() || name.size() > 4096 || name.front() == '/') return false;
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\') return false;
  }
  for (const absl::string_view part : absl::StrSplit(name, '/')) {
    if (part == "..") return false;
  }
  return true;
}

std::string FolderOfLabel(absl::string_view label) {
  while (absl::ConsumePrefix(&label, "@")) {
  }
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(label, absl::MaxSplits("//", 1));
  const std::string repository =
      parts.first.empty() ? "" : absl::StrCat("external/", parts.first, "/");
  const std::pair<absl::string_view, absl::string_view> path =
      absl::StrSplit(parts.second, absl::MaxSplits(':', 1));
  return absl::StrCat(repository, path.first, path.first.empty() ? "" : "/", path.second);
}

std::string LabelOfFolder(std::vector<std::string> parts) {
  std::string repository;
  if (parts.size() > 2 && parts[0] == "external") {
    repository = absl::StrCat("@@", parts[1]);
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  const std::string name = parts.back();
  parts.pop_back();
  return ApparentLabel(absl::StrCat(repository, "//", absl::StrJoin(parts, "/"), ":", name));
}

}  // namespace gprofhub::ci
