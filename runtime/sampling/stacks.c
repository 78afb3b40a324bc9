/* A stack is a path in a tree of calling contexts: each frame is one slot of
 * the thread's table, keyed by its program counter and the slot of its caller,
 * and only the innermost is counted. Stacks that share callers share slots.
 *
 * Stacks are unwound by saved frame pointers (code built with -fno-omit-frame-pointer; -pg
 * implies it for the functions that call mcount). Each must be above the previous one and within
 * the stack's mapping, so that only mapped memory is read. A function without a frame pointer
 * hides its caller, and code that uses the register for something else ends the walk: such a
 * stack is counted in truncated_stacks and has the special frame GPROFHUB_STACK_CUT in place of
 * the missing ones. */
#include "runtime/sampling/stacks.h"

#include <fcntl.h>

#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/table.h"

enum { MAX_FRAMES = 256 };

/* The end of the mapping that contains `address`; 0 if there is none. */
static uint64_t mapping_end(uint64_t address) {
  long fd = GH_OPEN("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
  if (GH_FAILED(fd)) return 0;
  char buffer[512], range[40];
  size_t length = 0;
  int in_range = 1;
  uint64_t end = 0;
  long got;
  while (end == 0 && (got = GH_CALL3(read, fd, buffer, sizeof buffer)) > 0) {
    for (long i = 0; i < got && end == 0; ++i) {
      if (buffer[i] == '\n') {
        length = 0;
        in_range = 1;
      } else if (in_range && buffer[i] != ' ' && length + 1 < sizeof range) {
        range[length++] = buffer[i];
      } else if (in_range) {
        range[length] = 0;
        in_range = 0;
        const char* at = range;
        const uint64_t low = gh_take_hex(&at);
        ++at;
        const uint64_t high = gh_take_hex(&at);
        if (address >= low && address < high) end = high;
      }
    }
  }
  GH_CALL1(close, fd);
  return end;
}

/* End of the stack that sp points into. A program may switch stacks (alternate signal stacks,
 * coroutines): the mapping is looked up when sp has left the last one, whose bounds are cached. */
struct stack_range {
  uint64_t low, high;
};
static __thread struct stack_range known __attribute__((tls_model("initial-exec")));

static uint64_t stack_end(uint64_t sp) {
  /* Stacks grow downwards: an address slightly below the lowest one seen is in the same stack. */
  enum { NEAR = 1 << 20 };
  if (sp < known.high && sp + NEAR >= known.low) {
    if (sp < known.low) known.low = sp;
    return known.high;
  }
  known.high = mapping_end(sp);
  known.low = sp;
  return known.high;
}

/* Return address of main, where stacks end. On some processors the code there keeps no frame
 * pointer, so without this check every stack would be truncated. NULL in the preload: there a
 * stack that reaches main's caller counts as truncated. */
extern const char program_main[] __asm__("main") __attribute__((weak));
static uint64_t return_of_main;

void gh_stack_note_call(uint64_t self, uint64_t from) {
  enum { PROLOGUE = 64 };
  const uint64_t begin = (uint64_t)program_main;
  if (begin && self >= begin && self < begin + PROLOGUE) return_of_main = from;
}

void gh_stack_count(struct gprofhub_thread* thread, const ucontext_t* interrupted,
                    uint64_t weight) {
  uint64_t frames[MAX_FRAMES + 1];
  int count = 0;
  const uint64_t sp = gh_sp_of(interrupted);
  uint64_t frame = gh_frame_of(interrupted);
  const uint64_t end = stack_end(sp);
  uint64_t low = sp;
  frames[count++] = gh_pc_of(interrupted);
  /* The register may contain any value: even -16, where an addition would overflow. */
  while (count < MAX_FRAMES && frame >= low && frame % 8 == 0 && frame < end && end - frame >= 16) {
    const uint64_t* words = (const uint64_t*)frame;
    const uint64_t caller = gh_code_address(words[1]);
    if (caller < GPROFHUB_PAGE_BYTES) break;
    frames[count++] = caller;
    low = frame + 16;
    frame = words[0];
    if (caller == return_of_main) frame = 0;
  }
  if (frame != 0) {
    gh_lose(GPROFHUB_TRUNCATED_STACKS, weight);
    frames[count++] = GPROFHUB_STACK_CUT;
  }
  int64_t parent = -1;
  struct gprofhub_chunk* table = 0;
  for (int i = count - 1; i >= 0; --i) {
    struct gprofhub_chunk* used;
    parent = gh_count(thread, GPROFHUB_STACKS, frames[i], (uint64_t)(parent + 1), 0, &used);
    if (parent < 0) {
      gh_lose(GPROFHUB_LOST_SAMPLES, weight);
      return;
    }
    /* A larger table has begun midway: the path starts again in that one. The slot just made
     * there refers to a caller in the other table, and must not have one. */
    if (table && used != table) {
      gh_table_slots(used)[parent].context = 0;
      parent = -1;
      i = count;
    }
    table = used;
  }
  gh_add(&gh_table_slots(table)[parent].count, weight);
}
