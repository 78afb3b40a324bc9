#include "cli/notify/read_secret.h"

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/read_file.h"

namespace gprofhub::cli {

absl::StatusOr<std::string> ReadSecret(const std::string& path) {
  const absl::StatusOr<std::string> text = base::ReadFile(path);
  if (!text.ok()) return text.status();
  const absl::string_view secret = absl::StripAsciiWhitespace(*text);
  if (secret.empty()) return absl::NotFoundError(absl::StrCat(path, " is empty"));
  return std::string(secret);
}

}  // namespace gprofhub::cli
