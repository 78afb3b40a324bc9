#include "cli/gprof/sum_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "analyzer/exports/exports.h"
#include "analyzer/listing/annotated_source.h"
#include "analyzer/listing/prepare.h"
#include "base/status.h"
#include "cli/gprof/image_file.h"
#include "profile/gmon/writer.h"

namespace gprofhub::cli {

namespace {

struct NamedListing {
  Listing listing;
  absl::string_view option;
};

// Listings that only JSON has.
constexpr NamedListing kFurtherListings[] = {
    {kAnnotatedSource, "-A"}, {kExecutionCounts, "-C"}, {kFileInfo, "-i"},
    {kFunctionOrder, "-r"},   {kFileOrder, "-R"},
};

absl::Status Refuse(const GprofOptions& options, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(options.program, ": --format: ", why));
}

}  // namespace

absl::Status CheckExport(const GprofOptions& options) {
  const absl::StatusOr<analyzer::ExportFormat> format =
      analyzer::FindFormat(analyzer::ExportFormats(), options.export_format);
  if (!format.ok()) return Refuse(options, format.status().message());
  if ((options.wanted & kSum) != 0) {
    return Refuse(options,
                  "cannot be combined with -s, which only writes gmon.sum; omit one of them");
  }
  if (options.debug != 0) {
    return Refuse(
        options,
        "cannot be combined with -d, which prints its dump to the same output; omit one of them");
  }
  if (format->has_further_listings) return absl::OkStatus();
  for (const NamedListing& further : kFurtherListings) {
    if ((options.wanted & further.listing) == 0) continue;
    return Refuse(options, absl::StrCat(options.export_format, " cannot contain the listing of ",
                                        further.option, "; use json"));
  }
  return absl::OkStatus();
}

void ExportProfile(const GprofOptions& options, const analyzer::ListingOptions& listing,
                   const profile::SymbolTable& symbols, const profile::RawProfile& profile,
                   const std::vector<analyzer::StaticCall>& static_calls,
                   const std::vector<analyzer::MappedFunction>& file_map,
                   std::vector<analyzer::ProfileRecords> records, analyzer::TextSink sink) {
  const analyzer::ListingInput input =
      analyzer::PrepareListing(symbols, profile, listing, static_calls);
  const analyzer::BlockCounts blocks = analyzer::AssignBlocks(input, profile.blocks);
  analyzer::FurtherListings further;
  if ((options.wanted & kAnnotatedSource) != 0) {
    further.sources.emplace();
    analyzer::AnnotateSources(
        input, blocks, AnnotationOptionsOf(options),
        [](const std::string&) { return std::numeric_limits<uint32_t>::max(); },
        [&](analyzer::SourceAnnotation annotation) {
          further.sources->push_back(std::move(annotation));
        });
  }
  if ((options.wanted & kExecutionCounts) != 0) {
    further.executions = analyzer::CountExecutions(input, listing, blocks);
  }
  if ((options.wanted & kFileInfo) != 0) further.profiles = std::move(records);
  if ((options.wanted & kFunctionOrder) != 0) further.function_order = FunctionOrder(input);
  if ((options.wanted & kFileOrder) != 0) further.file_order = FileOrder(input, file_map);
  analyzer::FindFormat(analyzer::ExportFormats(), options.export_format)
      ->write({input, profile, symbols.image_name, std::move(further)}, sink);
}

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
  const profile::GmonWriteOptions format{symbols.address_size, symbols.big_endian,
                                         /*has_exact_callers=*/false};
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
