#include "cli/gprof/source_files.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/gprof/options/source_places.h"
#include "cli/gprof/read_as_gnu_gprof.h"

namespace gprofhub::cli {
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
