#pragma once

#include <cstdint>
#include <unordered_map>

#include "stock.h"

// The price of an item with its parts, kept once it is known.
class Prices {
 public:
  explicit Prices(const Stock& stock) : stock_(stock) {}
  int64_t Of(int id);
  void Clear() { known_.clear(); }

 private:
  int64_t Compute(const Item& item);
  const Stock& stock_;
  std::unordered_map<int, int64_t> known_;
};

int64_t TotalOf(const Order& order, Prices& prices);
int64_t Score(int64_t total, int customer);
