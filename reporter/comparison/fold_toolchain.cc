#include "reporter/comparison/fold_toolchain.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "reporter/findings/toolchain_label.h"
#include "reporter/matching/toolchain_changes.h"

namespace gprofhub::reporter {
namespace {

class Folder {
 public:
  Folder(const MatchedTarget& target, const std::string& label)
      : target_(target), label_(label), is_called_by_changed_(target.functions.size(), false) {
    for (uint32_t i = 0; i < target.functions.size(); ++i) {
      // Of several static functions with one name, the changed one counts.
      const auto [entry, is_new] = by_name_.try_emplace(target.functions[i].name, i);
      if (!is_new && IsChanged(i)) entry->second = i;
    }
    for (const ArcPair& arc : target.arcs) {
      if (arc.caller != kSpontaneous && IsChanged(arc.caller)) {
        is_called_by_changed_[arc.callee] = true;
      }
    }
  }

  // Folds or marks the finding, if the toolchain change explains it.
  void Judge(v1::Finding& finding) {
    const auto found = by_name_.find(finding.function());
    if (found == by_name_.end()) return;
    const uint32_t i = found->second;
    const bool is_count = finding.metric() == v1::Finding::CALLS;
    if (!(is_count ? ExplainsCount(i) : ExplainsTime(i, finding.metric()))) return;
    const bool changed =
        finding.verdict() == v1::Finding::REGRESSED || finding.verdict() == v1::Finding::IMPROVED;
    finding.set_material(false);
    if (is_count && changed && CallsAreTheSources(target_, i)) {
      finding.set_beside_toolchain(true);
      beside_.insert(finding.function());
      return;
    }
    if (finding.verdict() != v1::Finding::EQUIVALENT &&
        finding.verdict() != v1::Finding::CANNOT_TELL &&
        finding.verdict() != v1::Finding::SHIFTED) {
      finding.set_verdict(v1::Finding::SHIFTED);
      finding.mutable_shift()->Clear();
      finding.mutable_shift()->set_kind(v1::Shift::TOOLCHAIN);
      finding.mutable_shift()->add_with(label_);
    }
    finding.set_folded_under(label_);
    folded_.insert(finding.function());
  }

  const std::set<std::string>& folded() const { return folded_; }
  const std::set<std::string>& beside() const { return beside_; }

 private:
  bool IsChanged(uint32_t i) const { return target_.functions[i].toolchain_change >= 0; }

  // Inlining changes the calls of the callers.
  bool ExplainsCount(uint32_t i) const { return IsChanged(i) || is_called_by_changed_[i]; }

  // The same compiler emits the same code. For a module without symbols the compiler is unknown.
  bool ExplainsTime(uint32_t i, v1::Finding::Metric metric) const {
    if (metric == v1::Finding::TOTAL_TIME) return true;
    const FunctionPair& function = target_.functions[i];
    return IsChanged(i) || (function.before.toolchain.empty() && function.after.toolchain.empty());
  }

  const MatchedTarget& target_;
  const std::string& label_;
  std::vector<bool> is_called_by_changed_;
  absl::flat_hash_map<absl::string_view, uint32_t> by_name_;
  std::set<std::string> folded_, beside_;
};

}  // namespace

v1::Finding FoldUnderToolchain(const MatchedTarget& target, std::vector<v1::Finding>& findings) {
  const std::vector<ToolchainPair>& changes = target.toolchain_changes;
  const ToolchainPair& main =
      *std::max_element(changes.begin(), changes.end(),
                        [](const auto& a, const auto& b) { return a.functions < b.functions; });
  v1::Finding group;
  group.set_metric(v1::Finding::TOTAL_TIME);
  group.set_measured(true);
  group.set_function(ToolchainLabel(main.before, main.after));
  group.set_weight(1);
  v1::ToolchainChange& toolchain = *group.mutable_toolchain();
  toolchain.set_before(main.before);
  toolchain.set_after(main.after);
  for (const ToolchainPair& change : changes) {
    toolchain.set_functions(toolchain.functions() + static_cast<uint32_t>(change.functions));
    toolchain.set_files(toolchain.files() + static_cast<uint32_t>(change.files));
  }
  toolchain.set_all_functions(static_cast<uint32_t>(target.functions_of_known_toolchain));
  toolchain.set_all_files(static_cast<uint32_t>(target.files_of_known_toolchain));
  // A file's functions may have changed in several ways, so the sum may count it twice.
  toolchain.set_files(std::min(toolchain.files(), toolchain.all_files()));
  Folder folder(target, group.function());
  for (v1::Finding& finding : findings) folder.Judge(finding);
  toolchain.set_folded(static_cast<uint32_t>(folder.folded().size()));
  for (const std::string& name : folder.beside()) toolchain.add_beside(name);
  return group;
}

}  // namespace gprofhub::reporter
