#include "cli/gprof_command.h"

#include <malloc.h>

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/listings.h"
#include "analyzer/listings/execution_counts.h"
#include "analyzer/ordering/file_map.h"
#include "cli/gprof/export_profile.h"
#include "cli/gprof/input_files.h"
#include "cli/gprof/link_order.h"
#include "cli/gprof/options.h"
#include "cli/gprof/source_files.h"
#include "cli/gprof/sum_file.h"
#include "cli/gprof/traces/trace.h"

namespace gprofhub {
namespace {

int Fail(const std::string& line) {
  std::cout << std::flush;
  std::cerr << line << "\n";
  return kExitFailure;
}

// What to print: what was asked for, else flat profile and call graph, as far
// as there is data for them. Empty: something asked for is not there.
absl::StatusOr<unsigned> ChooseListings(const GprofOptions& options, const RawProfile& profile) {
  const unsigned wanted = options.wanted;
  if ((wanted & kFlatListing) != 0 && profile.histograms.empty()) {
    return absl::NotFoundError(
        absl::StrCat(options.program, ": gmon.out file is missing histogram"));
  }
  if ((wanted & kGraphListing) != 0 && profile.arcs.empty()) {
    return absl::NotFoundError(
        absl::StrCat(options.program, ": gmon.out file is missing call-graph data"));
  }
  if (wanted != 0) return wanted;
  const unsigned possible = (profile.histograms.empty() ? 0u : kFlatListing) |
                            (profile.arcs.empty() ? 0u : kGraphListing);
  return possible & ~options.decided;
}

void WriteOut(absl::string_view text) {
  std::cout.write(text.data(), static_cast<std::streamsize>(text.size()));
}

void WriteLines(const std::vector<std::string>& lines) {
  WriteOut(absl::StrCat(absl::StrJoin(lines, "\n"), lines.empty() ? "" : "\n"));
}

// What large arrays took goes back to the system when they are freed: malloc would rather
// keep it for others as large, but here each is made once.
void ReturnFreedMemory() {
  constexpr int kLarge = 1 << 17;  // as malloc begins
  mallopt(M_MMAP_THRESHOLD, kLarge);
}

int RunGprof(const GprofOptions& options, const StaticCallFinder& find_static_calls) {
  const bool is_export = !options.export_format.empty();
  if (is_export) {
    const absl::Status possible = CheckExport(options);
    if (!possible.ok()) return Fail(std::string(possible.message()));
  }
  absl::StatusOr<SymbolTable> symbols = ReadImage(options);
  if (!symbols.ok()) return Fail(std::string(symbols.status().message()));
  std::vector<MappedFunction> file_map;
  if ((options.wanted & kFileOrder) != 0) {
    absl::StatusOr<std::vector<MappedFunction>> read = ReadFileMap(options);
    if (!read.ok()) return Fail(std::string(read.status().message()));
    file_map = *std::move(read);
  }
  const absl::Status chosen = ChooseFunctions(options, *symbols);
  if (!chosen.ok()) return Fail(std::string(chosen.message()));
  if ((options.wanted & kFileOrder) != 0) {
    *symbols = WithFilesForFunctions(*std::move(symbols), options.listing.rows, file_map);
  }
  if (options.format == ProfileFormat::kProf) {
    return Fail(absl::StrCat(options.program, ": sorry, file format `prof' is not yet supported"));
  }
  std::vector<StaticCall> static_calls;
  if (options.static_calls) {
    absl::StatusOr<std::vector<StaticCall>> found = find_static_calls(options, *symbols);
    if (!found.ok()) return Fail(std::string(found.status().message()));
    static_calls = *std::move(found);
  }
  std::unique_ptr<GprofTrace> trace;
  if (WantsTrace(options)) {
    absl::StatusOr<std::unique_ptr<GprofTrace>> opened = GprofTrace::Open(options, *symbols);
    if (!opened.ok()) return Fail(std::string(opened.status().message()));
    trace = *std::move(opened);
    WriteOut(trace->OfImage());
  }
  std::vector<ProfileRecords> records;
  absl::StatusOr<RawProfile> profile = ReadProfiles(options, *symbols, trace.get(), records);
  if (!profile.ok()) return Fail(std::string(profile.status().message()));
  ListingOptions listing = options.listing;
  listing.symspecs = options.symspecs.Lists();
  if (is_export) {
    ExportProfile(options, listing, *symbols, *profile, static_calls, file_map, std::move(records),
                  WriteOut);
    return kExitOk;
  }
  const absl::StatusOr<unsigned> listings = ChooseListings(options, *profile);
  if (trace == nullptr) {
    if (!listings.ok()) return Fail(std::string(listings.status().message()));
    if (*listings == 0) return kExitOk;
  }

  const bool has_sum = listings.ok() && (*listings & kSum) != 0;
  const bool needs_bins = has_sum || trace != nullptr;
  listing.tables = {.flat = listings.ok() && (*listings & kFlatListing) != 0,
                    .graph = listings.ok() && (*listings & kGraphListing) != 0};
  ListingInput input =
      PrepareListingFreeing(needs_bins ? FreedParts::kArcs : FreedParts::kArcsAndBins, *symbols,
                            *profile, listing, static_calls);
  symbols->lines = std::vector<LineRow>();  // {} would keep its memory
  if (has_sum) {
    if (trace != nullptr) WriteOut(trace->OfSum(input));
    const absl::Status written = WriteSum(options, *symbols, input, *profile);
    if (!written.ok()) return Fail(std::string(written.message()));
  }
  if (trace != nullptr) WriteOut(trace->OfListing(profile->histograms, input));
  if (!listings.ok()) return Fail(std::string(listings.status().message()));
  Pages pages(WriteOut);
  if ((*listings & kFileInfo) != 0) pages.SetNotFirst();
  PrintTables(input, listing, pages);
  const BlockCounts blocks = AssignBlocks(input, profile->blocks);
  if ((*listings & kExecutionCounts) != 0) {
    pages.Begin();
    if (trace != nullptr) WriteOut(trace->OfExecutionCounts(input));
    WriteOut(PrintExecutionCounts(input, listing, blocks));
  }
  if ((*listings & kAnnotatedSource) != 0) {
    if (trace != nullptr) WriteOut(trace->OfSources(input));
    PrintSources(input, blocks, options, pages);
  }
  if ((*listings & kFunctionOrder) != 0) WriteLines(FunctionOrder(input));
  if ((*listings & kFileOrder) != 0) WriteLines(FileOrder(input, file_map));
  return kExitOk;
}

}  // namespace

int GprofMain(int argc, char** argv, const StaticCallFinder& find_static_calls) {
  std::ios::sync_with_stdio(false);
  ReturnFreedMemory();
  const ParsedOptions parsed = ParseGprofOptions(argc, argv);
  if (const int* code = std::get_if<int>(&parsed)) {
    std::cout << std::flush;
    return *code;
  }
  const GprofOptions& options = std::get<GprofOptions>(parsed);
  const int code = RunGprof(options, find_static_calls);
  std::cout << std::flush;
  if (!std::cout) return Fail(absl::StrCat(options.program, ": the output cannot be written"));
  return code;
}

void AddGprofCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "gprof",
      "Print a program's flat profile and call graph from its gmon.out, as GNU gprof does");
  command->prefix_command();
  SetExamples(*command,
              {"gprofhub gprof ./app gmon.out | less", "gprofhub gprof -b -p ./app gmon.1 gmon.2",
               "gprofhub gprof --format=callgrind ./app gmon.out > callgrind.out",
               "gprofhub gprof --help"});
  command->callback([&run] { run = [] { return static_cast<int>(kExitUsage); }; });
}

}  // namespace gprofhub
