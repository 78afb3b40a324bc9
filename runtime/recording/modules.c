/* Modules are read from /proc/self/maps rather than through dl_iterate_phdr, because they may be
 * needed inside a signal handler or while the loader's lock is held, where only system calls are
 * safe. */
#include "runtime/recording/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "runtime/base/signals.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/recording.h"

enum {
  MODULES_PER_CHUNK = 63, /* with the head: 16 pages */
  MODULE_CHUNKS = 128,
  UNPUBLISHED = 0,
  LOADED = 1,
  UNLOADED = 2
};

static struct gprofhub_chunk* module_chunks[MODULE_CHUNKS];
static uint32_t modules_used;
static struct gprofhub_module* latest; /* last one found: calls come in runs */
static uint64_t reader;                /* id of the thread that reads the map; 0: none */
static int started;                    /* the first reading is complete */

uint32_t gh_module_count(void) { return __atomic_load_n(&modules_used, __ATOMIC_ACQUIRE); }

struct gprofhub_module* gh_module_at(uint32_t index) {
  struct gprofhub_chunk* chunk = module_chunks[index / MODULES_PER_CHUNK];
  return (struct gprofhub_module*)(chunk + 1) + index % MODULES_PER_CHUNK;
}

static int holds(const struct gprofhub_module* module, uint64_t pc) {
  return pc >= module->low && pc < module->high;
}

struct gprofhub_module* gh_module_find(uint64_t pc) {
  struct gprofhub_module* recent = __atomic_load_n(&latest, __ATOMIC_ACQUIRE);
  if (recent && recent->state == LOADED && holds(recent, pc)) return recent;
  struct gprofhub_module* gone = 0;
  for (uint32_t i = gh_module_count(); i-- > 0;) {
    struct gprofhub_module* module = gh_module_at(i);
    if (!holds(module, pc)) continue;
    if (module->state == LOADED) {
      __atomic_store_n(&latest, module, __ATOMIC_RELEASE);
      return module;
    }
    if (!gone) gone = module;
  }
  return gone;
}

static struct gprofhub_module* new_module(void) {
  const uint32_t index = modules_used;
  const uint32_t which = index / MODULES_PER_CHUNK;
  if (which >= MODULE_CHUNKS) return 0;
  if (!module_chunks[which]) {
    struct gprofhub_chunk* chunk = gh_allocate(
        GPROFHUB_MODULES, sizeof *chunk + MODULES_PER_CHUNK * sizeof(struct gprofhub_module), 0);
    if (!chunk) return 0;
    chunk->capacity = MODULES_PER_CHUNK;
    chunk->used = MODULES_PER_CHUNK;
    module_chunks[which] = chunk;
  }
  return gh_module_at(index);
}

/* One line of /proc/self/maps. */
struct mapping {
  uint64_t low, high, offset, device, inode;
  int executable;
  const char* path;
};

/* "low-high rwxp offset major:minor inode   path" */
static struct mapping parse_mapping(const char* line) {
  struct mapping mapping = {0};
  mapping.low = gh_take_hex(&line);
  ++line;
  mapping.high = gh_take_hex(&line);
  mapping.executable = line[1] && line[2] && line[3] == 'x';
  for (int field = 0; *line && field < 2; ++line) field += *line == ' ';
  mapping.offset = gh_take_hex(&line);
  ++line;
  mapping.device = gh_take_hex(&line) << 32;
  ++line;
  mapping.device |= gh_take_hex(&line);
  ++line;
  gh_take_number(&line, &mapping.inode);
  while (*line == ' ') ++line;
  mapping.path = line;
  return mapping;
}

/* Code outside any ELF object: a just-in-time compiler's output. */
static void describe_anonymous(struct gprofhub_module* module, const struct mapping* code) {
  module->low = module->text_low = code->low;
  module->high = module->text_high = code->high;
  module->bias = 0;
}

/* One bit per module: found by the present reading of the map. */
static uint8_t seen[MODULE_CHUNKS * MODULES_PER_CHUNK / 8 + 1];

static void mark_seen(uint32_t index) { seen[index / 8] |= (uint8_t)(1 << index % 8); }

static int is_known(uint64_t low, const struct mapping* code) {
  for (uint32_t i = gh_module_count(); i-- > 0;) {
    struct gprofhub_module* module = gh_module_at(i);
    if (module->state != LOADED || !holds(module, code->low)) continue;
    if (module->low != low && module->bias != 0) continue;
    /* The area of a just-in-time compiler has grown. */
    if (code->inode == 0 && module->low == code->low && module->high < code->high) {
      module->text_high = code->high;
      __atomic_store_n(&module->high, code->high, __ATOMIC_RELEASE);
    }
    mark_seen(i);
    return 1;
  }
  return 0;
}

