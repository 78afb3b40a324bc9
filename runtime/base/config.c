#include "runtime/base/config.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>

#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/processor/machine.h"

struct gh_config gh_config;

/* libc's environment once it is initialised; before that the kernel's copy. */
extern char** environ __attribute__((weak));

/* The dynamic linker's. */
extern struct r_debug _r_debug __attribute__((weak));

/* Rates that cost a few percent where a timer interrupt is expensive, in a virtual machine. A
 * signal costs as much again as the interrupt. A ring's rate falls in long processes. Timers are
 * checked at the kernel's tick, often 250 Hz: a higher rate only gives samples of greater
 * weight. */
enum {
  DEFAULT_RING_RATE = 4000,
  DEFAULT_RATE = 1000,
  DEFAULT_TIMER_RATE = 250,
  MAX_RATE = 10000,
  DEFAULT_EVENT_PERIOD = 1000000
};

/* Variables are collected in one pass, before their precedence is decided. */
struct wishes {
  char profile_directory[GH_PATH_BYTES];
  char test_outputs[GH_PATH_BYTES];
  char shared_directory[GH_PATH_BYTES];
  char case_folder[256];
  char test_binary[GH_PATH_BYTES];
  char prefix[GH_PATH_BYTES];
  char ranks[128];
  char bg_ranks[128];
  char threads[16];
  char bg_threads[16];
  char rate[16];
  char sampler[16];
  char dimension[16];
  char event_period[24];
  char events[GH_EVENTS_BYTES];
  char stacks[8];
  char library_calls[8];
  char waiting[8];
  char gmon[16];
  char start[GH_FUNCTION_BYTES];
  char window[24];
  char tunables[GH_PATH_BYTES];
  char rank[5][24];
};
static struct wishes wishes;

static const struct {
  const char* name;
  char* value;
  size_t size;
} kVariables[] = {
#define WISH(name, field) \
  { name "=", wishes.field, sizeof wishes.field }
    WISH("GPROFHUB_PROFILE_DIR", profile_directory),
    WISH("TEST_UNDECLARED_OUTPUTS_DIR", test_outputs),
    WISH("GPROFHUB_SHARED_DIR", shared_directory),
    WISH("GPROFHUB_CASE", case_folder),
    WISH("TEST_BINARY", test_binary),
    WISH("GMON_OUT_PREFIX", prefix),
    WISH("GPROFHUB_RANK_SUBSET", ranks),
    WISH("BG_GMON_RANK_SUBSET", bg_ranks),
    WISH("GPROFHUB_THREADS", threads),
    WISH("BG_GMON_START_THREAD_TIMERS", bg_threads),
    WISH("GPROFHUB_SAMPLE_RATE", rate),
    WISH("GPROFHUB_SAMPLER", sampler),
    WISH("GPROFHUB_DIMENSION", dimension),
    WISH("GPROFHUB_EVENT_PERIOD", event_period),
    WISH("GPROFHUB_EVENTS", events),
    WISH("GPROFHUB_STACKS", stacks),
    WISH("GPROFHUB_LIBRARY_CALLS", library_calls),
    WISH("GPROFHUB_WAITING", waiting),
    WISH("GPROFHUB_GMON", gmon),
    WISH("GPROFHUB_START", start),
    WISH("GPROFHUB_WINDOW", window),
    WISH("GLIBC_TUNABLES", tunables),
    /* The rank in MPI_COMM_WORLD first; Slurm's variable counts its own tasks. */
    WISH("OMPI_COMM_WORLD_RANK", rank[0]),
    WISH("PMIX_RANK", rank[1]),
    WISH("PMI_RANK", rank[2]),
    WISH("MPI_RANKID", rank[3]),
    WISH("SLURM_PROCID", rank[4]),
#undef WISH
};
enum { VARIABLES = sizeof kVariables / sizeof kVariables[0] };

static void take_variable(const char* definition, size_t length) {
  for (int i = 0; i < VARIABLES; ++i) {
    const char* value = gh_after(definition, kVariables[i].name);
    if (value == 0) continue;
    struct gh_text text = gh_text_in(kVariables[i].value, kVariables[i].size);
    gh_put_bytes(&text, value, length - (size_t)(value - definition));
    if (text.cut) kVariables[i].value[0] = 0;
    return;
  }
}

/* Calls `take` with each piece of a file of the kernel's, without its end; longer pieces than
 * these are left out. */
static char piece[GH_PATH_BYTES + 128];

static void read_pieces(const char* file, char end, void (*take)(const char*, size_t)) {
  long fd = GH_OPEN(file, O_RDONLY | O_CLOEXEC, 0);
  if (GH_FAILED(fd)) return;
  char buffer[1024];
  size_t length = 0;
  long got;
  while ((got = GH_CALL3(read, fd, buffer, sizeof buffer)) > 0) {
    for (long i = 0; i < got; ++i) {
      if (length < sizeof piece) piece[length] = buffer[i] == end ? 0 : buffer[i];
      ++length;
      if (buffer[i] != end) continue;
      if (length <= sizeof piece) take(piece, length - 1);
      length = 0;
    }
  }
  GH_CALL1(close, fd);
}

