#include "cli/order/source.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "analyzer/linker_files/clones.h"
#include "analyzer/linker_files/file_map.h"
#include "analyzer/linker_files/named_program.h"
#include "analyzer/linker_files/section_files.h"
#include "analyzer/linker_files/symbol_file.h"
#include "analyzer/linker_files/test_code.h"
#include "analyzer/target/sampled_profile.h"
#include "base/glob.h"
#include "base/read_file.h"
#include "cli/client/query_client.h"
#include "cli/local/profiles.h"
#include "profile/image/read_image.h"
#include "profile/names/demangle.h"
#include "profile/stacks/perf_text.h"
#include "profile/stacks/resolve.h"

namespace gprofhub::cli {
namespace {

bool LooksLikeRun(absl::string_view name) {
  const auto all = [&](bool (*is)(unsigned char)) {
    return !name.empty() && std::all_of(name.begin(), name.end(),
                                        [is](char c) { return is(static_cast<unsigned char>(c)); });
  };
  return name == "latest" || all(absl::ascii_isdigit) ||
         (name.size() >= 7 && all(absl::ascii_isxdigit));
}

absl::StatusOr<profile::ComputedProfile> ReadStacks(const std::string& path,
                                                    const std::string& image) {
  const absl::StatusOr<std::string> text = base::ReadFile(path);
  if (!text.ok()) return text.status();
  const absl::StatusOr<profile::SampledStacks> stacks = profile::ParseSampledStacks(*text, path);
  if (!stacks.ok()) return stacks.status();
  const absl::StatusOr<profile::SymbolTable> program =
      image.empty() ? analyzer::ProgramOfNames(*stacks) : profile::ReadElfSymbols(image);
  if (!program.ok()) return program.status();
  if (program->functions.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path,
                     ": has no linkage names: name the program with --image, or make it with "
                     "`perf script --no-demangle`"));
  }
  const absl::StatusOr<profile::ResolvedStacks> resolved =
      profile::ResolveStacks(*stacks, *program, path);
  if (!resolved.ok()) return resolved.status();
  analyzer::SampledProfile profile;
  profile.Add(resolved->stacks, *program);
  return profile.Take();
}

double WeightOf(const reporter::OrderingPolicy& policy, absl::string_view path) {
  while (path.size() > 1 && absl::ConsumeSuffix(&path, "/")) {
  }
  for (const reporter::OrderingWorkload& workload : policy.workloads) {
    if (base::GlobMatches(workload.target, path)) return workload.weight;
  }
  return 1;
}

absl::StatusOr<std::string> OrderAtServer(const OrderSource& source) {
  v1::GetOrderingRequest request;
  request.set_run(source.sources.front());
  for (size_t i = 1; i < source.sources.size(); ++i) request.add_more_runs(source.sources[i]);
  request.set_target(source.target);
  request.set_call_graph(source.form == OrderingForm::kCallGraph);
  request.set_history(source.policy.history);
  request.set_half_life_days(source.policy.half_life_days);
  for (const reporter::OrderingWorkload& workload : source.policy.workloads) {
    v1::OrderingWorkload* const sent = request.add_workloads();
    sent->set_target(workload.target);
    sent->set_weight(workload.weight);
  }
  for (const std::string& pattern : source.policy.exclude) request.add_exclude(pattern);
  request.set_with_tests(source.policy.with_tests);
  return QueryClient(source.server).GetOrdering(request);
}

// Functions with an additional part in .text.unlikely.
absl::flat_hash_set<std::string> SplitFunctions(const std::vector<std::string>& in_binary) {
  absl::flat_hash_set<std::string> split;
  for (absl::string_view name : in_binary) {
    if (absl::ConsumeSuffix(&name, ".cold")) split.emplace(name);
  }
  return split;
}

absl::StatusOr<std::vector<std::string>> FunctionNames(const std::string& binary) {
  std::vector<std::string> names;
  if (binary.empty()) return names;
  const absl::StatusOr<profile::SymbolTable> symbols =
      profile::ReadElfSymbols(binary, {.with_lines = false});
  if (!symbols.ok()) return symbols.status();
  for (const profile::FunctionSymbol& symbol : symbols->functions) {
    if (symbol.is_function && analyzer::CanBePlaced(symbol.name)) names.push_back(symbol.name);
  }
  return names;
}

}  // namespace

