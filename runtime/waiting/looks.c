/* A look represents half of the interval before it and half of the interval after it. So waits
 * are unbiased on average, for any duration and any interval: a wait shorter than the interval
 * is seen with a probability proportional to its duration; for a longer one the excess at its
 * beginning equals the deficit at its end.
 *
 * A thread that has waited at one place for long is looked at less often: there are many idle
 * threads, and their state is known.
 *
 * The kernel reports where a thread was. By the time that its stack has been read it may have
 * moved. So the kernel is queried twice, and a thread that moved in between was not blocked for
 * long. */
#include "runtime/waiting/looks.h"

#include "runtime/base/syscalls.h"
#include "runtime/processor/processor.h"
#include "runtime/waiting/blocked.h"
#include "runtime/waiting/callers.h"
#include "runtime/waiting/quantities.h"

enum {
  MOST_OPEN = 512,       /* descriptors that stay open: opening takes longer than reading */
  LONGEST_NS = 64000000, /* between two looks */
  PART_OF_WAIT = 16,     /* the looks' distance in a long wait */
  /* A longer interval since the last look: the process was stopped, or the machine suspended. */
  STANDSTILL_NS = 1000000000
};

static int32_t open_states;

static void close_state(struct gh_watched* watched) {
  if (!watched->fd_plus_one) return;
  GH_CALL1(close, watched->fd_plus_one - 1);
  watched->fd_plus_one = 0;
  --open_states;
}

/* Where the thread is blocked, and its caller. */
static enum gh_thread_state look(int32_t fd, const void* own_word, struct gh_blocked* blocked,
                                 uint64_t* caller) {
  const enum gh_thread_state state = gh_read_state(fd, blocked);
  if (state != GH_THREAD_IS_BLOCKED) return state;
  if (blocked->number != GH_NO_SYSTEM_CALL && blocked->argument == (uint64_t)own_word) {
    return GH_THREAD_RUNS;
  }
  struct gh_place place;
  place.pc = blocked->pc;
  place.sp = blocked->sp;
  place.frame = 0;
  place.knows_frame = 0;
  place.link = 0;
  place.is_next = blocked->number == GH_NO_SYSTEM_CALL;
  *caller = gh_find_caller(place);
  struct gh_blocked again;
  const enum gh_thread_state later = gh_read_state(fd, &again);
  if (later != GH_THREAD_IS_BLOCKED) return later;
  return again.sp == blocked->sp && again.pc == blocked->pc ? GH_THREAD_IS_BLOCKED : GH_THREAD_RUNS;
}

static void add(struct gh_watched* watched, struct gprofhub_thread* self, uint64_t nanoseconds) {
  const uint64_t all = watched->rest + nanoseconds;
  watched->rest = (uint32_t)(all % 1000);
  gh_add_microseconds(self, gprofhub_waiting_microseconds, watched->caller, all / 1000);
}

int gh_look(struct gh_watched* watched, const struct gprofhub_thread* thread,
            struct gprofhub_thread* self, uint64_t now, const void* own_word) {
  const uint64_t owner = __atomic_load_n(&thread->owner, __ATOMIC_ACQUIRE);
  if (owner != watched->owner) {
    close_state(watched);
    gh_clear(watched, sizeof *watched);
    watched->owner = owner;
  }
  if (watched->gone) return 0;
  long fd = watched->fd_plus_one - 1;
  if (fd < 0) fd = gh_open_state((uint32_t)owner);
  struct gh_blocked blocked = {0, 0, 0, 0};
  uint64_t caller = 0;
  const enum gh_thread_state state =
      GH_FAILED(fd) ? GH_THREAD_GONE : look((int32_t)fd, own_word, &blocked, &caller);
  if (!GH_FAILED(fd) && !watched->fd_plus_one) {
    if (open_states < MOST_OPEN) {
      watched->fd_plus_one = (int32_t)fd + 1;
      ++open_states;
    } else {
      GH_CALL1(close, fd);
    }
  }
  const uint64_t elapsed = watched->last ? now - watched->last : 0;
  const uint64_t half = elapsed < STANDSTILL_NS ? elapsed / 2 : 0;
  if (watched->blocked) add(watched, self, half);
  const int same = watched->blocked && state == GH_THREAD_IS_BLOCKED && watched->sp == blocked.sp &&
                   watched->caller == caller;
  if (!same) watched->since = now;
  watched->blocked = state == GH_THREAD_IS_BLOCKED;
  watched->sp = blocked.sp;
  watched->caller = caller;
  if (watched->blocked) add(watched, self, half);
  watched->last = now;
  uint64_t distance = (now - watched->since) / PART_OF_WAIT;
  if (distance > LONGEST_NS) distance = LONGEST_NS;
  watched->next = distance > GH_LOOK_NS ? now + distance : 0;
  watched->gone = state == GH_THREAD_GONE;
  if (watched->gone) close_state(watched);
  return !watched->gone;
}
