/* gcc's basic-block hook (-fsanitize-coverage=trace-pc) counts blocks, and a branch back to a
 * loop's beginning is not one: it gets a separate block only where gcc splits critical edges, as
 * it does for its arc profile. So blocks are also compiled with -fprofile-arcs, and this file
 * replaces libgcov: its counters are discarded, and no .gcda file is written. Link it for block
 * counts only, never where coverage is measured, too. */

#define STUB __attribute__((visibility("default")))

STUB void __gcov_init(void* unused);
STUB void __gcov_exit(void);
STUB void __gcov_merge_add(void* counters, unsigned count);

void __gcov_init(void* unused) { (void)unused; }
void __gcov_exit(void) {}
void __gcov_merge_add(void* counters, unsigned count) {
  (void)counters;
  (void)count;
}
