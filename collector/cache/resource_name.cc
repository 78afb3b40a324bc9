#include "collector/cache/resource_name.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "collector/field_error.h"

namespace gprofhub::collector {
namespace {

using Parts = std::vector<absl::string_view>;

constexpr size_t kMostNameBytes = 1000;
constexpr size_t kMostUploadBytes = 100;
constexpr size_t kShownBytes = 200;
// Bound on sizes, so that their sums do not overflow.
constexpr uint64_t kMostSize = uint64_t{1} << 50;

absl::Status BadName(absl::string_view name, absl::string_view form) {
  return FieldError("resource_name",
                    absl::StrCat("is \"", base::Shortened(base::Printable(name), kShownBytes),
                                 "\", and not of the form ", form));
}

bool IsHash(absl::string_view text) {
  return text.size() == base::kSha256Digits &&
         text.find_first_not_of("0123456789abcdef") == absl::string_view::npos;
}

// Digits without a sign or leading zeros.
bool IsSize(absl::string_view text, uint64_t& size) {
  return !text.empty() && text.find_first_not_of("0123456789") == absl::string_view::npos &&
         (text.size() == 1 || text[0] != '0') && absl::SimpleAtoi(text, &size) && size <= kMostSize;
}

// "blobs/HASH/SIZE", starting at part `at`.
bool ReadDigest(const Parts& parts, size_t at, store::TransferDigest& digest) {
  if (parts.size() < at + 3 || parts[at] != "blobs" || !IsHash(parts[at + 1])) return false;
  digest.sha256 = std::string(parts[at + 1]);
  return IsSize(parts[at + 2], digest.size);
}

bool IsText(absl::string_view name) {
  return name.size() <= kMostNameBytes && base::IsUtf8(name) &&
         std::none_of(name.begin(), name.end(), [](char c) { return c == '\0'; });
}

}  // namespace

absl::StatusOr<BlobResource> ParseReadName(absl::string_view name) {
  constexpr absl::string_view kForm = "[INSTANCE/]blobs/SHA256/SIZE";
  if (!IsText(name)) return BadName(name, kForm);
  const Parts parts = absl::StrSplit(name, '/');
  BlobResource resource;
  if (parts.size() < 3 || !ReadDigest(parts, parts.size() - 3, resource.digest)) {
    return BadName(name, kForm);
  }
  resource.instance = absl::StrJoin(parts.begin(), parts.end() - 3, "/");
  return resource;
}

absl::StatusOr<BlobResource> ParseWriteName(absl::string_view name) {
  constexpr absl::string_view kForm = "[INSTANCE/]uploads/UUID/blobs/SHA256/SIZE";
  if (!IsText(name)) return BadName(name, kForm);
  const Parts parts = absl::StrSplit(name, '/');
  // An instance's name contains none of the keywords that follow it.
  const auto uploads = std::find(parts.begin(), parts.end(), "uploads");
  const size_t at = uploads - parts.begin();
  BlobResource resource;
  if (parts.size() < at + 5 || !ReadDigest(parts, at + 2, resource.digest)) {
    return BadName(name, kForm);
  }
  resource.upload = std::string(parts[at + 1]);
  if (resource.upload.empty() || resource.upload.size() > kMostUploadBytes) {
    return BadName(name, kForm);
  }
  resource.instance = absl::StrJoin(parts.begin(), uploads, "/");
  return resource;
}

absl::StatusOr<store::TransferDigest> ToDigest(
    absl::string_view field, const build::bazel::remote::execution::v2::Digest& digest) {
  if (!IsHash(digest.hash())) {
    return FieldError(absl::StrCat(field, ".hash"), "is not a SHA-256 of 64 lower-case digits");
  }
  if (digest.size_bytes() < 0 || static_cast<uint64_t>(digest.size_bytes()) > kMostSize) {
    return FieldError(absl::StrCat(field, ".size_bytes"), absl::StrCat("is ", digest.size_bytes()));
  }
  return store::TransferDigest{digest.hash(), static_cast<uint64_t>(digest.size_bytes())};
}

}  // namespace gprofhub::collector
