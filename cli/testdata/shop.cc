// A small shop: overloads, methods, a lambda, a static function, a callback from
// libc. What perf printed of it is in shop.script and shop_dwarf.script.
#include <cstdio>
#include <cstdlib>
#include <string>

namespace shop {

volatile long sink;

__attribute__((noinline)) long Work(int n) {
  for (int i = 0; i < n; ++i) sink = sink + i % 5;
  return sink;
}

__attribute__((noinline)) long Work(const char* text) {
  for (int i = 0; i < 20000; ++i) sink = sink + text[i % 5];
  return sink + Work(1000);
}

struct Cart {
  explicit Cart(int n);
  ~Cart();
  bool operator<(const Cart& other) const;
  template <class F>
  __attribute__((noinline)) long Each(F f) {
    for (int i = 0; i < 9; ++i) sink = sink + f(i);
    return sink;
  }
  long value;
};

__attribute__((noinline)) Cart::Cart(int n) : value(Work(n)) {}
__attribute__((noinline)) Cart::~Cart() { value = Work("hello"); }

__attribute__((noinline)) bool Cart::operator<(const Cart& other) const {
  for (int i = 0; i < 20000; ++i) sink = sink + i % 7;
  return value + sink < other.value;
}

__attribute__((noinline)) static int ByPrice(const void* a, const void* b) {
  for (int i = 0; i < 300; ++i) sink = sink + i % 3;
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

__attribute__((noinline)) long Never() { return sink * 3; }

}  // namespace shop

int main(int argc, char**) {
  long total = 0;
  for (int i = 0; i < 400; ++i) {
    shop::Cart a(9000);
    shop::Cart b(8000);
    total += a < b;
    total += a.Each([](int k) { return shop::Work(1000 + k); });
    int prices[20];
    for (int k = 0; k < 20; ++k) prices[k] = k * 7 % 20;
    std::qsort(prices, 20, sizeof prices[0], shop::ByPrice);
    total += prices[3];
  }
  if (argc > 5) total += shop::Never();
  std::printf("%ld\n", total & 1);
}
