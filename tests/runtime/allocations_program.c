/* A program in C, which has no C++ library: FORKS. Each child asks for memory and leaves. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static void copies_a_string(void) {
  char* copy = strdup("seven!!");
  __asm__ volatile("" ::"r"(copy) : "memory");
  free(copy);
}

int main(int argc, char** argv) {
  const int forks = argc > 1 ? atoi(argv[1]) : 0;
  for (int i = 0; i < forks; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      copies_a_string();
      exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) return 1;
  }
  copies_a_string();
  return 0;
}
