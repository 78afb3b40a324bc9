// One of each form of call and of what is none. The .s files beside this are what
// gcc 12 and clang 14 make of it (README.md); the .counted.s files are those with
// counters.
struct Base {
  virtual int Call(int);
};

int external(int);
extern int (*pointer)(int);
extern thread_local int variable;

static __attribute__((noinline)) int Local(int x) { return x * 3; }
static __attribute__((noinline)) int Taken(int x) { return x * 5; }
int (*taken())(int) { return Taken; }

int tail(int x) { return external(Local(x)); }
int tail_pointer(int x) { return pointer(x); }
int by_pointer(int x) { return pointer(x) + 1; }
int by_table(Base* base) { return base->Call(3) + 1; }
int conditional(int x) {
  if (x == 3) return external(3);
  return 0;
}
int choice(int x) {
  switch (x) {
    case 0:
      return external(1);
    case 1:
      return external(5) + 1;
    case 2:
      return 77;
    case 3:
      return x + Local(9);
    case 4:
      return external(11) - 2;
  }
  return 0;
}
inline __attribute__((noinline)) int comdat(int x) { return external(x) + 1; }
int of_comdat(int x) {
  asm volatile("call external");
  return comdat(x) + variable;
}