static void add_module(uint64_t candidate, const struct mapping* code) {
  struct gprofhub_module* module = new_module();
  if (!module) {
    gh_lose(GPROFHUB_LOST_MODULES, 1);
    return;
  }
  gh_clear(module, sizeof *module);
  struct gh_text path = gh_text_in(module->path, sizeof module->path);
  if (gh_describe_elf(module, candidate, code->low, code->high) ||
      gh_describe_elf(module, code->low, code->low, code->high)) {
    gh_put(&path, code->path);
  } else {
    describe_anonymous(module, code);
    gh_put(&path, code->path[0] ? code->path : "[anon]");
  }
  module->order = started ? modules_used : 0;
  for (uint32_t i = 0; i < modules_used; ++i) {
    const struct gprofhub_module* other = gh_module_at(i);
    if (other->state == UNLOADED && other->low < module->high && module->low < other->high) {
      gh_lose(GPROFHUB_REUSED_ADDRESSES, 1);
      break;
    }
  }
  __atomic_store_n(&module->state, LOADED, __ATOMIC_RELEASE);
  mark_seen(modules_used);
  __atomic_store_n(&modules_used, modules_used + 1, __ATOMIC_RELEASE);
}

static void take_mapping(const char* line, struct mapping* first_of_file) {
  const struct mapping mapping = parse_mapping(line);
  if (mapping.offset == 0 && !mapping.executable) *first_of_file = mapping;
  if (!mapping.executable || gh_equal(mapping.path, "[vsyscall]")) return;
  uint64_t candidate = mapping.low;
  if (mapping.inode != 0 && first_of_file->inode == mapping.inode &&
      first_of_file->device == mapping.device) {
    candidate = first_of_file->low;
  }
  if (!is_known(candidate, &mapping)) add_module(candidate, &mapping);
}

static void mark_unloaded(int keep_addresses) {
  for (uint32_t i = 0; i < gh_module_count(); ++i) {
    struct gprofhub_module* module = gh_module_at(i);
    if (module->state != LOADED || seen[i / 8] & 1 << i % 8) continue;
    __atomic_store_n(&module->state, UNLOADED, __ATOMIC_RELEASE);
    if (!keep_addresses) continue;
    /* An empty reservation: later code cannot get these addresses, so that their counts remain
     * attributed to the unloaded object. */
    GH_CALL6(mmap, module->low, module->high - module->low, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  }
}

static void read_map(int keep_addresses) {
  static char buffer[8192];
  long fd = GH_OPEN("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
  if (GH_FAILED(fd)) {
    gh_lose(GPROFHUB_LOST_MODULES, 1);
    return;
  }
  gh_clear(seen, sizeof seen);
  struct mapping first_of_file = {0};
  size_t length = 0;
  long got;
  while ((got = GH_CALL3(read, fd, buffer + length, sizeof buffer - length - 1)) > 0) {
    length += (size_t)got;
    size_t line = 0;
    for (size_t i = 0; i < length; ++i) {
      if (buffer[i] != '\n') continue;
      buffer[i] = 0;
      take_mapping(buffer + line, &first_of_file);
      line = i + 1;
    }
    if (line == 0 && length + 1 == sizeof buffer) line = length; /* longer than any valid line */
    gh_copy(buffer, buffer + line, length - line);
    length -= line;
  }
  GH_CALL1(close, fd);
  if (started) mark_unloaded(keep_addresses);
  started = 1;
  gh_header->own_low = (uint64_t)gh_stubs_begin;
  gh_header->own_high = (uint64_t)gh_stubs_end;
}

void gh_modules_refresh(int keep_addresses) {
  if (gh_recording_ready() != GH_RECORDING_READY) return;
  struct gh_signals signals = gh_block_signals();
  const uint64_t self = (uint64_t)GH_CALL0(gettid);
  uint64_t holder = 0;
  while (
      !__atomic_compare_exchange_n(&reader, &holder, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    /* A vfork child may have been killed while it read. */
    if (GH_CALL2(tkill, holder, 0) != -ESRCH) {
      GH_CALL0(sched_yield);
      holder = 0;
    }
  }
  read_map(keep_addresses);
  __atomic_store_n(&reader, 0, __ATOMIC_RELEASE);
  gh_restore_signals(signals);
}

void gh_modules_note(uint64_t pc) {
  const struct gprofhub_module* module = gh_module_find(pc);
  if (!module || module->state != LOADED) gh_modules_refresh(0);
}

void gh_modules_after_fork(void) {
  for (unsigned i = 0; i < MODULE_CHUNKS; ++i) module_chunks[i] = 0;
  modules_used = 0;
  latest = 0;
  reader = 0;
  started = 0;
}
