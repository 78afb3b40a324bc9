#include "cli/gprof/image_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "analyzer/ordering/function_order.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/gprof/input_files.h"
#include "cli/gprof/options.h"
#include "profile/elf/read_image.h"

namespace gprofhub::cli {

void UseExternalSymbols(absl::string_view text, profile::SymbolTable& symbols) {
  std::vector<profile::FunctionSymbol> functions;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    if (words.size() < 3 || words[1].size() != 1) continue;
    if (words[1] != "T" && words[1] != "t") continue;
    uint64_t address = 0;
    if (!absl::SimpleHexAtoi(words[0], &address)) continue;
    profile::FunctionSymbol function;
    function.address = address;
    function.name = std::string(words[2]);
    function.is_local = words[1] == "t";
    function.is_function = true;
    function.table_index = static_cast<uint32_t>(functions.size());
    functions.push_back(std::move(function));
  }
  std::stable_sort(functions.begin(), functions.end(),
                   [](const profile::FunctionSymbol& a, const profile::FunctionSymbol& b) {
                     return a.address < b.address;
                   });
  symbols.functions = std::move(functions);
  symbols.has_chosen_functions = true;
  symbols.weak_labels.clear();
  symbols.lines.clear();
}

// Finds possible calls between functions from the code alone.
//
// A call is found by decoding each function from its first byte on, one
// instruction after another, to the function's end: unlike a search for the call's opcode, this
// never mistakes a byte inside another instruction for a call. Code after invalid bytes (data
// within a function) is skipped, because the start of the next instruction is unknown.
//
// Only calls whose target is in the instruction count: through a register or a table the target is
// not in the code, and calls of shared objects go through a stub without a symbol. A call that does
// not go to a function's first byte is not a call of that function (position-independent code calls
// the next instruction to learn where it is). On x86 jumps do not count, tail calls included; on
// aarch64 one to another function's first byte is a tail call (GNU gprof distinguishes them in the
// same way).
//
// x86 is decoded by Zydis. On aarch64 every instruction is four bytes, in little
// endian order on big-endian systems too; `bl` has the bits 100101 and `b` 000101, both
// followed by the distance in words ("Arm Architecture Reference Manual", BL and B).

namespace {

// As perror prints it: nothing for an empty name.
std::string SystemError(const std::string& path, int number) {
  return absl::StrCat(path, path.empty() ? "" : ": ", std::strerror(number));
}

// Whether the output contains source files or lines.
bool NeedsLines(const GprofOptions& options) {
  const analyzer::ListingOptions& listing = options.listing;
  if (options.symspecs.NamePlaces()) return true;
  if (listing.rows.by_line || listing.inline_file_names) return true;
  if (!options.export_format.empty()) return true;
  const unsigned named = kGraphListing | kAnnotatedSource | kExecutionCounts;
  if ((options.wanted & named) != 0) return true;
  return options.wanted == 0 && (options.decided & kGraphListing) == 0;
}

}  // namespace

absl::StatusOr<profile::SymbolTable> ReadImage(const GprofOptions& options) {
  const std::string& path = options.image;
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return absl::NotFoundError(SystemError(path, errno));
  }
  if (S_ISDIR(info.st_mode)) {
    return absl::NotFoundError(SystemError(path, ENOENT));
  }
  if (!std::ifstream(path, std::ios::binary)) {
    return absl::PermissionDeniedError(SystemError(path, errno));
  }
  profile::ElfReadOptions read;
  read.with_lines = NeedsLines(options);
  read.with_scopes = options.listing.rows.by_line;
  read.absolute_files = true;
  read.may_be_stripped = true;
  absl::StatusOr<profile::SymbolTable> symbols = profile::ReadElfSymbols(path, read);
  if (absl::IsInvalidArgument(symbols.status())) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.program, ": ", path, ": not in executable format"));
  }
  if (read.with_scopes && symbols.ok() && symbols->scope_names.empty() && !symbols->lines.empty()) {
    std::cerr << options.program << ": warning: " << path
              << ": has line numbers but no .debug_info: lines of inlined functions are listed "
                 "under the functions that they were inlined into; build with -g for their names\n";
  }
  return symbols;
}

absl::Status ChooseFunctions(const GprofOptions& options, profile::SymbolTable& symbols) {
  if (options.external_symbols) {
    std::string text;
    if (!ReadAsGnuGprof(*options.external_symbols, text).ok()) {
      return absl::NotFoundError(
          absl::StrCat(options.program, ": could not open ", *options.external_symbols, "."));
    }
    UseExternalSymbols(text, symbols);
  }
  if (!symbols.functions.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(options.program, ": file `",
                                                 options.external_symbols.value_or(options.image),
                                                 "' has no symbols"));
}

