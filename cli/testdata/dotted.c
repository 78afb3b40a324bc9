/* Local functions with the names that compilers make: of OpenMP regions, coroutines, versions for
 * processors, parts and copies. */
#define KINDS(kind)                                                                               \
  kind(a, "main._omp_fn.0", 1) kind(b, "task.actor", 2) kind(c, "task.destroy", 3)                \
      kind(d, "task.resume", 4) kind(e, "sum.avx2", 5) kind(f, "sum.default", 6)                  \
          kind(g, "read.lto_priv.0", 7) kind(h, "read.isra.0", 8) kind(i, "read.part.0", 9)       \
              kind(j, "read.cold", 10) kind(k, "read.llvm.123", 11) kind(l, "read.__uniq.71", 12) \
                  kind(m, "_Z4workv.constprop.0", 13) kind(n, "_Z4taskv.actor", 14)

volatile int sink;

#define DECLARE(id, name, calls)                                \
  static __attribute__((noinline)) void id(void) __asm__(name); \
  static void id(void) { sink += calls; }
KINDS(DECLARE)

#define CALL(id, name, calls) \
  for (int call = 0; call < calls; ++call) id();
int main(void) {
  KINDS(CALL)
  return 0;
}
