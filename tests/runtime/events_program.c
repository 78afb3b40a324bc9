/* Touches PAGES pages for the first time in one function, and computes in another. */
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { PAGE = 4096 };

__attribute__((noinline)) static void touches_pages(volatile char* memory, int pages) {
  for (int i = 0; i < pages; ++i) memory[i * PAGE] = 1;
}

__attribute__((noinline)) static double computes(void) {
  const clock_t end = clock() + CLOCKS_PER_SEC / 5;
  double sum = 0;
  while (clock() < end) {
    for (int i = 1; i < 200000; ++i) sum += 1.0 / i;
  }
  return sum;
}

int main(int argc, char** argv) {
  const int pages = argc > 1 ? atoi(argv[1]) : 1;
  const size_t bytes = (size_t)pages * PAGE;
  char* memory = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  touches_pages(memory, pages);
  return computes() > 0 ? 0 : 1;
}
