#include "page/stack_tree.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace gprofhub::page {

namespace {

constexpr size_t kMostDepth = 500;

struct Building {
  double before = 0, after = 0;
  std::map<std::string, Building, std::less<>> children;
};

// Memory of the nodes, reserved in large pieces.
class NodeMemory {
 public:
  explicit NodeMemory(const base::Decoding& decoding) : decoding_(decoding) {}

  absl::Status Add(absl::string_view name) {
    constexpr uint64_t kNodeBytes = sizeof(std::pair<const std::string, Building>) + 48;
    constexpr uint64_t kPiece = uint64_t{1} << 20;
    owed_ += kNodeBytes + name.size();
    if (owed_ < kPiece) return absl::OkStatus();
    ASSIGN_OR_RETURN(base::Reservation taken, decoding_.Take(owed_));
    taken.Leave(owed_);
    owed_ = 0;
    return absl::OkStatus();
  }

 private:
  const base::Decoding decoding_;
  uint64_t owed_ = 0;
};

absl::Status AddStacks(absl::string_view folded, double scale, double Building::*side,
                       Building& root, NodeMemory& memory) {
  size_t number = 0;
  for (const absl::string_view line : absl::StrSplit(folded, '\n')) {
    ++number;
    if (line.empty()) continue;
    const size_t blank = line.rfind(' ');
    double value = 0;
    if (blank == absl::string_view::npos || !absl::SimpleAtod(line.substr(blank + 1), &value) ||
        !(value >= 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("stacks, line ", number, ": no \"FRAME;FRAME NUMBER\""));
    }
    value *= scale;
    Building* node = &root;
    node->*side += value;
    size_t depth = 0;
    for (const absl::string_view frame : absl::StrSplit(line.substr(0, blank), ';')) {
      if (++depth > kMostDepth) break;
      auto child = node->children.find(frame);
      if (child == node->children.end()) {
        RETURN_IF_ERROR(memory.Add(frame));
        child = node->children.emplace(std::string(frame), Building()).first;
      }
      node = &child->second;
      node->*side += value;
    }
  }
  return absl::OkStatus();
}

StackNode Finished(const std::string& name, const Building& from, const Building& root,
                   double least) {
  StackNode node;
  node.name = base::Printable(name);
  node.before = from.before;
  node.after = from.after;
  for (const auto& [child, built] : from.children) {
    if (built.before < least * root.before && built.after < least * root.after) continue;
    if (built.before <= 0 && built.after <= 0) continue;
    node.children.push_back(Finished(child, built, root, least));
  }
  return node;
}

// 50,000 nodes: a tree of JSON values would take longer than everything else.
void AppendJson(const StackNode& node, std::string& json) {
  const std::string name = nlohmann::json(node.name).dump(-1, ' ', /*ensure_ascii=*/true,
                                                          nlohmann::json::error_handler_t::replace);
  absl::StrAppend(&json, "{\"name\":", name, ",\"value\":", node.after, ",\"before\":", node.before,
                  ",\"delta\":", node.after - node.before);
  if (!node.children.empty()) {
    const char* separator = ",\"children\":[";
    for (const StackNode& child : node.children) {
      absl::StrAppend(&json, separator);
      AppendJson(child, json);
      separator = ",";
    }
    absl::StrAppend(&json, "]");
  }
  absl::StrAppend(&json, "}");
}

void Collect(const StackNode& node, std::set<absl::string_view>& above,
             std::map<absl::string_view, StackCost>& costs) {
  StackCost& cost = costs[node.name];
  double before = node.before, after = node.after;
  const bool is_outermost = above.insert(node.name).second;
  if (is_outermost) {
    cost.total_before += before;
    cost.total_after += after;
  }
  for (const StackNode& child : node.children) {
    before -= child.before;
    after -= child.after;
    Collect(child, above, costs);
  }
  StackCost& own = costs[node.name];
  own.self_before += std::max(0.0, before);
  own.self_after += std::max(0.0, after);
  if (is_outermost) above.erase(node.name);
}

}  // namespace

absl::StatusOr<StackNode> StackTree(absl::string_view before, absl::string_view after, double scale,
                                    double least, const base::Decoding& decoding) {
  const base::DecodingScope scope(decoding);
  NodeMemory memory(decoding);
  Building root;
  RETURN_IF_ERROR(AddStacks(before, scale, &Building::before, root, memory));
  RETURN_IF_ERROR(AddStacks(after, 1, &Building::after, root, memory));
  return Finished("all", root, root, least);
}

std::string StackTreeJson(const StackNode& root) {
  std::string json;
  AppendJson(root, json);
  return json;
}

std::vector<StackCost> CostsOf(const StackNode& root, size_t limit) {
  std::map<absl::string_view, StackCost> by_name;
  std::set<absl::string_view> above;
  for (const StackNode& child : root.children) Collect(child, above, by_name);
  std::vector<StackCost> costs;
  for (auto& [name, cost] : by_name) {
    cost.name = std::string(name);
    costs.push_back(cost);
  }
  const bool is_of_two = root.before > 0;
  const auto rank = [is_of_two](const StackCost& cost) {
    return is_of_two ? std::abs(cost.self_after - cost.self_before) : cost.total_after;
  };
  std::stable_sort(costs.begin(), costs.end(),
                   [&rank](const StackCost& a, const StackCost& b) { return rank(a) > rank(b); });
  if (costs.size() > limit) costs.resize(limit);
  return costs;
}

StackChange ChangeOf(const StackCost& cost) {
  constexpr double kLeast = 0.02;
  if (cost.total_before <= 0) return StackChange::kNew;
  if (cost.total_after <= 0) return StackChange::kVanished;
  const double change = cost.self_after - cost.self_before;
  if (std::abs(change) <= kLeast * std::max(cost.self_before, cost.self_after)) {
    return StackChange::kSame;
  }
  return change > 0 ? StackChange::kSlower : StackChange::kFaster;
}

}  // namespace gprofhub::page
