/* Calls library functions ROUNDS times in each thread, and checks their results.
 *
 *     program ROUNDS THREADS FILE
 *
 * library_calls_test.cc has the expected number of calls, by caller and callee. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runtime/library_calls/library.h"

static int failures;
#define CHECK(condition)                                                \
  do {                                                                  \
    if (!(condition)) {                                                 \
      fprintf(stderr, "line %d: not true: %s\n", __LINE__, #condition); \
      failures++;                                                       \
    }                                                                   \
  } while (0)

NI static void save(int file, const char* bytes, size_t count) {
  CHECK(write(file, bytes, count) == (ssize_t)count);
  CHECK(fsync(file) == 0);
#ifndef SAVES_ONCE
  CHECK(fsync(file) == 0);
#endif
}

NI static void* copy(const void* from, size_t bytes) {
  void* to = malloc(bytes);
  return memcpy(to, from, bytes);
}

NI static void release(void* memory) { free(memory); }

/* setjmp returns `times` times. */
NI static int jump(int times) {
  jmp_buf place;
  volatile int returned = 0;
  const int value = setjmp(place);
  CHECK(value == returned);
  if (++returned < times) longjmp(place, returned);
  return returned;
}

/* vfork returns twice. */
NI static int spawn(void) {
  const pid_t child = vfork();
  if (child == 0) _exit(3);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  return WEXITSTATUS(status);
}

NI static void format(double base) {
  char text[200];
  snprintf(text, sizeof text, "%d %.1f %s %.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f %ld", 1, base,
           "two", base + 1, base + 2, base + 3, base + 4, base + 5, base + 6, base + 7, base + 8,
           9L);
  CHECK(strcmp(text, "1 1.5 two 2.50 3.50 4.50 5.50 6.50 7.50 8.50 9.50 9") == 0);
}

#if defined(__x86_64__) && !defined(__clang__)
#define HAS_WIDE_VECTORS
NI static __attribute__((target("avx"))) void pass_wide(void) {
  const four a = {1, 2, 3, 4}, b = {10, 20, 30, 40};
  const four both = add_four(a, b);
  CHECK(both[0] == 11 && both[1] == 22 && both[2] == 33 && both[3] == 44);
}
#endif

NI static void pass_values(void) {
  CHECK(many(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1) == 210);
  CHECK(many(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19) == 2660);
  CHECK(sum(10, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.) == 55);
  CHECK(three_of(5).c == 7 && three_of(5).a == 5);
  CHECK(twice(1.25L) == 2.5L);
  const _Complex double value = 3 + 4i;
  CHECK(conjugate(value) == 3 - 4i);
  const floats a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
  const floats both = add_floats(a, b);
  CHECK(both[0] == 6 && both[3] == 12);
#ifdef HAS_WIDE_VECTORS
  if (has_wide_vectors() && __builtin_cpu_supports("avx")) pass_wide();
#endif
}

/* A function's address is that of the function itself, also where it is called, too. */
typedef void* (*reallocate)(void* memory, size_t bytes);
static volatile reallocate known_realloc;
NI static void take_address(void) {
  known_realloc = realloc;
  CHECK(is_realloc(known_realloc));
  free(realloc(malloc(1), 2));
}

NI static void called_back(void* count) { *(int*)count += 1; }

static int rounds;

NI static void* in_thread(void* unused) {
  for (int i = 0; i < rounds; ++i) release(copy("in a thread", 12));
  return unused;
}

NI static void in_threads(int count) {
  pthread_t threads[64];
  for (int i = 0; i < count; ++i) CHECK(pthread_create(&threads[i], 0, in_thread, 0) == 0);
  for (int i = 0; i < count; ++i) CHECK(pthread_join(threads[i], 0) == 0);
}

/* How many slots of the program's procedure linkage table lead to a thunk of the runtime. */
extern const char gh_library_thunks[] __attribute__((weak));
#ifdef __x86_64__
enum { THUNKS = 1024, THUNK_BYTES = 96 };
#else
enum { THUNKS = 1024, THUNK_BYTES = 16 };
#endif

static int thunks_in(struct dl_phdr_info* info, size_t bytes, void* found) {
  (void)bytes;
  const ElfW(Rela)* slots = 0;
  size_t size = 0;
  const ElfW(Dyn)* entry = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    entry = (const ElfW(Dyn)*)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  }
  for (; entry && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_JMPREL) slots = (const ElfW(Rela)*)entry->d_un.d_ptr;
    if (entry->d_tag == DT_PLTRELSZ) size = entry->d_un.d_val;
  }
  for (size_t i = 0; i < size / sizeof *slots; ++i) {
    const char* to = *(const char**)(info->dlpi_addr + slots[i].r_offset);
    *(int*)found += to >= gh_library_thunks && to < gh_library_thunks + THUNKS * THUNK_BYTES;
  }
  return 1; /* the program alone */
}

int main(int argc, char** argv) {
  if (argc != 4) return 64;
  rounds = atoi(argv[1]);
  const int file = open(argv[3], O_CREAT | O_TRUNC | O_WRONLY, 0666);
  for (int i = 0; i < rounds; ++i) save(file, "saved", 5);
  for (int i = 0; i < rounds; ++i) release(copy("copied", 7));
  for (int i = 0; i < rounds; ++i) CHECK(jump(5) == 5);
  for (int i = 0; i < rounds; ++i) format(1.5);
  for (int i = 0; i < rounds; ++i) pass_values();
  CHECK(spawn() == 3);
  take_address();
  int called = 0;
  call_back(called_back, &called, rounds);
  CHECK(called == rounds);
  in_threads(atoi(argv[2]));
  int thunks = 0;
  if (gh_library_thunks) dl_iterate_phdr(thunks_in, &thunks);
  printf("%d thunks\n", thunks);
  return failures != 0;
}
