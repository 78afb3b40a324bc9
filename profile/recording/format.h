/* The recording: the file that the runtime keeps while a process runs, mapped
 * shared, so that what was counted is in the file at every instant: after
 * SIGKILL, a crash, _exit or exec as after an orderly exit. Shared by the
 * writer (runtime/) and the reader (profile/recording/reader.h); needs nothing
 * but <stdint.h>, and is C.
 *
 * Layout. A file is a header page followed by chunks. Everything is in the
 * byte order of the machine that wrote it (header.byte_order tells). Chunks
 * are found through the directory only: the header names up to 64 directory
 * chunks, and entry number i stands in directory chunk i / 1024. An entry with
 * kind 0 was reserved but never published (its writer was killed): skip it.
 *
 * Profile data is a sum. A key may stand in several tables of one thread (a
 * table that is full is never copied: a larger one is begun beside it), in the
 * tables of several threads, and even twice in one table (a signal handler
 * that counts while an insertion is under way). Add them all.
 *
 * Words marked "private" hold pointers or handles of the process and mean
 * nothing in the file. */
#ifndef GPROFHUB_PROFILE_RECORDING_FORMAT_H_
#define GPROFHUB_PROFILE_RECORDING_FORMAT_H_

#include <stdint.h>

#define GPROFHUB_RECORDING_MAGIC "gprofhub" /* 8 bytes, no terminator */
#define GPROFHUB_RECORDING_VERSION 1u
#define GPROFHUB_BYTE_ORDER 0x01020304u
#define GPROFHUB_PAGE_BYTES 4096u
#define GPROFHUB_DIRECTORY_CHUNKS 64u
#define GPROFHUB_DIRECTORY_ENTRIES 1024u /* per directory chunk */
#define GPROFHUB_CHUNK_MAGIC 0x6b636867u /* "ghck" */

enum gprofhub_chunk_kind {
  GPROFHUB_ARCS = 1,    /* key: a pc in the callee; context: return address in the caller */
  GPROFHUB_SAMPLES = 2, /* key: sampled pc; context 0; count: periods */
  GPROFHUB_STACKS = 3,  /* key: a frame's pc; context: 1 + index of the slot of its caller's
                           frame in the same table, 0 for the outermost; count: samples
                           whose innermost frame it was. An outermost frame with
                           GPROFHUB_STACK_CUT for its pc says that more frames followed
                           which could not be read */
  GPROFHUB_BLOCKS = 4,  /* key: return address of the block's call, which is call_bytes
                           long; context 0 */
  GPROFHUB_THREADS = 5, /* array of gprofhub_thread */
  GPROFHUB_MODULES = 6, /* array of gprofhub_module */
  GPROFHUB_DIRECTORY = 7,
  GPROFHUB_SITES = 8,     /* array of gprofhub_site: what the counters of one set mean */
  GPROFHUB_COUNTERS = 9,  /* one thread's counters of one set: 64-bit words */
  GPROFHUB_EXCLUDED = 10, /* the same words: what was counted while counting was off */
  GPROFHUB_MARKED = 11,   /* what another chunk held at the marks: gprofhub_mark */
  GPROFHUB_IN_USE = 12    /* a table of gprofhub_in_use: memory in use, by call site */
};

/* Counters that stand in the program's text (--config=gprof): the assembler
 * places an increment beside each thing to be counted, and one set of counters
 * belongs to each module so assembled. A SITES chunk describes a set; each
 * thread that ran has a COUNTERS chunk for it, found by chunk->set. The words of
 * a COUNTERS chunk begin at chunk->words in the chunk; chunk->thread is the
 * index of its thread's record.
 *
 * Where a COUNTERS chunk has an EXCLUDED chunk (of the same set and thread), a
 * word counts as itself less the excluded word, and, while chunk->used of the
 * latter is not 0 (counting is off), less itself: modulo 2^64. */
