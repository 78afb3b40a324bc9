#include "cli/policy_file.h"

#include <filesystem>

#include "profile/read_file.h"

namespace gprofhub {

absl::StatusOr<Policy> ReadPolicyFile(const std::string& given) {
  std::error_code error;
  if (given.empty() && !std::filesystem::exists(kPolicyFile, error)) return DefaultPolicy();
  const std::string path = given.empty() ? kPolicyFile : given;
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  return ParsePolicy(*text, path);
}

}  // namespace gprofhub