/* An address in the program's file. A static program has no dynamic linker, and this code. */
static uint64_t address_in_program(void) {
  const struct link_map* const program = &_r_debug != 0 ? _r_debug.r_map : 0;
  return program ? (uint64_t)program->l_ld : (uint64_t)gh_config_read;
}

/* "low-high rwxp offset major:minor inode   path" */
static void take_mapping(const char* line, size_t length) {
  const char* at = line;
  const uint64_t low = gh_take_hex(&at);
  ++at;
  const uint64_t high = gh_take_hex(&at);
  const uint64_t address = address_in_program();
  while (at < line + length && *at != '/') ++at;
  if (address < low || address >= high || *at != '/') return;
  struct gh_text text = gh_text_in(gh_config.program, GH_PATH_BYTES);
  gh_put(&text, at);
}

/* The process's executable is the dynamic linker if that was started with the program as an
 * argument; then it has no interpreter, as a static program has none. */
static void find_program(void) {
  const long length = GH_READLINK("/proc/self/exe", gh_config.program, GH_PATH_BYTES - 1);
  gh_config.program[GH_FAILED(length) ? 0 : length] = 0;
  if (gh_auxiliary(AT_BASE) == 0) read_pieces("/proc/self/maps", '\n', take_mapping);
  if (gh_config.program[0]) return;
  struct gh_text text = gh_text_in(gh_config.program, GH_PATH_BYTES);
  gh_put(&text, "program");
}

/* The process's working directory; paths are made absolute once, because a program may change
 * its directory. */
static char here[GH_PATH_BYTES];

static void make_absolute(char* to, const char* path) {
  struct gh_text text = gh_text_in(to, GH_PATH_BYTES);
  if (path[0] != '/') {
    gh_put(&text, here);
    if (path[0]) gh_put(&text, "/");
  }
  gh_put(&text, path);
}

/* N, N:M or N:M:S (Blue Gene/Q, BG_GMON_RANK_SUBSET): rank N; ranks N to M;
 * every S-th of them. Anything else selects every rank. */
static int rank_is_selected(const char* subset, int64_t rank) {
  uint64_t first, last, step = 1;
  const char* at = subset;
  if (rank < 0 || !gh_take_number(&at, &first)) return 1;
  last = first;
  if (*at == ':') {
    ++at;
    if (!gh_take_number(&at, &last)) return 1;
    if (*at == ':') {
      ++at;
      if (!gh_take_number(&at, &step) || step == 0) return 1;
    }
  }
  if (*at) return 1;
  return (uint64_t)rank >= first && (uint64_t)rank <= last && ((uint64_t)rank - first) % step == 0;
}

static uint64_t number_or(const char* text, uint64_t otherwise) {
  uint64_t number;
  return gh_take_number(&text, &number) && *text == 0 ? number : otherwise;
}

static void read_sampling(void) {
  const uint64_t asked = number_or(wishes.rate, UINT64_MAX);
  const uint64_t rate = asked == UINT64_MAX ? DEFAULT_RATE : asked;
  gh_config.rate = (uint32_t)(rate > MAX_RATE ? MAX_RATE : rate);
  gh_config.ring_rate = asked == UINT64_MAX ? DEFAULT_RING_RATE : gh_config.rate;
  gh_config.ring_slows_down = asked == UINT64_MAX;
  gh_config.timer_rate = asked == UINT64_MAX ? DEFAULT_TIMER_RATE : gh_config.rate;
  gh_config.forced_mechanism = 0;
  gh_config.takes_signal = !gh_equal(wishes.sampler, "off");
  if (!gh_config.takes_signal) gh_config.rate = gh_config.ring_rate = gh_config.timer_rate = 0;
  if (gh_equal(wishes.sampler, "ring")) gh_config.forced_mechanism = GPROFHUB_PERF_RING;
  if (gh_equal(wishes.sampler, "perf")) gh_config.forced_mechanism = GPROFHUB_PERF_TASK_CLOCK;
  if (gh_equal(wishes.sampler, "timer")) gh_config.forced_mechanism = GPROFHUB_TIMER_CREATE;
  if (gh_equal(wishes.sampler, "itimer")) gh_config.forced_mechanism = GPROFHUB_ITIMER_PROF;
  gh_config.dimension = gh_equal(wishes.dimension, "instructions") ? GH_INSTRUCTIONS
                        : gh_equal(wishes.dimension, "cycles")     ? GH_CYCLES
                                                                   : GH_SECONDS;
  gh_config.event_period = number_or(wishes.event_period, DEFAULT_EVENT_PERIOD);
  if (gh_config.event_period < 10000) gh_config.event_period = 10000;
  struct gh_text events = gh_text_in(gh_config.events, sizeof gh_config.events);
  gh_put(&events, wishes.events);
  gh_config.stacks = gh_equal(wishes.stacks, "1");
  /* All threads unless an environment variable restricts it; "nocomm" (all but communication
   * threads) means all threads here, because MPI's own cannot be identified. */
  gh_config.main_thread_only =
      gh_equal(wishes.threads, "main") || gh_equal(wishes.bg_threads, "main");
}

