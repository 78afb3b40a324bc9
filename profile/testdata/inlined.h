/* wrap is inlined wherever it is called, and with it its call of work. */
void work(int i);

static inline __attribute__((always_inline)) void wrap(int i) {
  work(i);
}
