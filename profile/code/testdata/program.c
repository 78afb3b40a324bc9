#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef COMMENTED
/* A comment moves all that follows down by two lines.
 */
#endif

#ifdef ELSEWHERE
const char kBefore[3000] = "data that stands before";
const double kFactors[] = {1.25, 2.25, 3.25};
__attribute__((noinline)) double added_before(int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += kFactors[i % 3] + kBefore[i];
  puts("another text that stands before the others");
  return sum * 7.125;
}
#endif

#ifdef RENAMED
#define one first
#define state total
#define kTable numbers
#endif

#ifdef BOUND
#define kBound 17
#else
#define kBound 16
#endif
#ifdef NUMBER
#define kNumber 2.75
#else
#define kNumber 2.5
#endif
#ifdef TEXT
#define kText "%d bananas\n"
#else
#define kText "%d apples\n"
#endif
#ifdef TABLE
static const int kTable[] = {3, 1, 4, 1, 5, 9, 2, 7};
#else
static const int kTable[] = {3, 1, 4, 1, 5, 9, 2, 6};
#endif

static long state;
#ifdef INITIAL
int limit = 12;
#else
int limit = 2;
#endif

#ifdef POINTED
static const char* settings = "depth=3 width=8";
#else
static const char* settings = "depth=3 width=7";
#endif
struct Limit {
  const char* name;
  int number;
};
#ifdef RECORD
struct Limit limits[] = {{"small", 3}, {"usual", 12}};
#else
struct Limit limits[] = {{"small", 3}, {"usual", 9}};
#endif
const struct Limit* chosen = &limits[1];

__attribute__((noinline)) int one(int n) { return n * 3 + 1; }
__attribute__((noinline)) int two(int n) { return n * 5 + 2; }

#ifdef CALLEE
#define CALLED two
#else
#define CALLED one
#endif
__attribute__((noinline)) int calls_others(int n) { return CALLED(n) + two(n + 1); }
__attribute__((noinline)) int reads_table(int n) { return kTable[n & 7]; }
__attribute__((noinline)) void says_line(int n) {
  if (n > 1000) fprintf(stderr, "line %d\n", __LINE__);
}
__attribute__((noinline)) int loops(int n) {
  int sum = 0;
  for (int i = 0; i < kBound; ++i) sum += one(i) ^ n;
  return sum;
}
__attribute__((noinline)) double reads_number(double x) { return x * kNumber; }
__attribute__((noinline)) void prints_text(int n) { printf(kText, n); }
__attribute__((noinline)) void switches(int n) {
  switch (n) {
    case 0: puts("zero"); break;
    case 1: state += one(n); break;
    case 2: state -= two(n); break;
    case 3: state ^= one(n + 5); break;
    case 4: exit(4);
    case 5: state = two(n - 4) * 3; break;
    default: state = 0;
  }
}
__attribute__((noinline)) int jumps_away(int n) { return one(n ^ 3); }
__attribute__((noinline)) void writes_state(int n) { state += n; }
__attribute__((noinline)) void sets_limit(int n) {
  limit = n;
  if (n < 0) chosen = limits, settings = "";
}
__attribute__((noinline)) int reads_text(int n) { return settings[n]; }
__attribute__((noinline)) int reads_record(int n) { return limits[n].number; }
__attribute__((noinline)) int reads_chosen(void) { return chosen->number; }
__attribute__((noinline)) int reads_limit(int n) { return n < limit; }
#ifdef NEIGHBOUR
#line 1074
#endif
__attribute__((noinline)) int stands_before(int n) { return n * 11 + 3; }
#line 84
__attribute__((noinline)) int masks(int n) { return n & 1075; }
#ifdef NEIGHBOUR
#line 1075
#endif
#ifdef LIBRARY
__attribute__((noinline)) long calls_library(const char* s) { return atol(s); }
#else
__attribute__((noinline)) long calls_library(const char* s) { return (long)strlen(s) + 1; }
#endif
#line 93

int main(int argc, char** argv) {
  (void)argv;
#ifdef ELSEWHERE
  state = (long)added_before(argc);
#endif
  says_line(argc);
  prints_text(calls_others(argc) + reads_table(argc) + loops(argc) + jumps_away(argc) +
              masks(stands_before(argc)) + reads_limit(argc));
  if (argc > 100) sets_limit(argc);
  switches(argc);
  writes_state(argc);
  state += reads_text(argc) + reads_record(argc & 1) + reads_chosen();
  return (int)(reads_number(argc) + (double)state + (double)calls_library(argv[0]));
}
