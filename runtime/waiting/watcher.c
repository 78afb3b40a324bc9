/* The thread is created by the bare system call. libc does not know it, so a program with one
 * thread stays single-threaded for libc: locks and reference counts that are skipped then are
 * still skipped, and setuid does not wait for this thread. It blocks all signals, and shares
 * neither descriptors nor the working directory with the program: its descriptors take no number
 * from the program, a forked child inherits nothing, and it finds /proc after a chroot. It calls
 * no function of libc. Its thread-local variables are the runtime's alone.
 *
 * Inherited descriptors are closed before the program continues: otherwise readers of a pipe
 * would never see its end.
 *
 * Before the first look a self-test runs. The thread that starts the watcher waits for it, so
 * the kernel must report that thread as blocked, in this very system call. A kernel without such
 * a file, or an emulator, reports something else. */
#include "runtime/waiting/watcher.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "runtime/base/complain.h"
#include "runtime/base/syscalls.h"
#include "runtime/processor/machine.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/thread_records.h"
#include "runtime/sampling/ring.h"
#include "runtime/waiting/blocked.h"
#include "runtime/waiting/eh_frame.h"
#include "runtime/waiting/looks.h"

#ifndef SYS_close_range
#define SYS_close_range 436 /* headers before Linux 5.9 lack it */
#endif

enum { STACK_BYTES = 65536, MOST_WATCHED = 65536 };

enum state { NONE, STARTING, WATCHES, REFUSED };
static uint32_t state;
static uint32_t on;              /* looks are enabled */
static uint32_t wakes;           /* changes to end its sleep */
static uint32_t asked, answered; /* requests to take, and answers */
static const char* reason;       /* reason of the refusal */
static uint32_t starter;         /* thread id */

static struct gh_watched* watched; /* by record */

static const uint64_t kSecond = 1000000000u;

