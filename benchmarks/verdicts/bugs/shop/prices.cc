#include "prices.h"

int64_t Prices::Compute(const Item& item) {
  int64_t price = item.id % 90 + 10;
  for (int part : item.parts) price += Of(part) / 2;
  return price;
}

int64_t Prices::Of(int id) {
  const auto found = known_.find(id);
  if (found != known_.end()) return found->second;
  const int64_t price = Compute(stock_.At(id));
  known_[id] = price;
  return price;
}

int64_t TotalOf(const Order& order, Prices& prices) {
  int64_t total = 0;
  for (int id : order.items) total += prices.Of(id);
  return total;
}

int64_t Score(int64_t total, int customer) {
  int64_t score = total;
  for (int i = 0; i < 8; ++i) score = (score * 31 + customer) % 1000003;
  return score;
}
