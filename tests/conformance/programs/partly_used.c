// Calls nothing in unused.c.
int work(int n);
int unused_here(int n);

int main(int argc, char **argv) {
  int count = 0;
  for (int i = 0; i < 1000; ++i) count += work(i);
  if (argc > 5) count += unused_here(argc + argv[0][0]);
  return count == 5;
}

__attribute__((noinline)) int work(int n) { return n % 3; }
