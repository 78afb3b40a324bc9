#include "cli/gprof/sum_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_context.h"
#include "profile/gmon/bsd_format.h"
#include "profile/gmon/bsd_writer.h"
#include "profile/gmon/writer.h"

namespace gprofhub::cli {
namespace {

constexpr char kSumFile[] = "gmon.sum";

}  // namespace

absl::Status WriteSum(const GprofOptions& options, const profile::SymbolTable& symbols,
                      const analyzer::ListingInput& input, profile::RawProfile& profile) {
  profile::RawProfile sum;
  sum.histograms.swap(profile.histograms);
  sum.arcs.reserve(input.graph.arcs.size());
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    for (const uint32_t index : input.graph.ArcsFrom(row)) {
      const analyzer::GraphArc& arc = input.graph.arcs[index];
      sum.arcs.push_back({input.rows.Address(row), input.rows.Address(arc.callee), arc.count});
    }
  }
  for (const profile::BasicBlock& block : profile.blocks) {
    if (analyzer::FindByAddress(input.rows.table(), block.pc) != analyzer::kNoFunction)
      sum.blocks.push_back(block);
  }
  std::stable_sort(
      sum.blocks.begin(), sum.blocks.end(),
      [](const profile::BasicBlock& a, const profile::BasicBlock& b) { return a.pc < b.pc; });
  const profile::GmonWriteOptions format{symbols.address_size, symbols.big_endian};
  const bool is_44bsd = options.format == ProfileFormat::k44Bsd;
  const bool is_bsd = is_44bsd || options.format == ProfileFormat::kBsd;
  const bool has_rate =
      is_44bsd || (!sum.histograms.empty() && sum.histograms[0].rate != profile::kAssumedBsdRate);
  const absl::StatusOr<std::string> bytes =
      is_bsd ? profile::WriteBsd(sum, format, has_rate) : profile::WriteGmon(sum, format);
  sum.histograms.swap(profile.histograms);
  if (!bytes.ok()) return base::WithContext(bytes.status(), options.program);
  std::ofstream file(kSumFile, std::ios::binary | std::ios::trunc);
  file << *bytes << std::flush;
  if (file) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(kSumFile, ": ", std::strerror(errno)));
}

}  // namespace gprofhub::cli
