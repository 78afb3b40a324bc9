#include "cli/policy_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gprofhub {

absl::StatusOr<Policy> ReadPolicyFile(const std::string& given) {
  std::error_code error;
  if (given.empty() && !std::filesystem::exists(kPolicyFile, error)) return DefaultPolicy();
  const std::string path = given.empty() ? kPolicyFile : given;
  std::ifstream file(path);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) {
    return absl::NotFoundError(absl::StrCat(path, " cannot be read, or is empty"));
  }
  return ParsePolicy(text.str(), path);
}

}  // namespace gprofhub
