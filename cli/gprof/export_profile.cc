#include "cli/gprof/export_profile.h"

#include <limits>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "analyzer/annotations/block_counts.h"
#include "analyzer/exports/exports.h"
#include "analyzer/listing/prepare.h"
#include "cli/gprof/link_order.h"
#include "cli/gprof/source_files.h"

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
      analyzer::ParseExportFormat(options.export_format);
  if (!format.ok()) return Refuse(options, format.status().message());
  if ((options.wanted & kSum) != 0) {
    return Refuse(options, "-s writes gmon.sum and exports nothing; leave out one of the two");
  }
  if (options.debug != 0) {
    return Refuse(options, "-d prints its dump where the export goes; leave out one of the two");
  }
  if (*format == analyzer::ExportFormat::kJson) return absl::OkStatus();
  for (const NamedListing& further : kFurtherListings) {
    if ((options.wanted & further.listing) == 0) continue;
    return Refuse(options, absl::StrCat(options.export_format, " has no place for what ",
                                        further.option, " lists; json has"));
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
  analyzer::WriteExport({input, profile, symbols.image_name, std::move(further)},
                        *analyzer::ParseExportFormat(options.export_format), sink);
}

}  // namespace gprofhub::cli
