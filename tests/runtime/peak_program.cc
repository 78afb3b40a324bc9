// Memory whose peak is known: WHAT. Each function keeps memory that it requests in one way. Sizes
// differ, so that bytes identify them.
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "runtime/gprofhub.h"

// The compiler must not see its use: else it leaves pairs of new and delete out.
#define KEEP(pointer) asm volatile("" ::"r"(pointer) : "memory")
#define FUNCTION extern "C" __attribute__((noinline))

namespace {

constexpr int kMost = 64;
void* kept[kMost];  // the list itself takes no counted memory
std::atomic<int> keeps;

void Keep(void* memory) {
  KEEP(memory);
  kept[keeps++] = memory;
}

}  // namespace

FUNCTION void begins_and_ends() {
  void* memory = malloc(900'000);
  KEEP(memory);
  free(memory);
}

FUNCTION void keeps_by_malloc() {
  for (int i = 0; i < 7; ++i) Keep(malloc(1001));
}

FUNCTION void* begins_a_block() {
  char* memory = static_cast<char*>(malloc(10));
  KEEP(memory);
  memory[9] = 42;
  return memory;
}

FUNCTION void keeps_by_realloc() {
  char* memory = static_cast<char*>(realloc(begins_a_block(), 200'000));
  if (memory[9] != 42) abort();
  memory = static_cast<char*>(reallocarray(memory, 7, 11));
  if (memory[9] != 42 || malloc_usable_size(memory) < 77) abort();
  memset(memory, 1, malloc_usable_size(memory));
  Keep(memory);
  void* const last = begins_a_block();
  if (realloc(last, 0) != nullptr) abort();
  void* volatile none = nullptr;
  free(none);
  if (malloc_usable_size(none) != 0) abort();
}

FUNCTION void keeps_by_calloc() {
  char* memory = static_cast<char*>(calloc(5, 700));
  for (int i = 0; i < 3500; ++i) {
    if (memory[i] != 0) abort();
  }
  Keep(memory);
}

FUNCTION void keeps_by_alignment() {
  volatile size_t no_power_of_two = 24;  // rounded up
  void* all[5] = {aligned_alloc(256, 512), memalign(512, 17), valloc(19), nullptr,
                  memalign(no_power_of_two, 40)};
  if (posix_memalign(&all[3], 65536, 23) != 0) abort();
  const uintptr_t alignments[] = {256, 512, 4096, 65536, 32};
  for (int i = 0; i < 5; ++i) {
    if (reinterpret_cast<uintptr_t>(all[i]) % alignments[i] != 0) abort();
    memset(all[i], i, 17);
    Keep(all[i]);
  }
  // Of an aligned block that grows the contents stay.
  char* const small = static_cast<char*>(aligned_alloc(1024, 8));
  memcpy(small, "aligned", 8);
  char* const grown = static_cast<char*>(realloc(small, 100'000));
  if (strcmp(grown, "aligned") != 0) abort();
  free(grown);
}

FUNCTION void keeps_by_new() {
  Keep(new int(1));
  Keep(new char[29]);
  Keep(new (std::nothrow) char[31]);
  Keep(operator new(128, std::align_val_t(128)));
  delete new std::string(1000, 'x');
}

FUNCTION void makes_the_peak() {
  void* memory = malloc(1'000'000);
  KEEP(memory);
  free(memory);
}

FUNCTION void comes_later() {
  void* memory = malloc(950'000);
  KEEP(memory);
  free(memory);
}

// Too much is requested: nothing is in use by it, and existing memory stays.
FUNCTION void fails() {
  volatile size_t too_much = SIZE_MAX - 8;
  // clang assumes that an allocation succeeds if it sees all uses of the result.
  void* volatile none[] = {malloc(too_much), calloc(too_much, 2), aligned_alloc(64, too_much)};
  for (void* const one : none) {
    if (one != nullptr) abort();
  }
  if (realloc(kept[0], too_much) != nullptr) abort();
  memset(kept[0], 0, 1001);
}

FUNCTION void lets_all_go() {
  while (keeps > 0) free(kept[--keeps]);
}

FUNCTION void all_of_them() {
  begins_and_ends();
  keeps_by_malloc();
  keeps_by_realloc();
  keeps_by_calloc();
  keeps_by_alignment();
  keeps_by_new();
  fails();
  makes_the_peak();
  comes_later();
  lets_all_go();
  begins_and_ends();
}

FUNCTION void keeps_in_a_thread(int bytes) { Keep(malloc(static_cast<size_t>(bytes))); }

// Each thread allocates memory; then another one frees it.
FUNCTION void hands_over() {
  std::vector<std::thread> threads;
  for (int i = 1; i <= 8; ++i) threads.emplace_back(keeps_in_a_thread, 1000 * i);
  for (std::thread& thread : threads) thread.join();
  makes_the_peak();
  std::thread(lets_all_go).join();
  comes_later();
}

FUNCTION void comes_and_goes(int rounds) {
  std::vector<void*> mine;
  unsigned random = 1;
  for (int i = 0; i < rounds; ++i) {
    random = random * 1103515245 + 12345;
    if (mine.empty() || (random >> 16) % 2 == 0) {
      mine.push_back(malloc((random >> 20) % 2000));
    } else {
      free(mine.back());
      mine.pop_back();
    }
  }
  for (void* memory : mine) free(memory);
}

FUNCTION void all_at_once() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back(comes_and_goes, 50'000);
  for (std::thread& thread : threads) thread.join();
}

// A child's release of its parent's memory counts neither for the child nor for the parent.
FUNCTION void forks() {
  keeps_by_malloc();
  const pid_t child = fork();
  if (child == 0) {
    lets_all_go();
    keeps_by_calloc();
    exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) abort();
  makes_the_peak();
}

FUNCTION void is_killed() {
  keeps_by_malloc();
  keeps_by_calloc();
  raise(SIGKILL);
}

FUNCTION void begins_anew() {
  keeps_by_malloc();
  begins_and_ends();
  gprofhub_reset();
  keeps_by_calloc();
}

// Memory requested while counting is off is not counted when it is released either.
FUNCTION void pauses() {
  moncontrol(0);
  keeps_by_malloc();
  makes_the_peak();
  moncontrol(1);
  keeps_by_calloc();
  lets_all_go();
  keeps_by_realloc();
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "all") all_of_them();
  if (what == "threads") hands_over();
  if (what == "stress") all_at_once();
  if (what == "forks") forks();
  if (what == "killed") is_killed();
  if (what == "reset") begins_anew();
  if (what == "pauses") pauses();
  return 0;
}