absl::StatusOr<analyzer::OrderingGraph> ReadLocalGraph(const OrderSource& source) {
  const analyzer::ExcludeOptions exclude = {.tests = !source.policy.with_tests,
                                            .patterns = source.policy.exclude};
  analyzer::OrderingGraphBuilder builder;
  for (const std::string& path : source.sources) {
    const double weight = WeightOf(source.policy, path);
    if (weight == 0) continue;
    std::vector<profile::ComputedProfile> runs;
    if (profile::HoldsSampledStacks(path)) {
      absl::StatusOr<profile::ComputedProfile> run = ReadStacks(path, source.image);
      if (!run.ok()) return run.status();
      runs.push_back(*std::move(run));
    } else {
      absl::StatusOr<std::vector<profile::ComputedProfile>> read =
          ReadLocalRuns(path, source.image);
      if (!read.ok()) return read.status();
      runs = *std::move(read);
    }
    for (const profile::ComputedProfile& run : runs) {
      builder.AddRun(run, weight, analyzer::ExcludedFunctions(run, exclude));
    }
  }
  analyzer::OrderingGraph graph = builder.Take();
  if (graph.functions.empty()) {
    return absl::NotFoundError(absl::StrCat(source.sources.front(),
                                            ": no function is left to order",
                                            exclude.tests ? "; --with-tests keeps test code" : ""));
  }
  return graph;
}

absl::StatusOr<std::string> ReadOrdering(const OrderSource& source) {
  size_t local = 0;
  for (const std::string& path : source.sources) {
    std::error_code error;
    local += std::filesystem::exists(path, error) ? 1 : 0;
  }
  if (local == 0) {
    for (const std::string& name : source.sources) {
      if (LooksLikeRun(name)) continue;
      return absl::NotFoundError(absl::StrCat(
          name,
          " is no folder or file here, and not how a server's run is named (a run id, a "
          "commit of at least 7 digits, or latest)"));
    }
    return OrderAtServer(source);
  }
  for (const std::string& path : source.sources) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
      return absl::NotFoundError(
          absl::StrCat(path,
                       " is no folder or file here; a server's runs cannot be ordered "
                       "together with local folders"));
    }
  }
  const absl::StatusOr<analyzer::OrderingGraph> graph = ReadLocalGraph(source);
  if (!graph.ok()) return graph.status();
  return OrderingTextOf(*graph, source.form);
}

absl::StatusOr<std::vector<reporter::OrderingWorkload>> ParseWeights(
    absl::Span<const std::string> texts) {
  std::vector<reporter::OrderingWorkload> workloads;
  for (const std::string& text : texts) {
    const size_t equals = text.rfind('=');
    double factor = 0;
    if (equals == std::string::npos || !absl::SimpleAtod(text.substr(equals + 1), &factor) ||
        !(factor >= 0) || factor > 1e6) {
      return absl::InvalidArgumentError(
          absl::StrCat("--weight=", text, ": must be PATTERN=FACTOR, with a factor from 0 to 1e6"));
    }
    absl::string_view pattern = absl::string_view(text).substr(0, equals);
    while (pattern.size() > 1 && absl::ConsumeSuffix(&pattern, "/")) {
    }
    workloads.push_back({std::string(pattern), factor});
  }
  return workloads;
}

absl::StatusOr<std::string> FormatObjectFiles(absl::Span<const std::string> names,
                                              const std::string& map_file) {
  const absl::StatusOr<std::string> text = base::ReadFile(map_file);
  if (!text.ok()) return text.status();
  const absl::StatusOr<std::vector<analyzer::MappedFunction>> map =
      analyzer::ParseFileMap(*text, map_file);
  if (!map.ok()) return map.status();
  absl::flat_hash_map<absl::string_view, absl::string_view> file_of;
  for (const analyzer::MappedFunction& function : *map) {
    if (function.is_defined) file_of.try_emplace(function.function, function.file);
  }
  std::vector<absl::string_view> files;
  for (const std::string& name : names) {
    const auto file = file_of.find(name);
    if (file != file_of.end()) files.push_back(file->second);
  }
  std::string result;
  for (const std::string& file : analyzer::OrderFiles(*map, files))
    absl::StrAppend(&result, file, "\n");
  return result;
}

absl::StatusOr<std::string> FormatOrdering(absl::Span<const std::string> ordering,
                                           absl::string_view format, const std::string& binary) {
  const absl::StatusOr<std::vector<std::string>> in_binary = FunctionNames(binary);
  if (!in_binary.ok()) return in_binary.status();
  const std::vector<std::string> names = analyzer::WithClones(ordering, *in_binary);
  if (format == "lld") return analyzer::FormatSymbolFile(names);
  if (format == "gold") return analyzer::FormatGoldSections(names, SplitFunctions(*in_binary));
  if (format == "gnu-ld") return analyzer::FormatLinkerScript(names, SplitFunctions(*in_binary));
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    absl::StrAppend(&text, i + 1, "\t", profile::Demangle(names[i]), "\n");
  }
  return text;
}

}  // namespace gprofhub::cli
