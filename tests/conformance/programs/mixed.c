// Functions that begin in one file and go on in another; main has lines beyond the end
// of this one.
volatile long total;
void leaf(int n) { while (n-- > 0) total += n; }
#line 1 "mixed.h"
static void mixed(int n) {
#line 20 "mixed.c"
  leaf(n);
  leaf(2 * n);
#line 3 "mixed.h"
  leaf(3 * n);
#line 24 "mixed.c"
  for (int i = 0; i < 3; ++i)
    leaf(n);
}
void plain(int n) {
#line 9 "mixed.h"
  leaf(n);
#line 31 "mixed.c"
  mixed(n);
}
#line 11 "mixed.h"
void short_one(int n) {
#line 35 "mixed.c"
  mixed(n);
  plain(n);
}
int main(void) {
  for (int i = 0; i < 100; ++i) {
    short_one(100000);
    plain(50000);
  }
  return total == 1;
}
