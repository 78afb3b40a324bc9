/* The recording: the file that the runtime maps shared while a process runs, so that all counts
 * are in the file at every instant: after SIGKILL, a crash, _exit or exec as after an orderly
 * exit. Shared by the writer (runtime/) and the reader (profile/recording/reader.h); needs
 * nothing but <stdint.h>, and is C.
 *
 * Layout. A file is a header page followed by chunks. Everything is in the byte order of the
 * machine that wrote it (header.byte_order). Chunks are found through the directory only: the
 * header names up to 64 directory chunks, and entry number i is in directory chunk i / 1024. An
 * entry with kind 0 was reserved but never published (its writer was killed): skip it.
 *
 * A shared file (GPROFHUB_SHARED_NAME) has the recordings of all processes of a Bazel test: its
 * first page is a gprofhub_shared, and each process has a header page and chunks in it. All offsets
 * are from the start of the file.
 *
 * Profile data is a sum. A key may be in several tables of one thread (a full table is never
 * copied: a larger one is added), in the tables of several threads, and even twice in one table
 * (if a signal handler counts during an insertion). Readers add them all.
 *
 * Words marked "private" are pointers or handles of the process, without meaning in the file. */
#ifndef GPROFHUB_PROFILE_FORMAT_RECORDING_H_
#define GPROFHUB_PROFILE_FORMAT_RECORDING_H_

#include <stdint.h>

#define GPROFHUB_RECORDING_MAGIC "gprofhub" /* 8 bytes, no terminator */
#define GPROFHUB_RECORDING_VERSION 1u
#define GPROFHUB_SHARED_VERSION 2u /* of a shared file; with the same magic */
#define GPROFHUB_SHARED_NAME "processes.gprofhub"
#define GPROFHUB_BYTE_ORDER 0x01020304u
#define GPROFHUB_PAGE_BYTES 4096u
#define GPROFHUB_DIRECTORY_CHUNKS 64u
#define GPROFHUB_DIRECTORY_ENTRIES 1024u /* per directory chunk */
#define GPROFHUB_CHUNK_MAGIC 0x6b636867u /* "ghck" */

enum gprofhub_chunk_kind {
  GPROFHUB_ARCS = 1,    /* key: a pc in the callee; context: return address in the caller */
  GPROFHUB_SAMPLES = 2, /* key: sampled pc; context 0; count: periods */
  /* key: a frame's pc; context: 1 + index of the slot of its caller's frame in the same table, 0
   * for the outermost; count: samples whose innermost frame it was. An outermost frame with the
   * pc GPROFHUB_STACK_CUT means that further frames could not be read */
  GPROFHUB_STACKS = 3,
  /* key: return address of the block's call, which has call_bytes bytes; context 0 */
  GPROFHUB_BLOCKS = 4,
  GPROFHUB_THREADS = 5, /* array of gprofhub_thread */
  GPROFHUB_MODULES = 6, /* array of gprofhub_module */
  GPROFHUB_DIRECTORY = 7,
  GPROFHUB_SITES = 8,     /* array of gprofhub_site: meaning of the counters of one set */
  GPROFHUB_COUNTERS = 9,  /* one thread's counters of one set: 64-bit words */
  GPROFHUB_EXCLUDED = 10, /* the same words: counts made while counting was off */
  GPROFHUB_MARKED = 11,   /* another chunk's values at the marks: gprofhub_mark */
  GPROFHUB_IN_USE = 12,   /* a table of gprofhub_in_use: memory in use, by call site */
  /* key: a pc in a function that was called by mcount; context 0; count: its number in the
   * process's order of first calls, from 1 on, 0 if its writer was killed. These are no sums: of
   * several numbers, also in tables that were full, the lowest is the first call's */
  GPROFHUB_FIRST_CALLS = 13
};

/* Counters in the program's text (--config=gprof): the assembler inserts an increment at each
 * place to be counted. Each module assembled this way has one set of counters. A SITES chunk
 * describes a set; each thread that ran has a COUNTERS chunk for it, found by chunk->set. The
 * words of a COUNTERS chunk begin at chunk->words in the chunk; chunk->thread is the index of
 * its thread's record.
 *
 * If a COUNTERS chunk has an EXCLUDED chunk (of the same set and thread), a word's value is
 * itself minus the excluded word, and, while chunk->used of the latter is not 0 (counting is
 * off), minus itself: modulo 2^64. */
