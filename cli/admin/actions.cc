#include "cli/admin/actions.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace gprofhub::cli {

void AddFormatOption(CLI::App& command, std::string& format) {
  command.add_option("--format", format, "How to print it")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

absl::StatusOr<store::WholeStore> OpenNamed(const StoreOptions& options) {
  const absl::StatusOr<std::string> location = StoreLocation(options);
  if (!location.ok()) return location.status();
  const absl::StatusOr<std::shared_ptr<store::ObjectStore>> archive = OpenArchive(options);
  if (!archive.ok()) return archive.status();
  return store::OpenWholeStore(*location, *archive);
}

std::string BytesText(uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return absl::StrCat(bytes, " bytes");
  double size = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; size >= 1024 && unit + 1 < std::size(kUnits); ++unit) size /= 1024;
  return absl::StrFormat("%.1f %s", size, kUnits[unit]);
}

}  // namespace gprofhub::cli
