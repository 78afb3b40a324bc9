// Orders of a shop: stock, prices with a cache, reports. The argument is the number of rounds.
#include <cstdio>
#include <cstdlib>

#include "prices.h"
#include "report.h"
#include "stock.h"

namespace {

class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed) {}
  uint32_t Next() { return (state_ = state_ * 1664525u + 1013904223u) >> 8; }

 private:
  uint32_t state_;
};

bool IsValid(const Order& order, const Stock& stock) {
  for (int id : order.items) {
    if (id < 0 || id >= stock.size()) return false;
  }
  return !order.note.empty();
}

std::vector<Order> MakeOrders(Random& random, const Stock& stock, int count) {
  std::vector<Order> orders;
  for (int i = 0; i < count; ++i) {
    Order order{static_cast<int>(random.Next() % 100), {}, "a note of order " + std::to_string(i)};
    for (int item = 0; item < 6; ++item) {
      const Item* found = stock.Find(NameOf(static_cast<int>(random.Next() % stock.size())));
      if (found != nullptr) order.items.push_back(found->id);
    }
    orders.push_back(std::move(order));
  }
  return orders;
}

uint64_t Round(Random& random, const Stock& stock, Prices& prices) {
  const std::vector<Order> orders = MakeOrders(random, stock, 400);
  prices.Clear();
  int64_t total = 0;
  for (const Order& order : orders) {
    if (IsValid(order, stock)) total += TotalOf(order, prices);
  }
  const std::vector<Ranked> ranked = Rank(orders, prices);
  return static_cast<uint64_t>(total) + Report(orders, ranked, stock).size() +
         Distinct(orders).size();
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 40;
  Stock stock(2000);
  Prices prices(stock);
  Random random(7);
  uint64_t sum = 0;
  for (int round = 0; round < rounds; ++round) sum += Round(random, stock, prices);
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
  return 0;
}