namespace {

std::vector<absl::string_view> OrderedNames(const analyzer::ListingInput& input) {
  const analyzer::CallGraph& graph = input.graph;
  std::vector<bool> called(input.rows.size());
  for (uint32_t row = 0; row < called.size(); ++row) called[row] = graph.nodes[row].calls != 0;
  std::vector<analyzer::WeightedArc> arcs;
  arcs.reserve(graph.arcs.size());
  for (const analyzer::GraphArc& arc : graph.arcs)
    arcs.push_back({arc.caller, arc.callee, arc.count});
  std::vector<absl::string_view> names;
  for (const uint32_t row : analyzer::OrderGprof(called, std::move(arcs))) {
    names.push_back(input.rows.LinkageName(row));
  }
  return names;
}

}  // namespace

absl::StatusOr<std::vector<analyzer::MappedFunction>> ReadFileMap(const GprofOptions& options) {
  std::string text;
  if (!base::ReadFileInto(options.map_file, text).ok()) {
    return absl::NotFoundError(
        absl::StrCat(options.program, ": could not open ", options.map_file, "."));
  }
  absl::StatusOr<std::vector<analyzer::MappedFunction>> map =
      analyzer::ParseFileMap(text, options.map_file);
  if (map.ok()) return map;
  return base::WithContext(map.status(), options.program);
}

profile::SymbolTable WithFilesForFunctions(profile::SymbolTable symbols,
                                           const analyzer::RowOptions& options,
                                           const std::vector<analyzer::MappedFunction>& map) {
  analyzer::RowOptions by_function = options;
  by_function.by_line = false;
  const analyzer::FunctionTable table = analyzer::ListingRows(symbols, by_function).table();
  const uint64_t last = symbols.functions.empty() ? 0 : symbols.functions.back().address;
  std::vector<profile::FunctionSymbol> functions;
  std::vector<profile::FunctionSymbol> weak_labels;
  for (const analyzer::TableFunction& row : table.functions) {
    (row.address <= last ? functions : weak_labels).push_back(*row.symbol);
  }
  symbols.functions = analyzer::MergeIntoFiles(map, std::move(functions));
  symbols.weak_labels = analyzer::MergeIntoFiles(map, std::move(weak_labels));
  return symbols;
}

std::vector<std::string> FunctionOrder(const analyzer::ListingInput& input) {
  const std::vector<absl::string_view> names = OrderedNames(input);
  return {names.begin(), names.end()};
}

std::vector<std::string> FileOrder(const analyzer::ListingInput& input,
                                   const std::vector<analyzer::MappedFunction>& map) {
  return analyzer::OrderFiles(map, OrderedNames(input));
}

namespace {

SourceSearch SearchOf(const GprofOptions& options) {
  SourceSearch search;
  search.path_map = options.path_map;
  if (options.has_source_path) search.directories = absl::StrSplit(options.source_path, ':');
  if (const char* environment = std::getenv("GPROF_PATH"); environment != nullptr) {
    for (const absl::string_view directory : absl::StrSplit(environment, ':')) {
      search.directories.emplace_back(directory);
    }
  }
  search.bazel_roots = BazelRoots(options.image, std::getenv("BUILD_WORKSPACE_DIRECTORY"));
  return search;
}

std::optional<std::string> FindSource(const std::string& path, const SourceSearch& search,
                                      const GprofOptions& options) {
  for (const std::string& place : SourcePlaces(path, search)) {
    std::string text;
    if (ReadAsGnuGprof(place, text).ok()) return text;
  }
  std::cout << std::flush;
  std::cerr << options.program << ": could not locate `" << path << "'\n";
  return std::nullopt;
}

void WriteBeside(const std::string& text, const std::string& path) {
  const std::string name = absl::StrCat(analyzer::WithoutDirectory(path), "-ann");
  std::ofstream file(name, std::ios::binary);
  file << text;
  if (!file) std::cerr << name << ": " << std::strerror(errno) << "\n";
}

}  // namespace

analyzer::AnnotationOptions AnnotationOptionsOf(const GprofOptions& options) {
  return {options.all_lines, options.listing.show_unused, options.min_count, options.table_length};
}

void PrintSources(const analyzer::ListingInput& input, const analyzer::BlockCounts& blocks,
                  const GprofOptions& options, analyzer::Pages& pages) {
  const SourceSearch search = SearchOf(options);
  bool is_first = true;
  std::optional<std::string> source;  // the file that was found last
  const auto find = [&](const std::string& path) -> std::optional<uint32_t> {
    source = FindSource(path, search, options);
    if (!source) return std::nullopt;
    const bool ends_within_a_line = !source->empty() && source->back() != '\n';
    return std::count(source->begin(), source->end(), '\n') + ends_within_a_line;
  };
  const auto print = [&](const analyzer::SourceAnnotation& annotation) {
    const std::string text = analyzer::PrintAnnotatedSource(annotation, *source);
    if (options.separate_files) {
      WriteBeside(text, annotation.path);
      return;
    }
    if (!is_first) pages.sink()("\n");
    is_first = false;
    pages.Begin();
    pages.sink()(absl::StrCat("*** File ", annotation.path, ":\n"));
    pages.sink()(text);
  };
  analyzer::AnnotateSources(input, blocks, AnnotationOptionsOf(options), find, print);
}

}  // namespace gprofhub::cli