enum gprofhub_site_kind {
  GPROFHUB_SITE_CALL = 1,     /* a call or tail jump: from it to self */
  GPROFHUB_SITE_INDIRECT = 2, /* pairs of words: a callee, and calls from `from` to it; calls to
                                 others are in ARCS tables with this context */
  GPROFHUB_SITE_ENTRY = 3,    /* entries of the function at `self`, from any caller */
  GPROFHUB_SITE_FUNCTION = 4, /* no counter: all calls of the function at `self` have one */
  /* The number of executions of the block at `self` is its word, plus the words of the PLUS
   * sites and minus those of the MINUS sites that follow it. A process that was killed, or still
   * runs, may be inside a block that is not in the sum yet: a sum below 0 is 0. */
  GPROFHUB_SITE_BLOCK = 5,
  GPROFHUB_SITE_BLOCK_PLUS = 6,
  GPROFHUB_SITE_BLOCK_MINUS = 7,
  GPROFHUB_SITE_BLOCK_ALSO = 8, /* no counter: the code at `self` belongs to the preceding block */
  /* a tail jump to `self`; pairs of words: a return address, which identifies the caller, and
   * jumps. Those from others are in ARCS tables with the return address as a tail context */
  GPROFHUB_SITE_TAIL = 9
};
/* Only functions with an ENTRY or FUNCTION site count as called: a CALL, INDIRECT or TAIL arc to
 * any other address (libc's, or a procedure linkage table's) is ignored, because mcount would
 * not count it either. The excess of an ENTRY count over the arcs to it is calls from
 * elsewhere: spontaneous. */
#define GPROFHUB_SITE_CALLEES 2u /* pairs of an INDIRECT or TAIL site */
struct gprofhub_site {
  uint32_t kind;    /* gprofhub_site_kind; 0: none */
  uint32_t counter; /* index of its first word */
  int32_t self;     /* address at run time, minus chunk->base */
  int32_t from;     /* the same; an address within the calling function */
};

/* Context of an arc whose caller could not be determined. */
#define GPROFHUB_CALLER_UNKNOWN 1u
/* Added to the context of an arc that was counted by a tail jump in code with counters in its
 * text. The arc is ignored if the callee has no ENTRY or FUNCTION site. */
#define GPROFHUB_TAIL_CONTEXT (1ull << 60)
/* Replaces the frames of a stack that could not be unwound to its end. */
#define GPROFHUB_STACK_CUT 1u

/* Memory in use, by the call that allocated it, now and at the peak. Bytes are the requested
 * ones. An IN_USE chunk is a table like those of slots; its `base` is the address of the
 * function that represents the bytes.
 *
 * A peak needs no copy. header.peaks is odd while the use is at an all-time high. It is
 * incremented by the first free after that, and again when the use exceeds the peak. A record is
 * updated before its first change after that: `then` is set to `now`, and `change` to
 * header.peaks. So a call site's value at the peak is `then` if header.peaks is even and equal
 * to `change`, and otherwise `now`. */
struct gprofhub_in_use {
  uint64_t from; /* return address of the call; 0: empty */
  uint64_t now;
  uint64_t then;
  uint64_t change;
};

/* Mechanism that sampled the program counter. */
enum gprofhub_mechanism {
  GPROFHUB_SAMPLING_OFF = 0,
  GPROFHUB_PERF_TASK_CLOCK = 1, /* perf_event, per thread, user mode; a signal for each sample */
  GPROFHUB_TIMER_CREATE = 2,    /* timer_create on the thread's CPU clock */
  GPROFHUB_ITIMER_PROF = 3,     /* setitimer(ITIMER_PROF), whole process */
  GPROFHUB_PERF_HARDWARE = 4,   /* perf_event, instructions or cycles, user mode */
  GPROFHUB_PERF_RING = 5        /* perf_event's task clock, samples in a ring of the kernel's */
};

/* Every loss of data is counted, by kind. */
enum gprofhub_loss {
  GPROFHUB_LOST_ARCS = 0,         /* calls not counted: no memory for a table */
  GPROFHUB_LOST_SAMPLES = 1,      /* samples not counted: no memory for a table */
  GPROFHUB_UNRECORDED_CHUNKS = 2, /* tables kept outside the file: it could not grow */
  GPROFHUB_LOST_MODULES = 3,      /* modules not described: no room */
  GPROFHUB_TRUNCATED_STACKS = 4,  /* stacks cut: deeper than the limit, or no frame pointer */
  GPROFHUB_UNSAMPLED_THREADS = 5, /* threads whose timer could not be created */
  GPROFHUB_REUSED_ADDRESSES = 6,  /* modules loaded at the addresses of an unloaded one */
  GPROFHUB_LOSSES = 7
};
#define GPROFHUB_LOSS_NAMES                                                                \
  {                                                                                        \
    "lost_calls", "lost_samples", "unrecorded_tables", "lost_modules", "truncated_stacks", \
        "unsampled_threads", "reused_addresses"                                            \
  }

