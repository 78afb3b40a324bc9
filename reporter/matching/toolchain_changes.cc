// A compiler decides which calls it inlines, and which loops it unrolls. So if the toolchain
// changed, times and most counts are no evidence about the source.
//
// One count is: that of a function of which no compiler inlined a call, on either side. Inlining or
// cloning its callers moves its calls to other callers, but keeps their total. Excluded are
// functions of one side only, since the other may have inlined them all; recursive functions, since
// the recursive call may become a jump; and constructors and destructors, whose variants one
// compiler lets call each other, and another merges.
#include "reporter/matching/toolchain_changes.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "profile/names/qualified_name.h"

namespace gprofhub::reporter {
namespace {

// "gcc 12.2.0" of "gcc 12.2.0 -O2".
absl::string_view Compiler(absl::string_view toolchain) {
  return toolchain.substr(0, toolchain.find(" -"));
}

bool IsStructor(absl::string_view name) {
  const std::string plain = profile::QualifiedName(name);
  const size_t colons = plain.rfind("::");
  if (colons == std::string::npos) return false;
  const std::string last = plain.substr(colons + 2);
  if (absl::StartsWith(last, "~")) return true;
  const std::string scope = plain.substr(0, colons);
  const size_t before = scope.rfind("::");
  return (before == std::string::npos ? scope : scope.substr(before + 2)) == last;
}

// Two objects may each have a function of one name, as a program's allocator and libc do. Which of
// them a side's runs have seen may be chance, and each has its own compiler.
bool IsOfOneSource(const FunctionSide& before, const FunctionSide& after) {
  return before.object == after.object || (!before.file.empty() && before.file == after.file);
}

// The common toolchain change of the functions of one file, or of one toolchain.
constexpr int32_t kUnseen = -2;
constexpr int32_t kUnchanged = -1;
constexpr int32_t kMixed = -3;

void Merge(int32_t change, int32_t& common) {
  common = common == kUnseen || common == change ? change : kMixed;
}

class Finder {
 public:
  explicit Finder(MatchedTarget& target) : target_(target) {}

  void Run() {
    for (FunctionPair& function : target_.functions) NoteOfBothSides(function);
    if (target_.toolchain_changes.empty()) return;
    for (FunctionPair& function : target_.functions) NoteOfOneSide(function);
    std::map<int32_t, std::set<absl::string_view>> files;
    std::set<absl::string_view> all_files;
    for (const FunctionPair& function : target_.functions) {
      const FunctionSide& side = function.after.present() ? function.after : function.before;
      if (side.toolchain.empty()) continue;
      ++target_.functions_of_known_toolchain;
      all_files.insert(side.file);
      if (function.toolchain_change < 0) continue;
      ++target_.toolchain_changes[function.toolchain_change].functions;
      files[function.toolchain_change].insert(side.file);
    }
    target_.files_of_known_toolchain = all_files.size();
    for (const auto& [change, names] : files)
      target_.toolchain_changes[change].files = names.size();
  }

 private:
  void NoteOfBothSides(FunctionPair& function) {
    const FunctionSide& before = function.before;
    const FunctionSide& after = function.after;
    if (before.toolchain.empty() || after.toolchain.empty()) return;
    if (!IsOfOneSource(before, after)) return;
    function.toolchain_change = kUnchanged;
    if (DifferentToolchains(before.toolchain, after.toolchain)) {
      const auto [entry, is_new] =
          by_names_.try_emplace({before.toolchain, after.toolchain},
                                static_cast<int32_t>(target_.toolchain_changes.size()));
      if (is_new) {
        target_.toolchain_changes.push_back(
            {std::string(before.toolchain), std::string(after.toolchain)});
      }
      function.toolchain_change = entry->second;
    }
    for (const auto& [file, toolchain, toolchains] :
         {std::tie(before.file, before.toolchain, toolchains_[0]),
          std::tie(after.file, after.toolchain, toolchains_[1])}) {
      if (!file.empty()) {
        Merge(function.toolchain_change, files_.try_emplace(file, kUnseen).first->second);
      }
      Merge(function.toolchain_change, toolchains.try_emplace(toolchain, kUnseen).first->second);
    }
  }

  void NoteOfOneSide(FunctionPair& function) {
    if (function.before.present() == function.after.present()) return;
    const bool is_after = function.after.present();
    const FunctionSide& side = is_after ? function.after : function.before;
    if (side.toolchain.empty()) return;
    const auto of_file = files_.find(side.file);
    if (of_file != files_.end() && of_file->second != kMixed) {
      function.toolchain_change = of_file->second;
      return;
    }
    const auto of_all = toolchains_[is_after].find(side.toolchain);
    if (of_all != toolchains_[is_after].end() && of_all->second != kMixed) {
      function.toolchain_change = of_all->second;
    }
  }

  MatchedTarget& target_;
  std::map<std::pair<absl::string_view, absl::string_view>, int32_t> by_names_;
  absl::flat_hash_map<absl::string_view, int32_t> files_;          // the common change
  absl::flat_hash_map<absl::string_view, int32_t> toolchains_[2];  // before and after
};

}  // namespace

bool DifferentToolchains(absl::string_view before, absl::string_view after) {
  if (before.empty() || after.empty() || before == after) return false;
  if (Compiler(before) != Compiler(after)) return true;
  const bool both_known = Compiler(before) != before && Compiler(after) != after;
  return both_known;
}

void FindToolchainChanges(MatchedTarget& target) { Finder(target).Run(); }

bool CallsAreTheSources(const MatchedTarget& target, uint32_t function) {
  const FunctionPair& pair = target.functions[function];
  if (!pair.before.present() || !pair.after.present() || pair.is_module) return false;
  return !pair.before.may_be_inlined && !pair.after.may_be_inlined && !pair.calls_itself &&
         !IsStructor(pair.name);
}

}  // namespace gprofhub::reporter
