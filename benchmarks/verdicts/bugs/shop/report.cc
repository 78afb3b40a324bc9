#include "report.h"

#include <algorithm>
#include <unordered_set>

std::vector<int> Distinct(const std::vector<Order>& orders) {
  std::unordered_set<int> seen;
  std::vector<int> distinct;
  for (const Order& order : orders) {
    for (int id : order.items) {
      if (seen.insert(id).second) distinct.push_back(id);
    }
  }
  return distinct;
}

namespace {

bool IsBetter(const Ranked& a, const Ranked& b) {
  return a.score != b.score ? a.score > b.score : a.order < b.order;
}

std::string Line(const Order& order, const Stock& stock) {
  std::string line = std::to_string(order.customer) + ": ";
  for (int id : order.items) {
    line += stock.At(id).name;
    line += ", ";
  }
  return line;
}

}  // namespace

std::vector<Ranked> Rank(const std::vector<Order>& orders, Prices& prices) {
  std::vector<Ranked> ranked;
  ranked.reserve(orders.size());
  for (size_t i = 0; i < orders.size(); ++i) {
    ranked.push_back({Score(TotalOf(orders[i], prices), orders[i].customer), static_cast<int>(i)});
  }
  std::sort(ranked.begin(), ranked.end(), IsBetter);
  return ranked;
}

std::string Report(const std::vector<Order>& orders, const std::vector<Ranked>& ranked,
                   const Stock& stock) {
  std::string text;
  for (const Ranked& entry : ranked) {
    text += Line(orders[entry.order], stock);
    text += '\n';
  }
  return text;
}
