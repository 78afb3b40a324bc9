// Callees that a call reaches by another name or address than their own: thunks, speculated virtual
// calls, ifuncs, aliases. Built with counters and with mcount, which must agree (counted_test.cc).
#include <cstdio>
#include <cstdlib>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif

volatile long sink;

struct First {
  virtual ~First() = default;
  virtual long One(long n);
  long first = 1;
};
struct Second {
  virtual ~Second() = default;
  virtual long Two(long n);
  virtual Second* Self();
  long second = 2;
};
struct Both : First, Second {
  long Two(long n) override;
  Both* Self() override;
  long both = 3;
};
struct Base {
  virtual ~Base() = default;
  virtual long Three(long n) = 0;
};
struct Virtual : virtual Base {
  long Three(long n) override;
  long value = 4;
};
struct Last : First, Virtual {};

namespace {
struct Local : First, Second {
  APART long Two(long n) override {
    sink = n + second + 4;
    return n + 4;
  }
};
}  // namespace

template <typename T>
struct Generic : First, Second {
  APART long Two(long n) override {
    sink = n + static_cast<long>(sizeof(T));
    return n + 8;
  }
};

APART long First::One(long n) {
  sink = n;
  return n;
}
APART long Second::Two(long n) {
  sink = n + 1;
  return n + 1;
}
APART Second* Second::Self() {
  sink = 5;
  return this;
}
APART long Both::Two(long n) {
  sink = n + both;
  return n + 2;
}
APART Both* Both::Self() {
  sink = 6;
  return this;
}
APART long Virtual::Three(long n) {
  sink = n + value;
  return n + 3;
}

extern "C" {
APART long chosen(long n) {
  sink = n + 10;
  return n;
}
APART long cloned_as(long n) {
  sink = n + 11;
  return n;
}
long undefined(long n) __attribute__((weak));
using Function = long (*)(long);
Function choose() { return chosen; }
long by_ifunc(long n) __attribute__((ifunc("choose")));
long by_alias(long n) __attribute__((alias("cloned_as")));

APART long calls_ifunc(long n) { return by_ifunc(n) + 1; }
APART long jumps_to_ifunc(long n) { return by_ifunc(n); }
APART long jumps_to_ifunc_at_times(long n) { return n % 2 ? by_ifunc(n) : n; }
APART long calls_undefined(long n) { return undefined ? undefined(n) : n; }
APART long calls_alias(long n) { return by_alias(n) + 1; }
APART long calls_pointer(Function function, long n) { return function(n) + 1; }
APART long jumps_to_pointer(Function function, long n) { return function(n); }

APART long calls_two(Second* second, long n) { return second->Two(n) + 1; }
APART long jumps_to_two(Second* second, long n) { return second->Two(n); }
APART long calls_three(Base* base, long n) { return base->Three(n) + 1; }
APART Second* calls_self(Second* second) {
  Second* const self = second->Self();
  sink = 7;
  return self;
}
APART long calls_member(Second* second, long (Second::*member)(long), long n) {
  return (second->*member)(n) + 1;
}
}

#ifdef __clang__
APART
#else
__attribute__((noinline, target_clones("default", "avx2")))
#endif
long Cloned(long n) {
  sink = n;
  return n;
}
extern "C" APART long calls_cloned(long n) { return Cloned(n) + 1; }

static void Check(bool right) {
  if (right) return;
  std::fputs("a call went wrong\n", stderr);
  std::abort();
}

int main() {
  Second second;
  Both both;
  Local local;
  Generic<int> generic;
  Last last;
  Second* const seconds[] = {&second, &both, &local, &generic};
  const long results[] = {1, 2, 4, 8};
  Function volatile pointer = by_ifunc;
  for (long i = 0; i < 120; ++i) {
    Check(calls_two(seconds[i % 4], i) == i + results[i % 4] + 1);
    Check(jumps_to_two(seconds[i % 3], i) == i + results[i % 3]);
    Check(calls_three(&last, i) == i + 4);
    Check(calls_self(&both) == &both && calls_self(&second) == &second);
    Check(calls_member(&both, &Second::Two, i) == i + 3);
    Check(calls_ifunc(i) == i + 1 && jumps_to_ifunc(i) == i && jumps_to_ifunc_at_times(i) == i);
    Check(calls_pointer(by_ifunc, i) == i + 1 && jumps_to_pointer(pointer, i) == i);
    Check(calls_pointer(chosen, i) == i + 1 && calls_pointer(cloned_as, i) == i + 1);
    Check(calls_alias(i) == i + 1 && calls_cloned(i) == i + 1);
    Check(calls_undefined(i) == i);
  }
  return 0;
}
