#include "collector/bes/handed_over.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gprofhub::collector {
namespace {

constexpr size_t kHashDigits = 64;

bool IsHash(absl::string_view text) {
  return text.size() == kHashDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isdigit(static_cast<unsigned char>(c)) || (c >= 'a' && c <= 'f');
         });
}

bool IsNumber(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
}

}  // namespace

std::optional<HandedOverFile> ParseBytestream(absl::string_view uri) {
  if (!absl::ConsumePrefix(&uri, "bytestream://")) return std::nullopt;
  const std::vector<absl::string_view> parts = absl::StrSplit(uri, '/');
  const size_t count = parts.size();
  if (count < 4 || parts[count - 3] != "blobs") return std::nullopt;
  HandedOverFile file;
  if (!IsHash(parts[count - 2]) || !IsNumber(parts[count - 1]) ||
      !absl::SimpleAtoi(parts[count - 1], &file.size)) {
    return std::nullopt;
  }
  file.sha256 = std::string(parts[count - 2]);
  file.place = absl::StrJoin(parts.begin(), parts.end() - 3, "/");
  return file;
}

ReadHandedOver ReadFrom(store::TransferBlobs transfers) {
  return
      [transfers = std::move(transfers)](const std::string& project, const HandedOverFile& file) {
        return transfers.Read(project, {file.sha256, file.size}, file.size);
      };
}

}  // namespace gprofhub::collector
