// zstd takes a base as bytes in front of the content ("prefix", as its command's --patch-from
// does): https://github.com/facebook/zstd/wiki/Zstandard-as-a-patching-engine. A match may lie
// anywhere in both, if the window reaches over both.
#include "store/delta/content_delta.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::store {
namespace {

// The level that clients use. Level 19 takes ten times as long and saves 7% more (bundles and
// profiles of two releases of SQLite).
constexpr int kLevel = 6;
// Above this size, short hashes do not find distant matches.
constexpr size_t kLarge = size_t{1} << 20;
// Maximum size of a block (RFC 8878, 3.1.1.2.4).
constexpr size_t kLargestBlock = size_t{128} << 10;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// zstd fails here only if memory is exhausted or a parameter is invalid.
size_t OrAbort(size_t result) {
  if (ZSTD_isError(result)) std::abort();
  return result;
}

bool BeginsAsFrame(absl::string_view blob) {
  return absl::string_view(blob).substr(0, 4) == absl::string_view("\x28\xB5\x2F\xFD", 4);
}

}  // namespace

absl::StatusOr<Content> ContentOf(absl::string_view blob) {
  if (!BeginsAsFrame(blob)) {
    if (blob.size() > kLargestContent) return absl::ResourceExhaustedError("it is too large");
    return Content{std::string(blob), false};
  }
  const unsigned long long size = ZSTD_getFrameContentSize(blob.data(), blob.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return absl::InvalidArgumentError("the frame does not state its content's size");
  }
  if (size > kLargestContent) {
    return absl::ResourceExhaustedError(absl::StrCat("its content has ", size, " bytes"));
  }
  if (ZSTD_findFrameCompressedSize(blob.data(), blob.size()) != blob.size()) {
    return absl::InvalidArgumentError("it is not one whole frame");
  }
  Content content = {std::string(size, '\0'), true};
  const size_t got =
      ZSTD_decompress(content.bytes.data(), content.bytes.size(), blob.data(), blob.size());
  if (ZSTD_isError(got) || got != size) {
    return absl::InvalidArgumentError(
        absl::StrCat("the frame is damaged: ",
                     ZSTD_isError(got) ? ZSTD_getErrorName(got) : "its content is short"));
  }
  return content;
}

std::string FrameOf(absl::string_view content) {
  const auto append = [](std::string& to, uint64_t number, int bytes) {
    for (int i = 0; i < bytes; ++i) to.push_back(static_cast<char>(number >> (8 * i)));
  };
  std::string frame;
  frame.reserve(content.size() + 16 + 3 * (content.size() / kLargestBlock));
  append(frame, ZSTD_MAGICNUMBER, 4);
  // Content size in 8 bytes; single segment (RFC 8878, 3.1.1.1.1).
  append(frame, 0xE0, 1);
  append(frame, content.size(), 8);
  do {
    const absl::string_view block = content.substr(0, kLargestBlock);
    content.remove_prefix(block.size());
    // Bit 0: last block. Bits 1 and 2: raw block.
    append(frame, (content.empty() ? 1 : 0) | block.size() << 3, 3);
    frame.append(block.data(), block.size());
  } while (!content.empty());
  return frame;
}

std::string EncodeDelta(absl::string_view content, absl::string_view base) {
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (context == nullptr) std::abort();
  const size_t both = content.size() + base.size();
  // Two contents of the maximum size need 26; zstd's minimum is 10.
  const int window = std::max(10, static_cast<int>(std::bit_width(both)));
  const auto set = [&context](ZSTD_cParameter parameter, int value) {
    OrAbort(ZSTD_CCtx_setParameter(context.get(), parameter, value));
  };
  set(ZSTD_c_compressionLevel, kLevel);
  set(ZSTD_c_windowLog, window);
  set(ZSTD_c_checksumFlag, 1);
  set(ZSTD_c_enableLongDistanceMatching, both > kLarge ? 1 : 0);
  OrAbort(ZSTD_CCtx_refPrefix(context.get(), base.data(), base.size()));
  std::string delta(ZSTD_compressBound(content.size()), '\0');
  delta.resize(OrAbort(
      ZSTD_compress2(context.get(), delta.data(), delta.size(), content.data(), content.size())));
  return delta;
}

absl::StatusOr<std::string> DecodeDelta(absl::string_view delta, absl::string_view base) {
  const unsigned long long size = ZSTD_getFrameContentSize(delta.data(), delta.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
      size > kLargestContent) {
    return absl::DataLossError("the delta is not a frame of this store");
  }
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (context == nullptr) std::abort();
  OrAbort(ZSTD_DCtx_refPrefix(context.get(), base.data(), base.size()));
  std::string content(size, '\0');
  const size_t got = ZSTD_decompressDCtx(context.get(), content.data(), content.size(),
                                         delta.data(), delta.size());
  if (ZSTD_isError(got) || got != size) {
    return absl::DataLossError(absl::StrCat(
        "the delta is damaged: ", ZSTD_isError(got) ? ZSTD_getErrorName(got) : "it is short"));
  }
  return content;
}

}  // namespace gprofhub::store
