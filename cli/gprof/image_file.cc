#include "cli/gprof/image_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/gprof/external_symbols.h"
#include "cli/gprof/read_as_gnu_gprof.h"
#include "profile/image/read_image.h"

namespace gprofhub::cli {
namespace {

// As perror prints it: nothing for an empty name.
std::string SystemError(const std::string& path, int number) {
  return absl::StrCat(path, path.empty() ? "" : ": ", std::strerror(number));
}

// Whether the output contains source files or lines.
bool NeedsLines(const GprofOptions& options) {
  const analyzer::ListingOptions& listing = options.listing;
  if (options.symspecs.NamePlaces()) return true;
  if (listing.rows.by_line || listing.inline_file_names) return true;
  if (!options.export_format.empty()) return true;
  const unsigned named = kGraphListing | kAnnotatedSource | kExecutionCounts;
  if ((options.wanted & named) != 0) return true;
  return options.wanted == 0 && (options.decided & kGraphListing) == 0;
}

}  // namespace

absl::StatusOr<profile::SymbolTable> ReadImage(const GprofOptions& options) {
  const std::string& path = options.image;
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return absl::NotFoundError(SystemError(path, errno));
  }
  if (S_ISDIR(info.st_mode)) {
    return absl::NotFoundError(SystemError(path, ENOENT));
  }
  if (!std::ifstream(path, std::ios::binary)) {
    return absl::PermissionDeniedError(SystemError(path, errno));
  }
  profile::ElfReadOptions read;
  read.with_lines = NeedsLines(options);
  read.with_scopes = options.listing.rows.by_line;
  read.absolute_files = true;
  read.may_be_stripped = true;
  absl::StatusOr<profile::SymbolTable> symbols = profile::ReadElfSymbols(path, read);
  if (absl::IsInvalidArgument(symbols.status())) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.program, ": ", path, ": not in executable format"));
  }
  return symbols;
}

absl::Status ChooseFunctions(const GprofOptions& options, profile::SymbolTable& symbols) {
  if (options.external_symbols) {
    std::string text;
    if (!ReadAsGnuGprof(*options.external_symbols, text).ok()) {
      return absl::NotFoundError(
          absl::StrCat(options.program, ": could not open ", *options.external_symbols, "."));
    }
    UseExternalSymbols(text, symbols);
  }
  if (!symbols.functions.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(options.program, ": file `",
                                                 options.external_symbols.value_or(options.image),
                                                 "' has no symbols"));
}

}  // namespace gprofhub::cli
