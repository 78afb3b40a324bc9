#include "cli/gprof/sum_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "profile/bsd_format.h"
#include "profile/bsd_writer.h"
#include "profile/gmon_writer.h"
#include "profile/status_context.h"

namespace gprofhub {
namespace {

constexpr char kSumFile[] = "gmon.sum";

}  // namespace

absl::Status WriteSum(const GprofOptions& options, const SymbolTable& symbols,
                      const ListingInput& input, RawProfile& profile) {
  RawProfile sum;
  sum.histograms.swap(profile.histograms);
  sum.arcs.reserve(input.graph.arcs.size());
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    for (const uint32_t index : input.graph.ArcsFrom(row)) {
      const GraphArc& arc = input.graph.arcs[index];
      sum.arcs.push_back({input.rows.Address(row), input.rows.Address(arc.callee), arc.count});
    }
  }
  for (const BasicBlock& block : profile.blocks) {
    if (FindByAddress(input.rows.table(), block.pc) != kNoFunction) sum.blocks.push_back(block);
  }
  std::stable_sort(sum.blocks.begin(), sum.blocks.end(),
                   [](const BasicBlock& a, const BasicBlock& b) { return a.pc < b.pc; });
  const GmonWriteOptions format{symbols.address_size, symbols.big_endian};
  const bool is_44bsd = options.format == ProfileFormat::k44Bsd;
  const bool is_bsd = is_44bsd || options.format == ProfileFormat::kBsd;
  const bool has_rate =
      is_44bsd || (!sum.histograms.empty() && sum.histograms[0].rate != kAssumedBsdRate);
  const absl::StatusOr<std::string> bytes =
      is_bsd ? WriteBsd(sum, format, has_rate) : WriteGmon(sum, format);
  sum.histograms.swap(profile.histograms);
  if (!bytes.ok()) return WithContext(bytes.status(), options.program);
  std::ofstream file(kSumFile, std::ios::binary | std::ios::trunc);
  file << *bytes << std::flush;
  if (file) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(kSumFile, ": ", std::strerror(errno)));
}

}  // namespace gprofhub
