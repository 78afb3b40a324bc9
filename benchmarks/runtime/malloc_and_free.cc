// Nothing but malloc and free, of 64 sizes: what glibc's cache of a thread answers at once.
#include <cstdlib>

int main() {
  for (int i = 0; i < 50'000'000; ++i) {
    void* memory = std::malloc(16 + (i & 63));
    asm volatile("" ::"r"(memory) : "memory");
    std::free(memory);
  }
}