static uint64_t now(void) {
  struct timespec time = {0};
  GH_CALL2(clock_gettime, CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * kSecond + (uint64_t)time.tv_nsec;
}

static void wake(uint32_t* word) {
  GH_CALL6(futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT32_MAX, 0, 0, 0);
}

/* Waits until the word changes, or until the time `until` of now(). */
static void sleep_on(uint32_t* word, uint32_t value, uint64_t until) {
  const struct timespec when = {(time_t)(until / kSecond), (long)(until % kSecond)};
  GH_CALL6(futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, value, &when, 0,
           FUTEX_BITSET_MATCH_ANY);
}

/* Whether /proc reports where the starting thread is blocked: it waits for `state`. */
static int can_look(void) {
  enum { TRIES = 100000, BETWEEN_NS = 100000 };
  const struct timespec between = {0, BETWEEN_NS};
  const long fd = gh_open_state(starter);
  if (GH_FAILED(fd)) return 0;
  struct gh_blocked blocked = {0, 0, 0, 0};
  enum gh_thread_state seen = GH_THREAD_RUNS;
  for (int i = 0; seen == GH_THREAD_RUNS && i < TRIES; ++i) {
    if (i) GH_CALL4(clock_nanosleep, CLOCK_MONOTONIC, 0, &between, 0);
    seen = gh_read_state((int32_t)fd, &blocked);
  }
  GH_CALL1(close, fd);
  return seen == GH_THREAD_IS_BLOCKED && blocked.number == SYS_futex &&
         blocked.argument == (uint64_t)&state;
}

__attribute__((noreturn)) static void leave(void) {
  for (;;) GH_CALL1(exit, 0);
}

__attribute__((noreturn)) static void refuse(const char* why) {
  reason = why;
  __atomic_store_n(&state, REFUSED, __ATOMIC_RELEASE);
  wake(&state);
  leave();
}

/* Irregular intervals, so that they do not correlate with a program that works in step with the
 * clock. */
static uint64_t next_step(void) {
  static uint64_t random = 88172645463325252u;
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  return GH_LOOK_NS / 2 + random % GH_LOOK_NS;
}

/* Looks at all threads that are due. 0: no thread is left. */
static int look_at_all(struct gprofhub_thread* self, int whoever) {
  const uint32_t count = gh_thread_count();
  const uint64_t time = now();
  int alive = 0;
  for (uint32_t i = 0; i < count && i < MOST_WATCHED; ++i) {
    const struct gprofhub_thread* const thread = gh_thread_at(i);
    if (!thread || thread == self || (uint32_t)thread->owner == 0) continue;
    if (!whoever && watched[i].owner == thread->owner && watched[i].next > time) {
      alive = 1;
      continue;
    }
    /* Looking takes time if there are many threads. */
    alive |= gh_look(&watched[i], thread, self, now(), &answered);
  }
  return alive;
}

/* Time from now on until the next look does not count. */
static void forget_time(void) {
  for (uint32_t i = 0; i < gh_thread_count() && i < MOST_WATCHED; ++i) {
    watched[i].last = watched[i].next = 0;
    watched[i].blocked = 0;
  }
}

static int is_off(void) {
  return !__atomic_load_n(&on, __ATOMIC_ACQUIRE) || gh_counting_off || gh_sampling_off;
}

static void watch(struct gprofhub_thread* self) {
  int was_off = 1;
  for (int alive = 1; alive;) {
    const uint32_t woken = __atomic_load_n(&wakes, __ATOMIC_ACQUIRE);
    const uint32_t request = __atomic_load_n(&asked, __ATOMIC_ACQUIRE);
    alive = look_at_all(self, was_off || request != answered);
    was_off = is_off();
    if (was_off) forget_time();
    if (request != answered) {
      __atomic_store_n(&answered, request, __ATOMIC_RELEASE);
      wake(&answered);
    }
    sleep_on(&wakes, woken, now() + (was_off ? kSecond : next_step()));
  }
}

static void begin(void) {
  if (GH_FAILED(GH_CALL3(close_range, 0, UINT32_MAX, 0))) refuse("the kernel is older than 5.9");
  if (!can_look()) refuse("/proc does not show where threads are blocked");
  const long memory = GH_CALL6(mmap, 0, MOST_WATCHED * sizeof *watched, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (GH_FAILED(memory)) refuse("out of memory (ulimit -v?)");
  GH_CALL3(madvise, memory, MOST_WATCHED * sizeof *watched, MADV_DONTFORK);
  watched = (struct gh_watched*)memory;
  GH_CALL2(prctl, PR_SET_NAME, "gprofhub");
  int dropped;
  struct gprofhub_thread* const self = gh_record_obtain((uint32_t)GH_CALL0(gettid), &dropped);
  if (!self) refuse("out of memory (ulimit -v?)");
  __atomic_fetch_sub(&gh_header->threads, 1,
                     __ATOMIC_RELAXED); /* not one of the program's threads */
  __atomic_store_n(&state, WATCHES, __ATOMIC_RELEASE);
  wake(&state);
  watch(self);
  __atomic_store_n(&state, NONE, __ATOMIC_RELEASE);
  leave();
}

/* Memory for its stack, a guard page below that, and its thread-local variables; NULL: none. */
static char* map_memory(uint64_t variables, uint64_t* bytes) {
  const uint64_t page = gh_page_bytes();
  *bytes = gh_whole_pages(page + STACK_BYTES + variables);
  const long memory =
      GH_CALL6(mmap, 0, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (GH_FAILED(memory)) return 0;
  GH_CALL3(mprotect, memory, page, PROT_NONE);
  GH_CALL3(madvise, memory, *bytes, MADV_DONTFORK);
  return (char*)memory;
}

static int refused(const char* why) {
  gh_complain(GH_WAITING, "GPROFHUB_WAITING has no effect", why);
  return 0;
}

int gh_watcher_start(void) {
  enum { CONTROL_BLOCK = 4096, ALIGNMENT = 64 };
  /* The offset of the runtime's variables from the thread pointer is the same as in any thread. */
  const uint64_t distance = GH_TLS_ABOVE ? (uint64_t)&gh_tls + sizeof gh_tls - gh_thread_pointer()
                                         : gh_thread_pointer() - (uint64_t)&gh_tls;
  const uint64_t variables = (distance + 2 * ALIGNMENT) & ~(uint64_t)(ALIGNMENT - 1);
  const uint64_t above = GH_TLS_ABOVE ? variables : CONTROL_BLOCK;
  uint64_t bytes;
  char* const memory = map_memory(variables + CONTROL_BLOCK, &bytes);
  if (!memory) return refused("out of memory (ulimit -v?)");
  char* const stack_end = memory + bytes - variables - CONTROL_BLOCK;
  const uint64_t pointer = (uint64_t)memory + bytes - above;
  gh_set_up_thread_pointer(pointer);
  starter = (uint32_t)GH_CALL0(gettid);
  state = STARTING;
  const long thread =
      gh_start_thread(CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS,
                      (char*)((uint64_t)stack_end & ~(uint64_t)(ALIGNMENT - 1)), pointer, begin);
  if (GH_FAILED(thread)) {
    reason = "cannot create a thread";
    state = REFUSED;
  }
  while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == STARTING) {
    GH_CALL6(futex, &state, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, STARTING, 0, 0, 0);
  }
  if (state == REFUSED) return refused(reason);
  if (!gh_program_has_frames()) {
    gh_complain(GH_WAITING, "GPROFHUB_WAITING cannot find the callers of waits",
                "the program was linked without --eh-frame-hdr");
  }
  return 1;
}

static void rouse(void) {
  __atomic_fetch_add(&wakes, 1, __ATOMIC_ACQ_REL);
  wake(&wakes);
}

void gh_watcher_switch(int switch_on) {
  __atomic_store_n(&on, (uint32_t)switch_on, __ATOMIC_RELEASE);
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == WATCHES) rouse();
}

void gh_watcher_take(void) {
  enum { LONGEST_NS = 100000000 };
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != WATCHES || is_off()) return;
  const uint64_t until = now() + LONGEST_NS;
  const uint32_t request = __atomic_add_fetch(&asked, 1, __ATOMIC_ACQ_REL);
  rouse();
  for (;;) {
    const uint32_t done = __atomic_load_n(&answered, __ATOMIC_ACQUIRE);
    if ((int32_t)(done - request) >= 0 || now() >= until) return;
    sleep_on(&answered, done, until);
  }
}

void gh_watcher_after_fork(void) {
  state = NONE;
  answered = asked;
  watched = 0;
}