/* SECONDS or SECONDSs, a day at most; 0: neither form. */
static int take_seconds(const char* text, uint64_t* milliseconds) {
  enum { LONGEST = 86400, MILLISECONDS = 1000 };
  uint64_t seconds;
  if (!gh_take_number(&text, &seconds) || !(gh_equal(text, "") || gh_equal(text, "s"))) return 0;
  *milliseconds = (seconds > LONGEST ? LONGEST : seconds) * MILLISECONDS;
  return 1;
}

/* paused, after=SECONDS or call=FUNCTION; anything else is now. */
static void read_start(void) {
  gh_config.start = gh_equal(wishes.start, "paused") ? GH_START_PAUSED : GH_START_NOW;
  const char* after = gh_after(wishes.start, "after=");
  if (after && take_seconds(after, &gh_config.start_after_ms)) gh_config.start = GH_START_AFTER;
  const char* function = gh_after(wishes.start, "call=");
  if (function && *function) {
    gh_config.start = GH_START_CALL;
    struct gh_text text = gh_text_in(gh_config.start_function, sizeof gh_config.start_function);
    gh_put(&text, function);
  }
  if (!take_seconds(wishes.window, &gh_config.window_ms)) gh_config.window_ms = 0;
}

static void read_ranks(void) {
  gh_config.rank = GH_NO_RANK;
  for (int i = 0; i < 5 && gh_config.rank == GH_NO_RANK; ++i) {
    const char* at = wishes.rank[i];
    uint64_t rank;
    if (gh_take_number(&at, &rank) && *at == 0 && rank < UINT32_MAX) gh_config.rank = (int64_t)rank;
  }
  const char* subset = wishes.ranks[0] ? wishes.ranks : wishes.bg_ranks;
  gh_config.rank_selected = rank_is_selected(subset, gh_config.rank);
}

/* The processes of a Bazel test share a file, unless the user chose another directory. A case of
 * the test has a directory for its gmon files, and a name for its processes in the shared file. */
static void read_sharing(void) {
  const char* shared = wishes.shared_directory[0] ? wishes.shared_directory : wishes.test_outputs;
  gh_config.shared_directory[0] = 0;
  gh_config.case_folder[0] = 0;
  if (!shared[0]) return;
  if (wishes.profile_directory[0] && !wishes.case_folder[0] &&
      !gh_equal(wishes.profile_directory, wishes.shared_directory)) {
    return;
  }
  make_absolute(gh_config.shared_directory, shared);
  struct gh_text folder = gh_text_in(gh_config.case_folder, sizeof gh_config.case_folder);
  gh_put(&folder, wishes.case_folder);
}

void gh_config_read(void) {
  if (&environ != 0 && environ != 0) {
    for (char** variable = environ; *variable; ++variable) {
      take_variable(*variable, gh_length(*variable));
    }
  } else {
    read_pieces("/proc/self/environ", 0, take_variable);
  }
  if (GH_FAILED(GH_CALL2(getcwd, here, sizeof here)) || here[0] != '/') {
    here[0] = '/';
    here[1] = 0;
  }
  find_program();

  const char* placed = wishes.profile_directory[0] ? wishes.profile_directory : wishes.test_outputs;
  make_absolute(gh_config.directory, placed);
  read_sharing();
  gh_config.naming = GH_GMON_PLAIN;
  if (placed[0]) gh_config.naming = GH_GMON_PLACED;
  if (wishes.prefix[0]) {
    gh_config.naming = GH_GMON_PREFIX;
    make_absolute(gh_config.prefix, wishes.prefix);
  }
  gh_config.write_gmon = gh_equal(wishes.gmon, "0")          ? GH_GMON_NONE
                         : gh_equal(wishes.gmon, "program")  ? GH_GMON_PROGRAM_ONLY
                         : gh_equal(wishes.gmon, "fallback") ? GH_GMON_FALLBACK
                                                             : GH_GMON_ALL;
  gh_config.library_calls = gh_equal(wishes.library_calls, "1");
  gh_config.waiting = gh_equal(wishes.waiting, "1");
  gh_config.in_anothers_test = wishes.test_binary[0] && !gh_equal(gh_base_name(wishes.test_binary),
                                                                  gh_base_name(gh_config.program));
  struct gh_text tunables = gh_text_in(gh_config.tunables, sizeof gh_config.tunables);
  gh_put(&tunables, wishes.tunables);
  read_ranks();
  read_start();
  read_sampling();
}
