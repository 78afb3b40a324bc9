// A case's work: repeated by its argument, or once a round of its loop.
#include <benchmark/benchmark.h>

#include <vector>

#include "work.h"

#ifndef FACTOR
#define FACTOR 1
#endif

static void BM_Insert(benchmark::State& state) {
  for (auto _ : state) work_times(FACTOR * static_cast<int>(state.range(0)));
}
BENCHMARK(BM_Insert)->Arg(8)->Arg(1024);

template <typename T>
static void BM_Typed(benchmark::State& state) {
  for (auto _ : state) work_times(3);
}
BENCHMARK_TEMPLATE(BM_Typed, std::vector<int>);

static void BM_Rounds(benchmark::State& state) {
  for (auto _ : state) work();
}
BENCHMARK(BM_Rounds)->Iterations(500);
BENCHMARK(BM_Rounds)->Threads(4)->Name("BM_Threads");
BENCHMARK(BM_Rounds)->MinTime(0.01)->Name("BM_Timed");
