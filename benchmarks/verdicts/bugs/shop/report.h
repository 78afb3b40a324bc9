#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "prices.h"
#include "stock.h"

struct Ranked {
  int64_t score = 0;
  int order = 0;
};

std::vector<int> Distinct(const std::vector<Order>& orders);
std::vector<Ranked> Rank(const std::vector<Order>& orders, Prices& prices);
std::string Report(const std::vector<Order>& orders, const std::vector<Ranked>& ranked,
                   const Stock& stock);
