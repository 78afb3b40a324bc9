// lines_program ENDING: each line that carries "// = N" is executed N times, all threads taken
// together, before the ending, for every ending; those that carry "// child = N", in the forked
// child.
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 1000;

// Each use is an access that no compiler may drop, merge or repeat.
thread_local volatile long sink;
std::atomic<long> progress;

[[gnu::noinline]] void ThrowAtTens(int i) {
  if (i % 10 == 0) throw i;
  sink = sink + 1;  // = 5600
}

[[gnu::noinline]] void JumpBack() {
  std::jmp_buf place;
  const int times = setjmp(place);
  sink = sink + 1;  // = 48
  if (times < 5) {
    sink = sink + 1;  // = 40
    std::longjmp(place, times + 1);
  }
  sink = sink + 1;  // = 8
}

[[gnu::noinline]] void Work() {
  for (int i = 0; i < kRounds; ++i) {
    sink = sink + 1;  // = 8000
    if (i % 4 == 0) {
      sink = sink + 2;  // = 2000
      continue;
    }
    switch (i % 8) {
      case 1:
        sink = sink + 3;  // = 1000
        break;
      case 2:
        sink = sink + 4;  // = 1000
        break;
      case 3:
        sink = sink + 5;  // = 1000
        break;
      case 5:
        sink = sink + 6;  // = 1000
        [[fallthrough]];
      case 6:
        sink = sink + 7;  // = 2000
        break;
      default:
        sink = sink + 8;  // = 1000
    }
    try {
      ThrowAtTens(i);
      sink = sink + 9;  // = 5600
    } catch (int) {
      sink = sink + 10;  // = 400
    }
  }
  JumpBack();
  sink = sink + 11;  // = 8
}

void Handle(int) {
  sink = sink + 1;  // = 100
}

std::atomic<bool> stopped;

// Goes on until the process is killed.
void Spin() {
  while (!stopped.load(std::memory_order_relaxed)) {
    sink = sink + 1;  // first
    progress.fetch_add(1, std::memory_order_relaxed);
    if (sink % 3 == 0) sink = sink + 1;
    sink = sink + 1;  // last
  }
}

void SpinUntilKilled() {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(Spin);
  while (progress.load(std::memory_order_relaxed) < 100000) {
  }
  kill(getpid(), SIGKILL);
  for (std::thread& thread : threads) thread.join();
}

void End(const char* ending) {
  if (!std::strcmp(ending, "_exit")) _exit(0);
  if (!std::strcmp(ending, "abort")) std::abort();
  if (!std::strcmp(ending, "kill")) kill(getpid(), SIGKILL);
  if (!std::strcmp(ending, "spin")) SpinUntilKilled();
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(Work);
  for (std::thread& thread : threads) thread.join();
  std::signal(SIGUSR1, Handle);
  for (int i = 0; i < 100; ++i) std::raise(SIGUSR1);
  const pid_t child = fork();
  if (child == 0) {
    sink = sink + 1;  // child = 1
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  if (count > 1) End(arguments[1]);
}
