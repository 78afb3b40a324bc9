// Linked into a benchmark program by gprof_benchmark: gives each benchmark a fixed number of
// iterations, unless it sets one itself. The linker's --wrap replaces the library's functions by
// these. Versions of the library before 1.8 have no option for it, and later versions have none
// that keeps a benchmark's explicit number.
#include <benchmark/benchmark.h>

using benchmark::internal::Benchmark;

extern "C" {

Benchmark* __real__ZN9benchmark8internal25RegisterBenchmarkInternalEPNS0_9BenchmarkE(Benchmark*);

// Calls chained to a registration, such as ->Iterations(5), run after this.
Benchmark* __wrap__ZN9benchmark8internal25RegisterBenchmarkInternalEPNS0_9BenchmarkE(
    Benchmark* benchmark) {
  return __real__ZN9benchmark8internal25RegisterBenchmarkInternalEPNS0_9BenchmarkE(benchmark)
      ->Iterations(GPROFHUB_ITERATIONS);
}

// The library aborts the program if both a time and a number of iterations are set.
Benchmark* __wrap__ZN9benchmark8internal9Benchmark7MinTimeEd(Benchmark* benchmark, double) {
  return benchmark;
}

Benchmark* __wrap__ZN9benchmark8internal9Benchmark13MinWarmUpTimeEd(Benchmark* benchmark, double) {
  return benchmark;
}
}
