#include "cli/gprof/export_profile.h"

#include <limits>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "analyzer/listings/block_counts.h"
#include "cli/gprof/link_order.h"
#include "cli/gprof/source_files.h"

namespace gprofhub {
namespace {

struct NamedListing {
  Listing listing;
  absl::string_view option;
};

// What only JSON has.
constexpr NamedListing kFurtherListings[] = {
    {kAnnotatedSource, "-A"}, {kExecutionCounts, "-C"}, {kFileInfo, "-i"},
    {kFunctionOrder, "-r"},   {kFileOrder, "-R"},
};

absl::Status Refuse(const GprofOptions& options, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(options.program, ": --format: ", why));
}

}  // namespace

absl::Status CheckExport(const GprofOptions& options) {
  const absl::StatusOr<ExportFormat> format = ParseExportFormat(options.export_format);
  if (!format.ok()) return Refuse(options, format.status().message());
  if ((options.wanted & kSum) != 0) {
    return Refuse(options, "-s writes gmon.sum and exports nothing; leave out one of the two");
  }
  if (*format == ExportFormat::kJson) return absl::OkStatus();
  for (const NamedListing& further : kFurtherListings) {
    if ((options.wanted & further.listing) == 0) continue;
    return Refuse(options, absl::StrCat(options.export_format, " has no place for what ",
                                        further.option, " lists; json has"));
  }
  return absl::OkStatus();
}

void ExportProfile(const GprofOptions& options, const ListingOptions& listing,
                   const SymbolTable& symbols, const RawProfile& profile,
                   const std::vector<StaticCall>& static_calls,
                   const std::vector<MappedFunction>& file_map, std::vector<ProfileRecords> records,
                   TextSink sink) {
  const ListingInput input = PrepareListing(symbols, profile, listing, static_calls);
  const BlockCounts blocks = AssignBlocks(input, profile.blocks);
  FurtherListings further;
  if ((options.wanted & kAnnotatedSource) != 0) {
    further.sources.emplace();
    AnnotateSources(
        input, blocks, AnnotationOptionsOf(options),
        [](const std::string&) { return std::numeric_limits<uint32_t>::max(); },
        [&](SourceAnnotation annotation) { further.sources->push_back(std::move(annotation)); });
  }
  if ((options.wanted & kExecutionCounts) != 0) {
    further.executions = CountExecutions(input, listing, blocks);
  }
  if ((options.wanted & kFileInfo) != 0) further.profiles = std::move(records);
  if ((options.wanted & kFunctionOrder) != 0) further.function_order = FunctionOrder(input);
  if ((options.wanted & kFileOrder) != 0) further.file_order = FileOrder(input, file_map);
  WriteExport({input, profile, symbols.image_name, std::move(further)},
              *ParseExportFormat(options.export_format), sink);
}

}  // namespace gprofhub
