/* Calls whose return addresses lie in one block of 16 bytes with another function's code. glibc's
 * profiles contain only the block. The directives place the code; built with -O1. */
#define FUNCTION __attribute__((noinline)) void
#define NOT_COUNTED __attribute__((noinline, no_instrument_function)) void

volatile int sink;

FUNCTION work(void) { ++sink; }
FUNCTION other(void) { ++sink; }

/* Ends within the block in which `early` begins. */
FUNCTION before(void) {
  ++sink;
  __asm__ volatile(".balign 16, 0x90\n nop");
}
NOT_COUNTED early(void) {
  work();
  ++sink;
}

/* Its call returns into the block in which `next` begins. */
FUNCTION last(void) {
  ++sink;
  __asm__ volatile(".balign 16, 0x90");
  work();
}
NOT_COUNTED next(void) {
  other();
  ++sink;
}

/* Begins a block. */
__attribute__((aligned(16))) NOT_COUNTED aligned(void) {
  other();
  ++sink;
}

/* The target is not in the instruction. */
FUNCTION through(void) {
  ++sink;
  __asm__ volatile(".balign 16, 0x90\n nop");
}
NOT_COUNTED pointed(void (*to)(void)) {
  to();
  ++sink;
}

int main(void) {
  before();
  last();
  through();
  for (int i = 0; i < 100; ++i) early();
  for (int i = 0; i < 7; ++i) next();
  for (int i = 0; i < 5; ++i) aligned();
  for (int i = 0; i < 3; ++i) pointed(work);
  return 0;
}