enum gprofhub_site_kind {
  GPROFHUB_SITE_CALL = 1,     /* a call or tail jump: from it to self */
  GPROFHUB_SITE_INDIRECT = 2, /* pairs of words: a callee met, and calls from `from` to it;
                                 calls to others are in ARCS tables with this context */
  GPROFHUB_SITE_ENTRY = 3,    /* the function at `self` was entered, from wherever */
  GPROFHUB_SITE_FUNCTION = 4, /* no counter: all calls of the function at `self` have one */
  /* The block at `self` was executed as often as its word says, with the words of
   * the PLUS and MINUS sites that follow it added and taken away. A process that
   * was killed, or still runs, may be within a block that is not in the sum yet:
   * a sum below 0 is 0. */
  GPROFHUB_SITE_BLOCK = 5,
  GPROFHUB_SITE_BLOCK_PLUS = 6,
  GPROFHUB_SITE_BLOCK_MINUS = 7,
  GPROFHUB_SITE_BLOCK_ALSO = 8, /* no counter: what is at `self` is of the block before */
  GPROFHUB_SITE_TAIL = 9        /* a tail jump to `self`; pairs of words: a return address met,
                                   which is who called, and jumps. Those from others are in
                                   ARCS tables with the return address as a tail context */
};
/* Only functions that have an ENTRY or FUNCTION site count as called: a CALL,
 * INDIRECT or TAIL arc to any other address (libc's, or a procedure linkage table's) is
 * no arc, as none is counted by mcount either. What an ENTRY counts beyond the
 * arcs that lead there was called from elsewhere: spontaneous. */
#define GPROFHUB_SITE_CALLEES 2u /* pairs of an INDIRECT or TAIL site */
struct gprofhub_site {
  uint32_t kind;    /* gprofhub_site_kind; 0: none */
  uint32_t counter; /* index of its first word */
  int32_t self;     /* address at run time, less chunk->base */
  int32_t from;     /* the same; an address within the calling function */
};

/* Context of an arc whose caller could not be determined. */
#define GPROFHUB_CALLER_UNKNOWN 1u
/* Added to the context of an arc that a tail jump in code with counters of its own counted. It is
 * none if the callee has no ENTRY or FUNCTION site. */
#define GPROFHUB_TAIL_CONTEXT (1ull << 60)
/* Stands for the frames of a stack that could not be followed to its end. */
#define GPROFHUB_STACK_CUT 1u

/* Memory that is in use, by the call that asked for it, and what was in use when the most was.
 * Bytes are those that were asked for. An IN_USE chunk is a table as those of slots are; its `base`
 * is the address of the function that stands for the bytes.
 *
 * Nothing is copied at a peak. header.peaks is odd while as much is in use as never before. It goes
 * up by one when memory is given back then, and by one more when what is in use exceeds the peak
 * again. A record is brought up to date before its first change after that: `then` is what `now`
 * was, and `change` is the number. So at the peak a call site held `then` if header.peaks is even
 * and `change` is the same number, and else what it holds now. */
struct gprofhub_in_use {
  uint64_t from; /* return address of the call; 0: empty */
  uint64_t now;
  uint64_t then;
  uint64_t change;
};

/* What sampled the program counter. */
enum gprofhub_mechanism {
  GPROFHUB_SAMPLING_OFF = 0,
  GPROFHUB_PERF_TASK_CLOCK = 1, /* perf_event, per thread, user mode; a signal for each sample */
  GPROFHUB_TIMER_CREATE = 2,    /* timer_create on the thread's CPU clock */
  GPROFHUB_ITIMER_PROF = 3,     /* setitimer(ITIMER_PROF), whole process */
  GPROFHUB_PERF_HARDWARE = 4,   /* perf_event, instructions or cycles, user mode */
  GPROFHUB_PERF_RING = 5        /* perf_event's task clock, samples in a ring of the kernel's */
};

/* Anything that was not recorded is counted under a name, never silent. */
enum gprofhub_loss {
  GPROFHUB_LOST_ARCS = 0,         /* calls not counted: no memory for a table */
  GPROFHUB_LOST_SAMPLES = 1,      /* samples not counted: no memory for a table */
  GPROFHUB_UNRECORDED_CHUNKS = 2, /* tables kept outside the file: it could not grow */
  GPROFHUB_LOST_MODULES = 3,      /* modules not described: no room */
  GPROFHUB_TRUNCATED_STACKS = 4,  /* stacks cut: deeper than the limit, or no frame pointer */
  GPROFHUB_UNSAMPLED_THREADS = 5, /* threads whose timer could not be created */
  GPROFHUB_REUSED_ADDRESSES = 6,  /* modules loaded where an unloaded one had been */
  GPROFHUB_LOSSES = 7
};
#define GPROFHUB_LOSS_NAMES                                                                \
  {                                                                                        \
    "lost_calls", "lost_samples", "unrecorded_tables", "lost_modules", "truncated_stacks", \
        "unsampled_threads", "reused_addresses"                                            \
  }

