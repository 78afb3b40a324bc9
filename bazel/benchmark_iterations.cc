// Linked into a benchmark program by gprof_benchmark: each benchmark has a fixed number of
// iterations, unless it asks for one itself. The linker's --wrap puts these functions in the place
// of the library's. There is no option for it in versions of the library before 1.8, and none that
// leaves a benchmark's own number alone.
#include <benchmark/benchmark.h>

using benchmark::internal::Benchmark;

extern "C" {

Benchmark* __real__ZN9benchmark8internal25RegisterBenchmarkInternalEPNS0_9BenchmarkE(Benchmark*);

// What follows on a registration, such as ->Iterations(5), is called after this.
Benchmark* __wrap__ZN9benchmark8internal25RegisterBenchmarkInternalEPNS0_9BenchmarkE(
    Benchmark* benchmark) {
  return __real__ZN9benchmark8internal25RegisterBenchmarkInternalEPNS0_9BenchmarkE(benchmark)
      ->Iterations(GPROFHUB_ITERATIONS);
}

// A time makes no sense beside a number of iterations, and the library would end the program.
Benchmark* __wrap__ZN9benchmark8internal9Benchmark7MinTimeEd(Benchmark* benchmark, double) {
  return benchmark;
}

Benchmark* __wrap__ZN9benchmark8internal9Benchmark13MinWarmUpTimeEd(Benchmark* benchmark, double) {
  return benchmark;
}
}
