/* Configuration from the environment, read once when a process starts. */
#ifndef GPROFHUB_RUNTIME_BASE_CONFIG_H_
#define GPROFHUB_RUNTIME_BASE_CONFIG_H_

#include <stdint.h>

#include "profile/format/recording.h"

enum gh_gmon_naming {
  GH_GMON_PLAIN,  /* gmon.out in the initial working directory, as glibc does */
  GH_GMON_PREFIX, /* GMON_OUT_PREFIX.<pid> */
  GH_GMON_PLACED  /* <module>.<build-id>.gmon.<pid> in the profile directory */
};

enum gh_gmon_writing {
  GH_GMON_NONE,
  GH_GMON_ALL,
  GH_GMON_PROGRAM_ONLY,
  GH_GMON_FALLBACK /* the program only, and only what the recording's file could not hold */
};

enum gh_dimension { GH_SECONDS, GH_INSTRUCTIONS, GH_CYCLES };

enum gh_start { GH_START_NOW, GH_START_PAUSED, GH_START_AFTER, GH_START_CALL };

enum {
  GH_PATH_BYTES = 4096,
  GH_FUNCTION_BYTES = 512,
  GH_EVENTS_BYTES = 192,
  GH_TUNABLES_BYTES = 512,
  GH_NO_RANK = -1
};

struct gh_config {
  char directory[GH_PATH_BYTES];        /* absolute: of recordings */
  char shared_directory[GH_PATH_BYTES]; /* absolute: of the test's shared file; empty: none */
  char case_folder[256];                /* GPROFHUB_CASE, in the shared file */
  char prefix[GH_PATH_BYTES];           /* absolute: of gmon files, with GH_GMON_PREFIX */
  char program[GH_PATH_BYTES];          /* absolute path of the executable */
  enum gh_gmon_naming naming;
  enum gh_gmon_writing write_gmon; /* GPROFHUB_GMON=0, 1 (default), program, fallback */
  int64_t rank;                    /* of this process in its MPI job, or GH_NO_RANK */
  int rank_selected;               /* 0: this rank records nothing */
  uint32_t rate;                   /* samples per second of perf_event's clock; 0: no sampling */
  uint32_t ring_rate;              /* the same for samples without a signal each */
  int ring_slows_down;             /* no explicit rate: long processes need fewer samples */
  uint32_t timer_rate;             /* the same for timer_create and setitimer */
  int takes_signal;                /* 0, GPROFHUB_SAMPLER=off: SIGPROF belongs to the program */
  uint32_t forced_mechanism;       /* GPROFHUB_SAMPLER: a gprofhub_mechanism, or 0 */
  enum gh_dimension dimension;
  uint64_t event_period;        /* events per sample, for instructions and cycles */
  char events[GH_EVENTS_BYTES]; /* GPROFHUB_EVENTS: names, with commas */
  int stacks;
  int library_calls;                      /* GPROFHUB_LIBRARY_CALLS=1 */
  int waiting;                            /* GPROFHUB_WAITING=1 */
  enum gh_start start;                    /* GPROFHUB_START */
  uint64_t start_after_ms;                /* with GH_START_AFTER, since the process's start */
  char start_function[GH_FUNCTION_BYTES]; /* with GH_START_CALL */
  uint64_t window_ms;                     /* GPROFHUB_WINDOW; 0: no marks */
  char tunables[GH_TUNABLES_BYTES];       /* GLIBC_TUNABLES, cut if longer */
  int in_anothers_test;                   /* run by a Bazel test whose program is another one */
  int main_thread_only;                   /* threads other than the first start without a timer */
};

extern struct gh_config gh_config __attribute__((visibility("hidden")));

/* Fills gh_config. Uses neither malloc nor stdio. */
void gh_config_read(void) __attribute__((visibility("hidden")));

#endif
