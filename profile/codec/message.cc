// Three things make a small message expensive: a frame that decompresses to gigabytes, many tiny
// strings (2 bytes on the wire, 40 in memory), and many tiny unknown fields. The frame's declared
// size bounds the first; counting fields before parsing bounds the others. Packed columns grow by
// at most eight times, from one byte to a uint64.

#include "profile/codec/message.h"

#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "profile/codec/parsed_size.h"
#include "profile/codec/wire.h"

namespace gprofhub::profile {
namespace {

constexpr uint64_t kAlwaysAllowed = uint64_t{1} << 20;
constexpr uint64_t kLargestRatio = 1000;
constexpr uint64_t kMostFields = 4'000'000;
constexpr int kCompressionLevel = 6;
// Exceeds every budget.
constexpr uint64_t kMostParsed = uint64_t{1} << 40;

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// A context has tables of 160 KB. A report decompresses thousands of frames of a few kilobytes, and
// allocating the tables each time took as long as the decompression. So each thread keeps its own
// context. nullptr: out of memory.
ZSTD_DCtx* ContextOfThread() {
  thread_local std::unique_ptr<ZSTD_DCtx, FreeContext> context;
  if (context == nullptr) context.reset(ZSTD_createDCtx());
  return context.get();
}

// Adds the number of fields of `bytes`, and of its fields in `nested`, to `fields`.
bool CountFields(absl::string_view bytes, std::initializer_list<uint32_t> nested,
                 uint64_t& fields) {
  WireReader reader(bytes);
  WireField field;
  while (reader.Next(field)) {
    if (++fields > kMostFields) return true;
    if (field.type == WireType::kDelimited &&
        std::find(nested.begin(), nested.end(), field.number) != nested.end() &&
        !CountFields(field.bytes, {}, fields)) {
      return false;
    }
  }
  return !reader.failed();
}

}  // namespace

std::string Compress(absl::string_view content) {
  std::string bytes(ZSTD_compressBound(content.size()), '\0');
  const size_t size =
      ZSTD_compress(bytes.data(), bytes.size(), content.data(), content.size(), kCompressionLevel);
  // With a buffer of compressBound this fails only if memory is exhausted.
  if (ZSTD_isError(size)) std::abort();
  bytes.resize(size);
  return bytes;
}

uint64_t StatedSize(absl::string_view bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  return size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ? 0 : size;
}

absl::StatusOr<std::string> Decompress(absl::string_view bytes, absl::string_view what,
                                       uint64_t largest_content) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: not a zstd frame at byte 0: send it as gprofhub writes it", what));
  }
  if (size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: the zstd frame at byte 0 does not declare its content size: send it as gprofhub "
        "writes it",
        what));
  }
  if (size > largest_content || size > kAlwaysAllowed + kLargestRatio * bytes.size()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: the zstd frame at byte 0 declares %d bytes of content in %d: at most %d, and at most "
        "%d times its size, are accepted",
        what, size, bytes.size(), largest_content, kLargestRatio));
  }
  const size_t frame = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
  if (ZSTD_isError(frame)) {
    return absl::DataLossError(absl::StrFormat(
        "%s: the zstd frame of %d bytes is cut off or damaged: send it again", what, bytes.size()));
  }
  if (frame != bytes.size()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: %d bytes follow the zstd frame at byte %d: send it as gprofhub writes it", what,
        bytes.size() - frame, frame));
  }
  ZSTD_DCtx* const context = ContextOfThread();
  if (context == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("%s: there is no memory to decompress it: try again", what));
  }
  std::string content(size, '\0');
  const size_t result =
      ZSTD_decompressDCtx(context, content.data(), content.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(result) || result != size) {
    return absl::DataLossError(absl::StrFormat(
        "%s: the zstd frame of %d bytes is damaged (%s): send it again", what, bytes.size(),
        ZSTD_isError(result) ? ZSTD_getErrorName(result) : "too short"));
  }
  return content;
}

std::string EncodeMessage(const google::protobuf::MessageLite& message) {
  return Compress(message.SerializeAsString());
}

absl::StatusOr<base::DecodingPart> DecodeMessage(absl::string_view bytes, absl::string_view what,
                                                 std::initializer_list<uint32_t> nested,
                                                 google::protobuf::Message& message,
                                                 const base::Decoding& decoding,
                                                 uint64_t largest_content) {
  const absl::StatusOr<base::DecodingPart> for_content =
      decoding.Take(std::min(StatedSize(bytes), largest_content));
  if (!for_content.ok()) return for_content.status();
  const absl::StatusOr<std::string> content = Decompress(bytes, what, largest_content);
  if (!content.ok()) return content.status();
  uint64_t fields = 0;
  const bool well_formed = CountFields(*content, nested, fields);
  if (fields > kMostFields) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: has more than %d fields: send fewer functions", what, kMostFields));
  }
  base::DecodingPart for_message;
  if (decoding.is_bounded() && well_formed) {
    const absl::StatusOr<uint64_t> size =
        ParsedSize(*content, *message.GetDescriptor(), kMostParsed);
    absl::StatusOr<base::DecodingPart> taken = decoding.Take(size.ok() ? *size : 0);
    if (!taken.ok()) return taken.status();
    for_message = *std::move(taken);
  }
  if (!well_formed || !message.ParseFromString(*content)) {
    return absl::DataLossError(absl::StrFormat(
        "%s: its %d bytes of content are not a message: send it as gprofhub writes it", what,
        content->size()));
  }
  return for_message;
}

}  // namespace gprofhub::profile
