#include "cli/read_file.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gprofhub {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::string bytes;
  std::error_code error;
  const uintmax_t expected = std::filesystem::file_size(path, error);
  if (!error) bytes.reserve(expected);
  std::ifstream file(path, std::ios::binary);
  std::array<char, 65536> buffer;
  while (file.read(buffer.data(), buffer.size()) || file.gcount() > 0) {
    bytes.append(buffer.data(), static_cast<size_t>(file.gcount()));
  }
  if (!file.eof()) return absl::NotFoundError(absl::StrCat(path, " cannot be read"));
  return bytes;
}

}  // namespace gprofhub