enum gprofhub_recording_state {
  GPROFHUB_RUNNING = 1, /* also what a killed process leaves behind */
  GPROFHUB_FINISHED = 2 /* the process came to an orderly exit */
};

/* A moment of a process that runs, so that what was counted before it can be told from what was
 * counted since (GPROFHUB_WINDOW, gprofhub live). At a mark the counts that all chunks hold are
 * written down beside them, in a MARKED chunk that the chunk's `marks` leads to. Each number only
 * grows, so the difference of two marks, or of the last mark and the file, is what was counted in
 * between.
 *
 * The last GPROFHUB_MARKS marks are there, number n at place (n - 1) % GPROFHUB_MARKS. A MARKED
 * chunk has that many arrays of `capacity` words, from `words` on, array after array:
 *
 *   of a table           the count of each slot, the extra slots included
 *   of COUNTERS          what each word counts, less what is excluded from it
 *   of THREADS           signals, weight and cpu_ns_last of each record
 *
 * A chunk without a MARKED chunk was begun after the marks: it held nothing. So did slots and
 * words beyond those written down. */
#define GPROFHUB_MARKS 4u
#define GPROFHUB_THREAD_WORDS 3u
struct gprofhub_mark {
  uint64_t number; /* stored last: from 1 on; 0: none, or it is just being made */
  uint64_t ns;     /* wall clock, since 1970 */
  uint64_t losses[GPROFHUB_LOSSES];
};

/* First page of the file. */
struct gprofhub_recording {
  char magic[8];
  uint32_t version;
  uint32_t byte_order;
  uint64_t end;     /* first offset not handed out yet */
  uint32_t entries; /* directory entries reserved; may exceed those published */
  uint32_t state;   /* gprofhub_recording_state */
  uint64_t directory[GPROFHUB_DIRECTORY_CHUNKS]; /* offsets of directory chunks; 0: none */
  uint64_t losses[GPROFHUB_LOSSES];
  uint32_t pid;
  uint32_t parent_pid;
  uint64_t start_seconds; /* wall clock at the start, or at the last reset */
  uint32_t rank_plus_one; /* MPI rank + 1; 0: none known */
  uint32_t mechanism;     /* gprofhub_mechanism */
  uint32_t rate_asked;    /* samples per second; with hardware events: 0 */
  uint32_t rate;          /* for histograms: samples per unit of the dimension */
  uint64_t period;        /* nanoseconds or events between samples */
  char dimension[15];     /* not terminated if full */
  char abbreviation;
  uint32_t threads;    /* threads that were registered, dead ones included */
  uint32_t call_bytes; /* how long a call of a block is; 0, of version 0.1.0: 5 */
  uint64_t user_ns;    /* CPU time of the process at an orderly exit */
  uint64_t system_ns;
  char program[1024]; /* path of the executable, terminated, cut if longer */
  /* The runtime's counting code, at run time: samples in it are the cost of
   * profiling. Where it lies in another object than the program, all of that
   * object is the runtime. */
  uint64_t own_low;
  uint64_t own_high;
  /* Bit k: some samples stand for 2^k periods, because long processes are sampled more slowly
   * in the end. 0: each stands for one, or (timers) for as many as it came late. */
  uint32_t sample_weights;
  uint32_t listens; /* 1: a SIGPROF reaches the runtime (gprofhub live) */
  /* A program that runs is steered through these (gprofhub live). Who asks stores a request:
   * a gprofhub_request in the lower byte, and a number above it that no request had before.
   * Then the process is sent a SIGPROF. It stores the same word in `answered` when it is done. */
  uint32_t asked;
  uint32_t answered;
  uint32_t off;    /* 1: nothing is counted and sampled now */
  uint32_t resets; /* how often all that was recorded has been thrown away */
  uint64_t marks_taken;
  struct gprofhub_mark marks[GPROFHUB_MARKS];
  /* Not 0: the file is a window, cut out of a recording. It has what was counted in so many
   * nanoseconds from start_seconds on. */
  uint64_t window_ns;
  /* gprofhub_in_use: the sum of `now`, the most that it was, and the number of the peak. */
  uint64_t in_use;
  uint64_t most_in_use;
  uint64_t peaks;
};

enum gprofhub_request {
  GPROFHUB_REQUEST_STOP = 1,  /* count and sample nothing from now on */
  GPROFHUB_REQUEST_START = 2, /* do again */
  GPROFHUB_REQUEST_RESET = 3, /* forget all that was recorded */
  GPROFHUB_REQUEST_TAKE = 4,  /* samples that wait in memory come into the recording */
  GPROFHUB_REQUEST_MARK = 5   /* the same, and a mark is made */
};

