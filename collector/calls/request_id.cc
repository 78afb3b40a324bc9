#include "collector/calls/request_id.h"

#include <sys/random.h>

#include <algorithm>
#include <array>

#include "absl/strings/escaping.h"

namespace gprofhub::collector {
namespace {

bool IsLowerHex(absl::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return ('0' <= c && c <= '9') || ('a' <= c && c <= 'f'); });
}

bool IsZero(absl::string_view text) {
  return text.find_first_not_of('0') == absl::string_view::npos;
}

}  // namespace

// version "-" trace-id "-" parent-id "-" flags: 2, 32, 16 and 2 digits.
std::optional<std::string> TraceIdOf(absl::string_view traceparent) {
  constexpr size_t kLength = 2 + 1 + kRequestIdLength + 1 + 16 + 1 + 2;
  if (traceparent.size() < kLength) return std::nullopt;
  const absl::string_view version = traceparent.substr(0, 2);
  const absl::string_view trace = traceparent.substr(3, kRequestIdLength);
  const absl::string_view parent = traceparent.substr(36, 16);
  const absl::string_view flags = traceparent.substr(53, 2);
  const bool parted = traceparent[2] == '-' && traceparent[35] == '-' && traceparent[52] == '-';
  if (!parted || !IsLowerHex(version) || !IsLowerHex(trace) || !IsLowerHex(parent) ||
      !IsLowerHex(flags) || version == "ff" || IsZero(trace) || IsZero(parent)) {
    return std::nullopt;
  }
  const bool ends = traceparent.size() == kLength;
  if (!ends && (version == "00" || traceparent[kLength] != '-')) return std::nullopt;
  return std::string(trace);
}

std::string NewRequestId() {
  std::array<char, kRequestIdLength / 2> bytes = {};
  // getrandom fills up to 256 bytes completely. Before the kernel's generator is seeded it returns
  // an error: then the id is all zero, and the call continues.
  (void)!getrandom(bytes.data(), bytes.size(), GRND_NONBLOCK);
  return absl::BytesToHexString(absl::string_view(bytes.data(), bytes.size()));
}

}  // namespace gprofhub::collector
