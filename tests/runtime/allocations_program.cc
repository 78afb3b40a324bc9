// Allocations whose number and sizes follow from the arguments: THREADS ROUNDS. Each function asks
// for memory in one way, its rounds many times. Sizes differ, so that bytes identify them.
#include <malloc.h>

#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "runtime/gprofhub.h"

// The compiler must not see its use: else it leaves pairs of new and delete out.
#define KEEP(pointer) asm volatile("" ::"r"(pointer) : "memory")

extern "C" {

GPROFHUB_QUANTITY(rows_read)

__attribute__((noinline)) void by_malloc(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    void* memory = malloc(3);
    KEEP(memory);
    free(memory);
  }
}

__attribute__((noinline)) void by_calloc(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    char* memory = static_cast<char*>(calloc(5, 7));
    KEEP(memory);
    for (int k = 0; k < 35; ++k) {
      if (memory[k] != 0) abort();
    }
    free(memory);
  }
}

__attribute__((noinline)) void by_realloc(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    void* volatile none = nullptr;  // gcc turns a realloc of a known null into malloc
    char* memory = static_cast<char*>(realloc(none, 11));
    memory[10] = 42;
    KEEP(memory);
    memory = static_cast<char*>(reallocarray(memory, 1000, 13));
    if (memory[10] != 42) abort();
    free(memory);
  }
}

__attribute__((noinline)) void by_alignment(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    void* all[4] = {aligned_alloc(256, 512), memalign(512, 17), valloc(19), nullptr};
    if (posix_memalign(&all[3], 1024, 23) != 0) abort();
    if (reinterpret_cast<uintptr_t>(all[3]) % 1024 != 0) abort();
    if (posix_memalign(&all[3], 3, 23) == 0) abort();  // no alignment: not counted
    for (void* one : all) {
      KEEP(one);
      free(one);
    }
  }
}

__attribute__((noinline)) void by_new(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    int* one = new int(1);
    KEEP(one);
    delete one;
    char* many = new char[29];
    KEEP(many);
    delete[] many;
    char* quiet = new (std::nothrow) char[31];
    KEEP(quiet);
    delete[] quiet;
    struct alignas(128) Wide {
      char bytes[128];
    };
    Wide* wide = new Wide;
    if (reinterpret_cast<uintptr_t>(wide) % 128 != 0) abort();
    KEEP(wide);
    delete wide;
  }
}

__attribute__((noinline)) void by_failure(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    volatile size_t too_much = size_t{1} << 62;
    // clang assumes that an allocation succeeds if it sees all uses of the result.
    void* volatile none[] = {malloc(too_much), calloc(too_much, 8),
                             reallocarray(nullptr, too_much, 8)};
    for (void* const one : none) {
      if (one != nullptr) abort();
    }
    void* memory = nullptr;
    try {
      memory = operator new(too_much);
      abort();
    } catch (const std::bad_alloc&) {
      if (memory != nullptr) abort();
    }
    if (operator new(too_much, std::nothrow) != nullptr) abort();
  }
}

static int handled;

// A new-handler that gives up the second time, by throwing.
__attribute__((noinline)) void by_handler() {
  std::set_new_handler([] {
    if (++handled == 2) throw std::bad_alloc();
  });
  volatile size_t too_much = size_t{1} << 62;
  try {
    KEEP(operator new(too_much));
    abort();
  } catch (const std::bad_alloc&) {
    if (handled != 2) abort();
  }
  handled = 1;
  if (operator new(too_much, std::nothrow) != nullptr || handled < 2) abort();
  std::set_new_handler(nullptr);
}

__attribute__((noinline)) void by_quantity(int rounds) {
  for (int i = 0; i < rounds; ++i) gprofhub_count(rows_read, static_cast<unsigned long>(i));
}

// Its last act: a jump would name the caller.
__attribute__((noinline)) void by_last_act(int rounds) {
  gprofhub_count(rows_read, static_cast<unsigned long>(rounds));
}

__attribute__((noinline)) void all_of_them(int rounds) {
  by_malloc(rounds);
  by_calloc(rounds);
  by_realloc(rounds);
  by_alignment(rounds);
  by_new(rounds);
  by_failure(rounds);
  by_quantity(rounds);
  by_last_act(rounds);
}
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int rounds = atoi(argv[2]);
  by_handler();
  std::vector<std::thread> threads;
  for (int i = 0; i < atoi(argv[1]); ++i) threads.emplace_back(all_of_them, rounds);
  for (std::thread& thread : threads) thread.join();
  return 0;
}
