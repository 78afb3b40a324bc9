#include "collector/quotas/quota_file.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::collector {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxFileBytes = 1 << 20;
// A petabyte: below 2^53, so exact as a double.
constexpr uint64_t kMost = uint64_t{1} << 50;

struct Field {
  const char* name;
  uint64_t Quota::*value;
};
constexpr std::array<Field, 5> kFields = {{{"calls_per_minute", &Quota::calls_per_minute},
                                           {"bytes_per_hour", &Quota::bytes_per_hour},
                                           {"bytes_per_day", &Quota::bytes_per_day},
                                           {"stored_bytes", &Quota::stored_bytes},
                                           {"uploads", &Quota::uploads}}};

absl::Status Bad(absl::string_view place, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", problem));
}

const Field* FieldNamed(absl::string_view name) {
  for (const Field& field : kFields) {
    if (name == field.name) return &field;
  }
  return nullptr;
}

// Sets those fields of `quota` that `object` has.
absl::Status ReadQuota(const Json& object, const std::string& place, Quota& quota) {
  if (!object.is_object()) return Bad(place, "must be an object");
  for (const auto& [name, value] : object.items()) {
    const std::string where = absl::StrCat(place, ".", name);
    const Field* const field = FieldNamed(name);
    if (field == nullptr) return Bad(where, "is no field of this file");
    if (!value.is_number_unsigned() || value.get<uint64_t>() > kMost) {
      return Bad(where, absl::StrCat("must be a whole number from 0 (no limit) to ", kMost));
    }
    quota.*(field->value) = value.get<uint64_t>();
  }
  return absl::OkStatus();
}

}  // namespace

const Quota& QuotaFile::Of(absl::string_view project) const {
  const auto found = projects.find(project);
  return found == projects.end() ? defaults : found->second;
}

absl::StatusOr<QuotaFile> ParseQuotas(absl::string_view json) {
  if (json.size() > kMaxFileBytes) return absl::InvalidArgumentError("the file is too long");
  const Json file = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (file.is_discarded()) return absl::InvalidArgumentError("the file is no JSON");
  if (!file.is_object()) return Bad("file", "must be an object");
  for (const auto& [name, value] : file.items()) {
    if (name != "defaults" && name != "projects") {
      return Bad(absl::StrCat("file.", name), "is no field of this file");
    }
  }
  QuotaFile quotas;
  if (const auto defaults = file.find("defaults"); defaults != file.end()) {
    absl::Status status = ReadQuota(*defaults, "defaults", quotas.defaults);
    if (!status.ok()) return status;
  }
  const auto projects = file.find("projects");
  if (projects == file.end()) return quotas;
  if (!projects->is_object()) return Bad("projects", "must be an object");
  for (const auto& [project, values] : projects->items()) {
    Quota quota = quotas.defaults;
    absl::Status status = ReadQuota(values, absl::StrCat("projects.", project), quota);
    if (!status.ok()) return status;
    quotas.projects.emplace(project, quota);
  }
  return quotas;
}

}  // namespace gprofhub::collector
