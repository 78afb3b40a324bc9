// The work of containers.cc in the number of threads given as argument. Prints the threads' best
// CPU times in milliseconds, the mean of all.
#include <cstdlib>
#include <thread>

#define main containers_main
#include "containers.cc"
#undef main

static void RunOften(double* best) {
  volatile double sink = 0;
  for (int i = 0; i < 12; ++i) {
    const double start = CpuMilliseconds();
    sink = sink + Run();
    *best = std::min(*best, CpuMilliseconds() - start);
  }
}

int main(int count, char** arguments) {
  std::vector<double> best(count > 1 ? std::atoi(arguments[1]) : 1, 1e18);
  std::vector<std::thread> threads;
  for (double& slot : best) threads.emplace_back(RunOften, &slot);
  for (std::thread& thread : threads) thread.join();
  double sum = 0;
  for (double value : best) sum += value;
  std::printf("%.2f\n", sum / static_cast<double>(best.size()));
}
