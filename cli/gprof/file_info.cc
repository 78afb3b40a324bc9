#include "cli/gprof/file_info.h"

#include <cstdint>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::cli {
namespace {

uint32_t Load32(absl::string_view bytes, size_t offset, bool big_endian) {
  uint32_t value = 0;
  if (bytes.size() - offset < sizeof value) return 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return big_endian ? __builtin_bswap32(value) : value;
}

std::string Counted(uint64_t count, absl::string_view what) {
  return absl::StrCat("\t", count, " ", what, count == 1 ? "" : "s", "\n");
}

}  // namespace

bool IsGnuGmon(absl::string_view content) { return absl::StartsWith(content, "gmon"); }

std::string Describe(const analyzer::ProfileRecords& records) {
  return absl::StrCat("File `", records.path, "' (version ", records.version, ") contains:\n",
                      Counted(records.histograms, "histogram record"),
                      Counted(records.arcs, "call-graph record"),
                      Counted(records.blocks, "basic-block count record"));
}

analyzer::ProfileRecords CountRecords(absl::string_view content, absl::string_view path,
                                      const profile::SymbolTable& symbols,
                                      const profile::RawProfile& profile, size_t all_arcs) {
  if (!IsGnuGmon(content)) {
    return {std::string(path), 0, profile.histograms.size(), all_arcs, profile.blocks.size()};
  }
  const bool big = symbols.big_endian;
  const size_t address = static_cast<size_t>(symbols.address_size);
  uint64_t histograms = 0;
  uint64_t arcs = 0;
  uint64_t blocks = 0;
  const uint32_t version = Load32(content, 4, big);
  // The reader has checked every length.
  for (size_t at = 20; at < content.size();) {
    const char tag = content[at++];
    if (tag == 0) {
      ++histograms;
      at += 2 * address + 24 + size_t{2} * Load32(content, at + 2 * address, big);
    } else if (tag == 1) {
      ++arcs;
      at += 2 * address + 4;
    } else if (tag == 2) {
      ++blocks;
      at += 4 + 2 * address * size_t{Load32(content, at, big)};
    } else {
      break;
    }
  }
  return {std::string(path), version, histograms, arcs, blocks};
}

}  // namespace gprofhub::cli