enum gprofhub_recording_state {
  GPROFHUB_RUNNING = 1, /* also the final state of a killed process */
  GPROFHUB_FINISHED = 2 /* the process came to an orderly exit */
};

/* A moment of a running process, which separates earlier from later counts (GPROFHUB_WINDOW,
 * gprofhub live). At a mark the counts of all chunks are saved, in MARKED chunks that the
 * chunks' `marks` refer to. Each number only grows, so the difference of two marks, or of the
 * last mark and the file, is the count of the time in between.
 *
 * The file has the last GPROFHUB_MARKS marks, number n at place (n - 1) % GPROFHUB_MARKS. A
 * MARKED chunk has that many arrays of `capacity` words, from `words` on, array after array:
 *
 *   of a table           the count of each slot, the extra slots included
 *   of COUNTERS          the value of each word, minus the excluded counts
 *   of THREADS           signals, weight and cpu_ns_last of each record
 *
 * A chunk without a MARKED chunk was created after the marks: it was empty at them, as were
 * slots and words beyond the saved ones. */
#define GPROFHUB_MARKS 4u
#define GPROFHUB_THREAD_WORDS 3u
struct gprofhub_mark {
  uint64_t number; /* stored last: from 1 on; 0: none, or incomplete */
  uint64_t ns;     /* wall clock, since 1970 */
  uint64_t losses[GPROFHUB_LOSSES];
};

/* Properties of machine and process, other than the code, that may decide about counts. Texts are
 * terminated, and cut if longer. */
struct gprofhub_environment {
  char architecture[16]; /* "x86_64", "aarch64"; empty: recorded by version 0.1.0 */
  char emulator[48];     /* name of the program that emulates the processor; empty: none known */
  char processor[96];    /* vendor and model; empty: unknown */
  /* Features, separated by spaces, by which libc chooses between variants of a function, as
   * GLIBC_TUNABLES spells them. */
  char features[512];
  char tunables[512];  /* GLIBC_TUNABLES */
  uint32_t processors; /* that the process may use; 0: unknown */
  uint32_t unused;
};

/* First page of the file. */
struct gprofhub_recording {
  char magic[8];
  uint32_t version;
  uint32_t byte_order;
  uint64_t end;     /* first unallocated offset */
  uint32_t entries; /* directory entries reserved; may exceed those published */
  uint32_t state;   /* gprofhub_recording_state */
  uint64_t directory[GPROFHUB_DIRECTORY_CHUNKS]; /* offsets of directory chunks; 0: none */
  uint64_t losses[GPROFHUB_LOSSES];
  uint32_t pid;
  uint32_t parent_pid;
  uint64_t start_seconds; /* wall clock at the start, or at the last reset */
  uint32_t rank_plus_one; /* MPI rank + 1; 0: unknown */
  uint32_t mechanism;     /* gprofhub_mechanism */
  uint32_t rate_asked;    /* samples per second; with hardware events: 0 */
  uint32_t rate;          /* for histograms: samples per unit of the dimension */
  uint64_t period;        /* nanoseconds or events between samples */
  char dimension[15];     /* not terminated if full */
  char abbreviation;
  uint32_t threads;    /* threads registered so far, including dead ones */
  uint32_t call_bytes; /* length of the call that counts a block; 0, of version 0.1.0: 5 */
  uint64_t user_ns;    /* CPU time of the process at an orderly exit */
  uint64_t system_ns;
  char program[1024]; /* path of the executable, terminated, cut if longer */
  /* The runtime's counting code, at run time: samples in it are the cost of profiling. If it is
   * in another object than the program, the whole object is the runtime. */
  uint64_t own_low;
  uint64_t own_high;
  /* Bit k: some samples represent 2^k periods, because the rate of long processes is reduced. 0:
   * each represents one, or (timers) as many as it was late. */
  uint32_t sample_weights;
  uint32_t listens; /* 1: a SIGPROF reaches the runtime (gprofhub live) */
  /* Requests to a running program (gprofhub live). The client stores a request: a
   * gprofhub_request in the lower byte, and above it a number that no earlier request had. Then
   * it sends the process a SIGPROF. The process stores the same word in `answered` when the
   * request is done. */
  uint32_t asked;
  uint32_t answered;
  uint32_t off;    /* 1: counting and sampling are off */
  uint32_t resets; /* number of resets of the recording */
  uint64_t marks_taken;
  struct gprofhub_mark marks[GPROFHUB_MARKS];
  /* Not 0: the file is a window, cut out of a recording. It contains the counts of this number
   * of nanoseconds from start_seconds on. */
  uint64_t window_ns;
  /* gprofhub_in_use: the sum of `now`, its maximum, and the number of the peak. */
  uint64_t in_use;
  uint64_t most_in_use;
  uint64_t peaks;
  /* In a shared file: offset of the header of the process before; 0: none. A header without its
   * magic was discarded. */
  uint64_t older;
  char case_folder[256]; /* the folder of the test's case, terminated; empty: none */
  struct gprofhub_environment environment;
};

