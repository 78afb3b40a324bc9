// Calls whose numbers follow from the arguments, in every form that the assembler shim
// distinguishes. counted_test.cc has the sums.
//
//     counted_program THREADS ROUNDS END     END: exit, _exit, kill, moncontrol, monstartup
#include <sys/gmon.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "runtime/gprofhub.h"

#ifdef __clang__
#define COUNTED extern "C" __attribute__((noinline))
#else
#define COUNTED extern "C" __attribute__((noinline, noclone))
#endif

volatile long sink;

COUNTED long counted_leaf(long n) {
  sink = n;
  return n + 1;
}

// Argument of monstartup: the linker names the section's bounds.
COUNTED __attribute__((section("chosen_range"))) long counted_inside(long n) {
  sink = n;
  return n + 2;
}
extern "C" const char __start_chosen_range[], __stop_chosen_range[];

// Called by name only, within this file.
static __attribute__((noinline)) long counted_static(long n) {
  sink = n;
  return n - 1;
}

// 2 * Fibonacci(n + 1) - 1 calls.
COUNTED long counted_fibonacci(long n) {
  if (n < 2) return n;
  const long sum = counted_fibonacci(n - 1) + counted_fibonacci(n - 2);
  sink = sum;  // or the second call would become a loop
  return sum;
}

COUNTED long counted_tail_target(long n) {
  sink = n + 100;  // functions that are the same become one
  return n;
}
COUNTED long counted_tail(long n) { return counted_tail_target(n + 1); }

// A tail call under a condition: clang jumps conditionally.
COUNTED long counted_conditional(long n) {
  if (n % 2 == 0) return counted_tail_target(n);
  return n;
}

struct Shape {
  virtual ~Shape() = default;
  virtual long Sides() const = 0;
};
template <int kSides>
struct Polygon : Shape {
  long Sides() const override;
};
#define POLYGON(number)                         \
  COUNTED long counted_sides_##number(long n) { \
    sink = n + number;                          \
    return n;                                   \
  }                                             \
  template <>                                   \
  long Polygon<number>::Sides() const {         \
    return counted_sides_##number(number) + 1;  \
  }
POLYGON(3)
POLYGON(4)
POLYGON(5)
POLYGON(6)
POLYGON(7)

COUNTED long counted_virtual(const Shape* shape) { return shape->Sides() + 1; }

using Pointer = long (*)(long);
COUNTED long counted_by_pointer(Pointer pointer, long n) { return pointer(n) + 1; }
COUNTED long counted_tail_pointer(Pointer pointer, long n) { return pointer(n); }

COUNTED int counted_compare(const void* a, const void* b) {
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

COUNTED void counted_throw(long n) {
  if (n % 3 == 0) throw n;
  sink = n;
}
COUNTED long counted_catch(long n) {
  try {
    counted_throw(n);
  } catch (long caught) {
    return counted_leaf(caught);
  }
  return n;
}

// More arguments than there are registers, vector ones among them, and a varying
// number: nothing of it may be disturbed.
COUNTED double counted_arguments(long a, double x, long b, long c, long d, long e, long f, long g,
                                 double y) {
  return static_cast<double>(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g) + x * y;
}
double (*volatile arguments_pointer)(long, double, long, long, long, long, long, long,
                                     double) = counted_arguments;
int (*volatile print_pointer)(char*, size_t, const char*, ...) = snprintf;

static void Check(bool right) {
  if (!right) {
    std::fputs("a value was disturbed\n", stderr);
    _exit(90);
  }
}

COUNTED void counted_round(long round) {
  const Polygon<3> three;
  const Polygon<4> four;
  const Polygon<5> five;
  const Polygon<6> six;
  const Polygon<7> seven;
  const Shape* const shapes[] = {&three, &four, &five, &six, &seven};
  static const Pointer pointers[] = {counted_leaf, counted_tail, counted_sides_3};
  for (long i = 0; i < 30; ++i) {
    Check(counted_virtual(shapes[i % 5]) == i % 5 + 5);
    counted_by_pointer(pointers[i % 3], i);
    counted_tail_pointer(pointers[i % 3], i);
    counted_tail(i);
    counted_conditional(i);
    counted_catch(i);
    sink = counted_static(i);
  }
  Check(counted_fibonacci(10) == 55);
  Check(arguments_pointer(1, 0.5, 2, 3, 4, 5, 6, 7, 8.0) == 144.0);
  char text[64];
  print_pointer(text, sizeof text, "%d %.1f %ld", 1, 2.5, round);
  Check(std::strncmp(text, "1 2.5 ", 6) == 0);
  int numbers[2] = {2, 1};
  qsort(numbers, 2, sizeof numbers[0], counted_compare);
}

static void Work(long rounds) {
  for (long i = 0; i < rounds; ++i) counted_round(i);
}

int main(int count, char** values) {
  if (count != 4) return 2;
  const long threads = std::atol(values[1]), rounds = std::atol(values[2]);
  const std::string end = values[3];
  std::vector<std::thread> others;
  for (long i = 1; i < threads; ++i) others.emplace_back(Work, rounds);
  Work(rounds);
  for (std::thread& other : others) other.join();
  if (end == "moncontrol") {
    moncontrol(0);
    Work(rounds);
    std::thread([rounds] { Work(rounds); }).join();
    moncontrol(1);
    Work(rounds);
    std::thread([rounds] { Work(rounds); }).join();
    moncontrol(0);
    Work(rounds);
  }
  if (end == "monstartup") {
    monstartup(reinterpret_cast<unsigned long>(__start_chosen_range),
               reinterpret_cast<unsigned long>(__stop_chosen_range));
    Work(rounds);
    for (long i = 0; i < rounds; ++i) counted_inside(i);
    std::thread([rounds] { counted_inside(rounds); }).join();
  }
  if (end == "kill") raise(SIGKILL);
  if (end == "_exit") _exit(0);
  return 0;
}
