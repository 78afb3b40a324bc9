#include "work.h"

__attribute__((noinline)) void work() { __asm__ volatile(""); }

__attribute__((noinline)) void work_times(int times) {
  for (int i = 0; i < times; ++i) work();
}
