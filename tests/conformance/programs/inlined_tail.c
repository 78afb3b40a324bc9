long head(long n);
long tail(long n);
int main(void) {
  long sum = 0;
  for (int i = 0; i < 7; ++i) sum += tail(100000);
  return sum == 1;
}
__attribute__((noinline)) long tail(long n) { return head(n) + 1; }