struct gprofhub_directory_entry {
  uint64_t offset;  /* of the chunk, a multiple of the page */
  uint64_t bytes;   /* of the chunk, its header included */
  uint32_t kind;    /* stored last: 0 while not published */
  uint32_t thread;  /* index of the thread for tables */
  uint64_t address; /* private */
};

/* Head of every chunk. Tables: `capacity` slots can be homes, and 32 more
 * follow them for probing beyond the last; the array of slots thus holds
 * capacity + 32, the first and the last of which are always empty. Arrays: `capacity`
 * records, `used` of them begun. */
struct gprofhub_chunk {
  uint32_t magic;
  uint32_t kind;
  uint64_t bytes;
  union {
    uint64_t mask;  /* tables: (capacity - 1) * sizeof(struct gprofhub_slot); 0: given up */
    uint64_t words; /* counters: offset of the first word, from the chunk's head */
    uint64_t base;  /* sites: what their addresses are relative to; IN_USE: see there */
  };
  uint32_t entry;    /* number of its directory entry, plus one */
  uint32_t marks;    /* that of its MARKED chunk; 0: none */
  uint64_t capacity; /* counters: words */
  uint64_t used;
  uint32_t thread;
  /* Of sites and counters: to which set they belong. Of tables: 1 if it is given up
   * (monstartup). Nothing is added any more, and what it holds still counts. */
  uint32_t set;
  uint64_t next; /* private */
};
#define GPROFHUB_PROBE_SLOTS 32u

struct gprofhub_slot {
  uint64_t key; /* 0: empty */
  uint64_t context;
  uint64_t count;
  uint64_t mix; /* private: of key and context */
};

struct gprofhub_thread {
  uint64_t owner;        /* thread id, and in the upper half how many threads had this record */
  uint64_t cpu_ns_first; /* thread CPU clock when sampling began, sum over owners */
  uint64_t cpu_ns_last;  /* at the latest sample, sum over owners */
  uint64_t signals;      /* samples delivered */
  uint64_t weight;       /* periods they stand for */
  uint32_t mechanism;    /* gprofhub_mechanism */
  int32_t event_fd;      /* private */
  uint64_t event_id;     /* private */
  int32_t timer;         /* private */
  int32_t stopped;       /* gmon_thread_timer(0) */
  uint64_t tables[4];    /* private: current table of kinds 1 to 4 */
  uint64_t displacement; /* private: from a module's own counters to this thread's */
  uint64_t ring;         /* private: samples that the kernel wrote; 0: none */
  uint64_t system_timer; /* private: that of its system time, plus one; 0: none */
  uint64_t cpu_ns_begin; /* private: clock when the current owner began */
};

struct gprofhub_module {
  uint64_t low;      /* first address mapped */
  uint64_t high;     /* first address not mapped */
  uint64_t bias;     /* address at run time - address as linked */
  uint64_t text_low; /* executable range, as linked */
  uint64_t text_high;
  uint32_t state; /* stored last: 0 not published, 1 loaded, 2 unloaded */
  uint32_t build_id_bytes;
  uint8_t build_id[32];
  uint64_t order; /* 0: loaded at the start; else found later, in this order */
  char path[936]; /* terminated, cut if longer; "[vdso]", "[anon]" for code without a file */
};

#ifdef __cplusplus
#define GPROFHUB_ASSERT static_assert
#else
#define GPROFHUB_ASSERT _Static_assert
#endif
GPROFHUB_ASSERT(sizeof(struct gprofhub_recording) <= GPROFHUB_PAGE_BYTES, "header fits its page");
GPROFHUB_ASSERT(sizeof(struct gprofhub_directory_entry) == 32, "layout");
GPROFHUB_ASSERT(sizeof(struct gprofhub_chunk) == 64, "layout");
GPROFHUB_ASSERT(sizeof(struct gprofhub_slot) == 32, "layout");
GPROFHUB_ASSERT(sizeof(struct gprofhub_thread) == 128, "layout");
GPROFHUB_ASSERT(sizeof(struct gprofhub_module) == 1024, "layout");
GPROFHUB_ASSERT(sizeof(struct gprofhub_site) == 16, "layout");
GPROFHUB_ASSERT(sizeof(struct gprofhub_in_use) == 32, "layout");
#undef GPROFHUB_ASSERT

#endif