/* First page of a shared file; a page of the machine's. Every process stores the same magic,
 * version and byte order. A process allocates by adding to `used`, and appears in the file when it
 * has put its header at the head of the list. */
struct gprofhub_shared {
  char magic[8]; /* GPROFHUB_RECORDING_MAGIC */
  uint32_t version;
  uint32_t byte_order;
  uint64_t used;   /* bytes allocated after the first page */
  uint64_t newest; /* offset of the header of the process that came last; 0: none */
};

enum gprofhub_request {
  GPROFHUB_REQUEST_STOP = 1,  /* switch counting and sampling off */
  GPROFHUB_REQUEST_START = 2, /* switch them on */
  GPROFHUB_REQUEST_RESET = 3, /* discard all counts and samples */
  GPROFHUB_REQUEST_TAKE = 4,  /* add the samples pending in memory to the recording */
  GPROFHUB_REQUEST_MARK = 5   /* the same, and make a mark */
};

struct gprofhub_directory_entry {
  uint64_t offset;  /* of the chunk, a multiple of the page */
  uint64_t bytes;   /* of the chunk, its header included */
  uint32_t kind;    /* stored last: 0 while not published */
  uint32_t thread;  /* index of the thread for tables */
  uint64_t address; /* private */
};

/* Head of every chunk. Tables: `capacity` slots can be homes, followed by 32 more for probing;
 * so the array has capacity + 32 slots, the first and the last of which are always empty.
 * Arrays: `capacity` records, `used` of them in use. */
struct gprofhub_chunk {
  uint32_t magic;
  uint32_t kind;
  uint64_t bytes;
  union {
    uint64_t mask;  /* tables: (capacity - 1) * sizeof(struct gprofhub_slot); 0: abandoned */
    uint64_t words; /* counters: offset of the first word, from the chunk's head */
    uint64_t base;  /* sites: base of their addresses; IN_USE: see there */
  };
  uint32_t entry;    /* number of its directory entry, plus one */
  uint32_t marks;    /* that of its MARKED chunk; 0: none */
  uint64_t capacity; /* counters: words */
  uint64_t used;     /* COUNTERS: private */
  uint32_t thread;
  /* For sites and counters: the set they belong to. For tables: 1 if abandoned (monstartup):
   * nothing is added any more, but its counts still count. */
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
  uint64_t owner; /* thread id, and in the upper half the number of threads that had this record */
  uint64_t cpu_ns_first; /* thread CPU clock when sampling began, sum over owners */
  uint64_t cpu_ns_last;  /* at the latest sample, sum over owners */
  uint64_t signals;      /* samples delivered */
  uint64_t weight;       /* periods they represent */
  uint32_t mechanism;    /* gprofhub_mechanism */
  uint32_t unused;
  uint64_t event;     /* private: page of an event that sends a signal for each sample; 0: none */
  int32_t timer;      /* private */
  int32_t stopped;    /* gmon_thread_timer(0) */
  uint64_t tables[4]; /* private: current table of kinds 1 to 4 */
  uint64_t displacement; /* private: from a module's own counters to this thread's */
  uint64_t ring;         /* private: samples that the kernel wrote; 0: none */
  uint64_t system_timer; /* private: id of the timer of its system time, plus one; 0: none */
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
  uint64_t order;     /* 0: loaded at the start; otherwise found later, in this order */
  char path[912];     /* terminated, cut if longer; "[vdso]", "[anon]" for code without a file */
  uint64_t file;      /* private: identifies the file if there is no build-id */
  uint32_t first;     /* private: index of the first module of the same object */
  uint32_t departure; /* private: number of the reading of the map that missed it */
  uint64_t alignment; /* private: of the segments; 0: not an ELF object */
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
