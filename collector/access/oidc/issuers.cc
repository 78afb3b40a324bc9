#include "collector/access/oidc/issuers.h"

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::collector {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxFileBytes = 1 << 20;

absl::Status Bad(const std::string& place, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", problem));
}

absl::Status CheckMembers(const Json& object, const std::string& place,
                          std::initializer_list<const char*> known) {
  if (!object.is_object()) return Bad(place, "must be an object");
  for (const auto& [name, value] : object.items()) {
    bool is_known = false;
    for (const char* one : known) is_known = is_known || name == one;
    if (!is_known) return Bad(absl::StrCat(place, ".", name), "is no field of this file");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Text(const Json& object, const std::string& place, const char* name) {
  const auto found = object.find(name);
  const std::string field = absl::StrCat(place, ".", name);
  if (found == object.end()) return Bad(field, "is missing");
  if (!found->is_string() || found->get<std::string>().empty()) {
    return Bad(field, "must be a text that is not empty");
  }
  return found->get<std::string>();
}

// The elements of a required list.
absl::StatusOr<const Json*> List(const Json& object, const std::string& place, const char* name) {
  const auto found = object.find(name);
  const std::string field = absl::StrCat(place, place.empty() ? "" : ".", name);
  if (found == object.end()) return Bad(field, "is missing");
  if (!found->is_array() || found->empty()) return Bad(field, "must be a list that is not empty");
  return &*found;
}

absl::StatusOr<TrustedRepository> ReadRepository(const Json& entry, const std::string& place) {
  absl::Status known = CheckMembers(entry, place, {"repository", "project", "main"});
  if (!known.ok()) return known;
  TrustedRepository made;
  for (const auto& [name, value] :
       {std::pair("repository", &made.repository), std::pair("project", &made.project)}) {
    absl::StatusOr<std::string> text = Text(entry, place, name);
    if (!text.ok()) return text.status();
    *value = *std::move(text);
  }
  if (!entry.contains("main")) return made;
  const absl::StatusOr<const Json*> main = List(entry, place, "main");
  if (!main.ok()) return main.status();
  for (const Json& pattern : **main) {
    if (!pattern.is_string() || pattern.get<std::string>().empty()) {
      return Bad(place + ".main", "must hold patterns of branches");
    }
    made.main.push_back(pattern.get<std::string>());
  }
  return made;
}

absl::StatusOr<Issuer> ReadIssuer(const Json& entry, const std::string& place) {
  absl::Status known =
      CheckMembers(entry, place, {"issuer", "system", "audience", "keys", "projects"});
  if (!known.ok()) return known;
  Issuer made;
  std::string system;
  for (const auto& [name, value] : {std::pair("issuer", &made.issuer), std::pair("system", &system),
                                    std::pair("audience", &made.audience)}) {
    absl::StatusOr<std::string> text = Text(entry, place, name);
    if (!text.ok()) return text.status();
    *value = *std::move(text);
  }
  if (absl::EndsWith(made.issuer, "/")) {
    return Bad(place + ".issuer", "must be as the tokens say it, without a slash at its end");
  }
  if (system == "github") {
    made.system = CiSystem::kGitHub;
  } else if (system == "gitlab") {
    made.system = CiSystem::kGitLab;
  } else if (system == "buildkite") {
    made.system = CiSystem::kBuildkite;
  } else {
    return Bad(place + ".system", "must be github, gitlab or buildkite");
  }
  if (entry.contains("keys")) {
    absl::StatusOr<std::string> keys = Text(entry, place, "keys");
    if (!keys.ok()) return keys.status();
    made.keys = *std::move(keys);
  }
  const absl::StatusOr<const Json*> projects = List(entry, place, "projects");
  if (!projects.ok()) return projects.status();
  std::set<std::string> repositories;
  for (size_t i = 0; i < (*projects)->size(); ++i) {
    const std::string where = absl::StrCat(place, ".projects[", i, "]");
    absl::StatusOr<TrustedRepository> read = ReadRepository((**projects)[i], where);
    if (!read.ok()) return read.status();
    if (!repositories.insert(read->repository).second) {
      return Bad(where + ".repository", "stands in the file twice");
    }
    made.projects.push_back(*std::move(read));
  }
  return made;
}

}  // namespace

absl::StatusOr<std::vector<Issuer>> ParseIssuers(absl::string_view json) {
  if (json.size() > kMaxFileBytes) return absl::InvalidArgumentError("the file is too long");
  const Json file = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (file.is_discarded()) return absl::InvalidArgumentError("the file is no JSON");
  if (absl::Status known = CheckMembers(file, "file", {"issuers"}); !known.ok()) return known;
  const absl::StatusOr<const Json*> entries = List(file, "", "issuers");
  if (!entries.ok()) return entries.status();
  std::vector<Issuer> issuers;
  std::set<std::string> names;
  for (size_t i = 0; i < (*entries)->size(); ++i) {
    const std::string place = absl::StrCat("issuers[", i, "]");
    absl::StatusOr<Issuer> read = ReadIssuer((**entries)[i], place);
    if (!read.ok()) return read.status();
    if (!names.insert(read->issuer).second) {
      return Bad(place + ".issuer", "stands in the file twice");
    }
    issuers.push_back(*std::move(read));
  }
  return issuers;
}

}  // namespace gprofhub::collector
