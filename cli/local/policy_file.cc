#include "cli/local/policy_file.h"

#include <filesystem>

#include "base/read_file.h"

namespace gprofhub::cli {

absl::StatusOr<reporter::Policy> ReadPolicyFile(const std::string& given) {
  std::error_code error;
  if (given.empty() && !std::filesystem::exists(reporter::kPolicyFile, error))
    return reporter::DefaultPolicy();
  const std::string path = given.empty() ? reporter::kPolicyFile : given;
  const absl::StatusOr<std::string> text = base::ReadFile(path);
  if (!text.ok()) return text.status();
  return reporter::ParsePolicy(*text, path);
}

}  // namespace gprofhub::cli
