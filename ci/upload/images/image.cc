#include "ci/upload/images/image.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/sha256.h"
#include "profile/code/code_digests.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/image/read_image.h"

namespace gprofhub::ci {
namespace {

constexpr uint64_t kMaxImageBytes = 4ULL << 30;  // of a file hashed without a build-id

// Line rows are most of a table, and only the bundle needs them.
void DropLines(profile::SymbolTable& symbols) {
  std::vector<profile::LineRow>().swap(symbols.lines);
  std::vector<profile::LineRow>().swap(symbols.call_lines);
}

}  // namespace

absl::StatusOr<std::string> IdentifyImage(const std::string& path) {
  absl::StatusOr<std::string> build_id = profile::ReadElfBuildId(path);
  if (!build_id.ok() || !build_id->empty()) return build_id;
  const absl::StatusOr<std::string> bytes = base::ReadFile(path, kMaxImageBytes);
  if (!bytes.ok()) return bytes.status();
  return base::Sha256Hex(*bytes).substr(0, 40);
}

absl::StatusOr<Image> ReadImage(const std::string& path, const std::string& build_id) {
  profile::ElfReadOptions options;
  options.with_call_lines = true;
  options.with_toolchains = true;
  absl::StatusOr<profile::SymbolTable> symbols = profile::ReadElfSymbols(path, options);
  if (!symbols.ok()) return symbols.status();
  if (absl::Status status = profile::AddCodeDigests(path, *symbols); !status.ok()) return status;
  Image image;
  image.build_id = build_id;
  image.symbols = *std::move(symbols);
  image.symbols.build_id = build_id;
  image.bundle = profile::EncodeSymbolBundle(image.symbols);
  if (image.bundle.size() > kMaxBundleBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path, ": its symbols take ", image.bundle.size(), " bytes; a server takes ",
                     kMaxBundleBytes, ". Build with -g1 instead of -g."));
  }
  image.bundle_sha256 = base::Sha256Hex(image.bundle);
  DropLines(image.symbols);
  return image;
}

absl::StatusOr<Image> ImageOfBundle(std::string bundle) {
  absl::StatusOr<profile::SymbolTable> symbols = profile::DecodeSymbolBundle(bundle);
  if (!symbols.ok()) return symbols.status();
  Image image;
  image.build_id = symbols->build_id;
  image.symbols = *std::move(symbols);
  DropLines(image.symbols);
  image.bundle_sha256 = base::Sha256Hex(bundle);
  image.bundle = std::move(bundle);
  return image;
}

}  // namespace gprofhub::ci
