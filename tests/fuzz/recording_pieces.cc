// Recordings again, without their zeros. A recording is a directory of 32 KiB and tables of mostly
// empty slots, so mutations of it seldom meet anything that is read. An input here is a row of
// pieces. A piece is the number of zeros before it (4 bytes, little-endian), its length (2 bytes)
// and its bytes.

#include <cstdlib>
#include <string>

#include "absl/strings/string_view.h"
#include "profile/recording/reader.h"

namespace {

constexpr size_t kMaxBytes = 256 << 10;  // of a recording, whatever the pieces ask for

uint32_t Number(absl::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  absl::string_view pieces(reinterpret_cast<const char*>(data), size);
  std::string recording;
  while (pieces.size() >= 6) {
    const size_t zeros = Number(pieces.substr(0, 4));
    const absl::string_view piece = pieces.substr(6, Number(pieces.substr(4, 2)));
    if (zeros > kMaxBytes || recording.size() + zeros + piece.size() > kMaxBytes) break;
    recording.append(zeros, '\0');
    recording.append(piece.data(), piece.size());
    pieces.remove_prefix(6 + piece.size());
  }
  const auto read = gprofhub::profile::ReadRecording(recording, "input");
  if (!read.ok()) return 0;
  for (const gprofhub::profile::ModuleFrame& frame : read->stacks) {
    if (frame.frame.parent >= static_cast<int64_t>(read->stacks.size())) std::abort();
  }
  return 0;
}
