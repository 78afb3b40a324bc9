#include "cli/gprof/command.h"

#include <malloc.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/listing/annotated_source.h"
#include "analyzer/listing/prepare.h"
#include "analyzer/listing/tables.h"
#include "analyzer/ordering/linker_files.h"
#include "base/lru_cache.h"
#include "base/status_macros.h"
#include "cli/gprof/debug_dump.h"
#include "cli/gprof/image_file.h"
#include "cli/gprof/input_files.h"
#include "cli/gprof/parse_options.h"
#include "cli/gprof/sum_file.h"

namespace gprofhub::cli {
namespace {

int Fail(const std::string& line) {
  std::cout << std::flush;
  std::cerr << line << "\n";
  return kExitFailure;
}

// Selects the listings to print: the requested ones, or by default flat profile and call graph, as
// far as there is data. An error if the data of a requested listing is missing.
absl::StatusOr<unsigned> ChooseListings(const GprofOptions& options,
                                        const profile::RawProfile& profile) {
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

// Makes malloc return the memory of large arrays to the system when they are freed. By default
// malloc would keep it for other large arrays, but here each is allocated only once.
void ReturnFreedMemory() {
  constexpr int kLarge = 1 << 17;  // malloc's initial threshold
  mallopt(M_MMAP_THRESHOLD, kLarge);
}

// Inputs that are read before the profiles.
struct Program {
  profile::SymbolTable symbols;
  std::vector<analyzer::MappedFunction> file_map;  // of -R
  std::vector<analyzer::StaticCall> static_calls;  // of -c
};

absl::StatusOr<Program> ReadProgram(const GprofOptions& options,
                                    const StaticCallFinder& find_static_calls) {
  Program program;
  ASSIGN_OR_RETURN(profile::SymbolTable symbols, ReadImage(options));
  program.symbols = std::move(symbols);
  const bool orders_files = (options.wanted & kFileOrder) != 0;
  if (orders_files) {
    ASSIGN_OR_RETURN(std::vector<analyzer::MappedFunction> read, ReadFileMap(options));
    program.file_map = std::move(read);
  }
  RETURN_IF_ERROR(ChooseFunctions(options, program.symbols));
  if (orders_files) {
    program.symbols =
        WithFilesForFunctions(std::move(program.symbols), options.listing.rows, program.file_map);
  }
  if (options.format == ProfileFormat::kProf) {
    return absl::UnimplementedError(
        absl::StrCat(options.program, ": sorry, file format `prof' is not yet supported"));
  }
  if (options.static_calls) {
    ASSIGN_OR_RETURN(std::vector<analyzer::StaticCall> found,
                     find_static_calls(options, program.symbols));
    program.static_calls = std::move(found);
  }
  return program;
}

// Prints the chosen listings, in GNU gprof's order.
void PrintListings(unsigned listings, const GprofOptions& options,
                   const analyzer::ListingOptions& listing, const analyzer::ListingInput& input,
                   const profile::RawProfile& profile,
                   const std::vector<analyzer::MappedFunction>& file_map) {
  analyzer::Pages pages(WriteOut);
  if ((listings & kFileInfo) != 0) pages.SetNotFirst();
  analyzer::PrintTables(input, listing, pages);
  const analyzer::BlockCounts blocks = analyzer::AssignBlocks(input, profile.blocks);
  if ((listings & kExecutionCounts) != 0) {
    pages.Begin();
    WriteOut(analyzer::PrintExecutionCounts(input, listing, blocks));
  }
  if ((listings & kAnnotatedSource) != 0) PrintSources(input, blocks, options, pages);
  if ((listings & kFunctionOrder) != 0) WriteLines(FunctionOrder(input));
  if ((listings & kFileOrder) != 0) WriteLines(FileOrder(input, file_map));
}

// Attributes, resolves and prints. Frees parts of `program` and `profile` that the listings
// do not need.
absl::Status List(const GprofOptions& options, analyzer::ListingOptions listing, Program& program,
                  profile::RawProfile& profile) {
  ASSIGN_OR_RETURN(const unsigned listings, ChooseListings(options, profile));
  if (listings == 0) return absl::OkStatus();
  const bool has_sum = (listings & kSum) != 0;
  listing.name_aliases = listing.rows.policy == analyzer::SymbolPolicy::kExact;
  listing.tables = {.flat = (listings & kFlatListing) != 0,
                    .graph = (listings & kGraphListing) != 0};
  analyzer::CycleBreaking breaking;
  breaking.least_members = options.break_cycles;
  breaking.cut = options.cut_cycles;
  analyzer::ListingInput input = analyzer::PrepareListingFreeing(
      has_sum ? analyzer::FreedParts::kArcs : analyzer::FreedParts::kArcsAndBins, program.symbols,
      profile, listing, program.static_calls, options.break_cycles > 0 ? &breaking : nullptr);
  base::FreeMemoryOf(program.symbols.lines);
  if (has_sum) {
    RETURN_IF_ERROR(WriteSum(options, program.symbols, input, profile));
  }
  if (options.break_cycles > 0) WriteOut(analyzer::PrintCutCycles(input, breaking) + "\n");
  PrintListings(listings, options, listing, input, profile, program.file_map);
  return absl::OkStatus();
}

// Whether functions of other modules can be rows: not in line-by-line listings (they have no
// lines), not if -S selects the functions, and not in a sum for GNU gprof, which does not know
// their addresses.
bool ListsLibraryFunctions(const GprofOptions& options, const profile::SymbolTable& symbols) {
  return !options.listing.rows.by_line && !symbols.has_chosen_functions &&
         (options.wanted & kSum) == 0;
}

// An error's message is the whole line to print.
absl::Status RunGprof(const GprofOptions& options, const StaticCallFinder& find_static_calls) {
  const bool is_export = !options.export_format.empty();
  if (is_export) {
    RETURN_IF_ERROR(CheckExport(options));
  }
  ASSIGN_OR_RETURN(Program program, ReadProgram(options, find_static_calls));
  std::optional<DebugDump> dump;
  if (options.debug != 0) WriteOut(dump.emplace(options, program.symbols).OfProgram());
  std::vector<analyzer::ProfileRecords> records;
  LibraryFunctions libraries(program.symbols);
  ASSIGN_OR_RETURN(
      profile::RawProfile profile,
      ReadProfiles(options, program.symbols, dump ? &*dump : nullptr,
                   ListsLibraryFunctions(options, program.symbols) ? &libraries : nullptr,
                   records));
  libraries.AddTo(program.symbols);
  analyzer::ListingOptions listing = options.listing;
  listing.symspecs = options.symspecs.Lists();
  if (!is_export) {
    return List(options, std::move(listing), program, profile);
  }
  // GNU gprof has none of these formats, so nothing is gained by its choice of symbols.
  listing.rows.policy = analyzer::SymbolPolicy::kExact;
  ExportProfile(options, listing, program.symbols, profile, program.static_calls, program.file_map,
                std::move(records), WriteOut);
  return absl::OkStatus();
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
  const absl::Status status = RunGprof(options, find_static_calls);
  const int code = status.ok() ? kExitOk : Fail(std::string(status.message()));
  std::cout << std::flush;
  if (!std::cout) return Fail(absl::StrCat(options.program, ": cannot write the output"));
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

}  // namespace gprofhub::cli
