#include "cli/order_source.h"

#include <algorithm>
#include <filesystem>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "analyzer/ordering/ordering_graph.h"
#include "analyzer/ordering/section_files.h"
#include "analyzer/ordering/symbol_file.h"
#include "cli/local_profile.h"
#include "cli/ordering_text.h"
#include "cli/query_client.h"
#include "profile/demangle.h"
#include "profile/elf_symbols.h"

namespace gprofhub {
namespace {

absl::StatusOr<std::string> OrderLocal(const OrderSource& source) {
  OrderingGraphBuilder builder;
  for (const std::string& path : source.sources) {
    const absl::StatusOr<std::vector<ComputedProfile>> runs = ReadLocalRuns(path, source.image);
    if (!runs.ok()) return runs.status();
    const auto weight = source.weights.find(path);
    for (const ComputedProfile& run : *runs) {
      builder.AddRun(run, weight == source.weights.end() ? 1 : weight->second,
                     ExcludedFunctions(run, source.exclude));
    }
  }
  const OrderingGraph graph = builder.Take();
  if (graph.functions.empty()) {
    return absl::NotFoundError(
        absl::StrCat(source.sources.front(), ": no function is left to order",
                     source.exclude.tests ? "; --with-tests keeps test code" : ""));
  }
  return OrderingTextOf(graph, source.algorithm);
}

absl::StatusOr<std::string> OrderAtServer(const OrderSource& source) {
  if (source.sources.size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        source.sources.back(), " is no folder or file here, and only one run can be asked for"));
  }
  if (!source.weights.empty() || !source.exclude.tests) {
    return absl::InvalidArgumentError("--weight and --with-tests are for local folders");
  }
  v1::GetOrderingRequest request;
  request.set_run(source.sources.front());
  request.set_target(source.target);
  request.set_algorithm(source.algorithm);
  const absl::StatusOr<std::string> text = QueryClient(source.server).GetOrdering(request);
  if (!text.ok() || source.exclude.patterns.empty()) return text;
  if (source.algorithm == kCallGraphAlgorithm) {
    return absl::InvalidArgumentError("--exclude: lld-call-graph is not for a server's run");
  }
  std::vector<std::string> names = ParseSymbolFile(*text);
  names.erase(std::remove_if(names.begin(), names.end(),
                             [&](const std::string& name) {
                               return MatchesPattern(name, source.exclude.patterns);
                             }),
              names.end());
  return FormatSymbolFile(names);
}

// Functions with a part in .text.unlikely beside them.
absl::StatusOr<absl::flat_hash_set<std::string>> SplitFunctions(const std::string& binary) {
  absl::flat_hash_set<std::string> split;
  if (binary.empty()) return split;
  const absl::StatusOr<SymbolTable> symbols = ReadElfSymbols(binary, {.with_lines = false});
  if (!symbols.ok()) return symbols.status();
  for (const FunctionSymbol& symbol : symbols->functions) {
    absl::string_view name = symbol.name;
    if (absl::ConsumeSuffix(&name, ".cold")) split.emplace(name);
  }
  return split;
}

}  // namespace

absl::StatusOr<std::string> ReadOrdering(const OrderSource& source) {
  size_t local = 0;
  for (const std::string& path : source.sources) {
    std::error_code error;
    local += std::filesystem::exists(path, error) ? 1 : 0;
  }
  if (local == 0) return OrderAtServer(source);
  for (const std::string& path : source.sources) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
      return absl::NotFoundError(
          absl::StrCat(path, " is no folder or file here; a run of a server cannot be ordered "
                             "together with local folders"));
    }
  }
  return OrderLocal(source);
}

absl::StatusOr<std::map<std::string, double>> ParseWeights(absl::Span<const std::string> texts) {
  std::map<std::string, double> weights;
  for (const std::string& text : texts) {
    const size_t equals = text.rfind('=');
    double factor = 0;
    if (equals == std::string::npos || !absl::SimpleAtod(text.substr(equals + 1), &factor) ||
        !(factor > 0) || factor > 1e9) {
      return absl::InvalidArgumentError(
          absl::StrCat("--weight=", text, ": must be PATH=FACTOR, with a factor above 0"));
    }
    weights[text.substr(0, equals)] = factor;
  }
  return weights;
}

absl::StatusOr<std::string> FormatOrdering(absl::Span<const std::string> names,
                                           absl::string_view format, const std::string& binary) {
  if (format == "lld") return FormatSymbolFile(names);
  if (format == "gold" || format == "gnu-ld") {
    const absl::StatusOr<absl::flat_hash_set<std::string>> split = SplitFunctions(binary);
    if (!split.ok()) return split.status();
    return format == "gold" ? FormatGoldSections(names, *split)
                            : FormatLinkerScript(names, *split);
  }
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    absl::StrAppend(&text, i + 1, "\t", Demangle(names[i]), "\n");
  }
  return text;
}

}  // namespace gprofhub
