#include "profile/codec/recording.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "profile/codec/message.h"
#include "profile/recording/reader.h"

namespace gprofhub::profile {
namespace {

constexpr absl::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr size_t kMaxFileBytes = 64 << 20;

}  // namespace

std::string PackRecording(absl::string_view file) { return Compress(file); }

bool IsPackedRecording(absl::string_view bytes) {
  return bytes.substr(0, kZstdMagic.size()) == kZstdMagic;
}

absl::StatusOr<Recording> UnpackRecording(absl::string_view bytes, absl::string_view name,
                                          const base::Decoding& decoding) {
  const absl::StatusOr<base::DecodingPart> for_file =
      decoding.Take(std::min(StatedSize(bytes), kLargestContent));
  if (!for_file.ok()) return for_file.status();
  const absl::StatusOr<std::string> file = Decompress(bytes, name);
  if (!file.ok()) return file.status();
  if (file->size() > kMaxFileBytes) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": the recording has ", file->size(),
                                                   " bytes; at most ", kMaxFileBytes,
                                                   " are accepted"));
  }
  return ReadRecording(*file, name, decoding);
}

absl::StatusOr<std::optional<Recording>> ReadIfRecording(absl::string_view bytes,
                                                         absl::string_view name,
                                                         const base::Decoding& decoding) {
  if (IsPackedRecording(bytes)) return UnpackRecording(bytes, name, decoding);
  if (IsRecording(bytes)) return ReadRecording(bytes, name, decoding);
  return std::nullopt;
}

}  // namespace gprofhub::profile
