#include "cli/ordering_text.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "analyzer/ordering/c3.h"
#include "analyzer/ordering/gprof_order.h"
#include "analyzer/ordering/symbol_file.h"

namespace gprofhub {
namespace {

class Sum {
 public:
  void Add(const ComputedProfile& profile) {
    std::vector<uint32_t> rows;
    for (const FunctionCost& function : profile.functions) rows.push_back(RowOf(profile, function));
    for (const ArcCost& arc : profile.arcs) {
      // Calls from outside order nothing.
      if (arc.caller >= rows.size() || profile.functions[arc.caller].is_module) continue;
      counts_[{rows[arc.caller], rows[arc.callee]}] += arc.count;
    }
    sum_.total_samples += profile.total_samples;
  }

  ComputedProfile Take() {
    for (const auto& [functions, count] : counts_) {
      ArcCost arc;
      std::tie(arc.caller, arc.callee) = functions;
      arc.count = count;
      sum_.arcs.push_back(arc);
    }
    std::sort(sum_.arcs.begin(), sum_.arcs.end(), [](const ArcCost& a, const ArcCost& b) {
      return std::tie(a.caller, a.callee) < std::tie(b.caller, b.callee);
    });
    return std::move(sum_);
  }

 private:
  uint32_t Intern(const std::string& text) {
    const auto [entry, inserted] =
        strings_.try_emplace(text, static_cast<uint32_t>(sum_.strings.size()));
    if (inserted) sum_.strings.push_back(text);
    return entry->second;
  }

  uint32_t RowOf(const ComputedProfile& profile, const FunctionCost& function) {
    const uint32_t name = Intern(profile.strings[function.name]);
    const uint32_t file = function.is_static ? Intern(profile.strings[function.file]) : 0;
    const auto [entry, inserted] = rows_.try_emplace(std::make_tuple(name, file),
                                                     static_cast<uint32_t>(sum_.functions.size()));
    if (inserted) {
      sum_.functions.emplace_back();
      sum_.functions.back().name = name;
      sum_.functions.back().file = file;
      sum_.functions.back().is_static = function.is_static;
    }
    FunctionCost& row = sum_.functions[entry->second];
    row.size = std::max(row.size, function.size);
    row.calls += function.calls;
    row.self_calls += function.self_calls;
    row.self_samples += function.self_samples;
    row.child_samples += function.child_samples;
    return entry->second;
  }

  ComputedProfile sum_;
  absl::flat_hash_map<std::string, uint32_t> strings_ = {{"", 0}};
  absl::flat_hash_map<std::tuple<uint32_t, uint32_t>, uint32_t> rows_;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint64_t> counts_;
};

std::vector<uint32_t> OrderAsGprof(const ComputedProfile& profile) {
  std::vector<bool> called;
  for (const FunctionCost& function : profile.functions) called.push_back(function.calls != 0);
  std::vector<WeightedArc> arcs;
  for (const ArcCost& arc : profile.arcs) arcs.push_back({arc.caller, arc.callee, arc.count});
  return OrderGprof(called, std::move(arcs));
}

}  // namespace

ComputedProfile SumForOrdering(const std::vector<ComputedProfile>& profiles) {
  Sum sum;
  for (const ComputedProfile& profile : profiles) sum.Add(profile);
  return sum.Take();
}

absl::StatusOr<std::string> SymbolFileOf(const std::vector<ComputedProfile>& profiles,
                                         absl::string_view algorithm) {
  const ComputedProfile sum = SumForOrdering(profiles);
  if (algorithm.empty() || algorithm == "c3") return FormatSymbolFile(sum, OrderC3(sum));
  if (algorithm == "gprof") return FormatSymbolFile(sum, OrderAsGprof(sum));
  return absl::InvalidArgumentError("algorithm: must be \"c3\" or \"gprof\"");
}

}  // namespace gprofhub
