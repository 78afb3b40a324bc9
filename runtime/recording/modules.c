/* Addresses identify code in all counts. So an object that dlclose unloads keeps its addresses:
 * they are reserved. Before the same object is loaded again, they are released, with a reserved
 * page on both sides, and other gaps are filled until the kernel chooses them again. The object has
 * the same record then, and its counts continue. An object that is mapped otherwise, because
 * another thread took the addresses, gets a record of its own.
 *
 * Modules are read from /proc/self/maps rather than through dl_iterate_phdr, because they may be
 * needed inside a signal handler or while the loader's lock is held, where only system calls are
 * safe. */
#include "runtime/recording/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "runtime/base/signals.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/processor/machine.h"
#include "runtime/recording/file.h"
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
static uint8_t kept[MODULE_CHUNKS * MODULES_PER_CHUNK]; /* unloaded; its addresses are its own */
static uint8_t reserved[MODULE_CHUNKS * MODULES_PER_CHUNK]; /* they are reserved now */
static uint32_t readings;
static struct gprofhub_module* latest; /* last one found: calls come in runs */
static uint64_t reader;                /* id of the thread that reads the map; 0: none */
static int started;                    /* the first reading is complete */

uint32_t gh_module_count(void) { return __atomic_load_n(&modules_used, __ATOMIC_ACQUIRE); }

struct gprofhub_module* gh_module_at(uint32_t index) {
  struct gprofhub_chunk* chunk = module_chunks[index / MODULES_PER_CHUNK];
  return (struct gprofhub_module*)(chunk + 1) + index % MODULES_PER_CHUNK;
}

const struct gprofhub_module* gh_module_first(const struct gprofhub_module* module) {
  return gh_module_at(module->first);
}

int gh_module_is_loaded(const struct gprofhub_module* module) {
  return __atomic_load_n(&module->state, __ATOMIC_ACQUIRE) == LOADED;
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

static int is_elf(const struct gprofhub_module* module) { return module->alignment != 0; }

static int is_same_object(const struct gprofhub_module* a, const struct gprofhub_module* b) {
  if (!is_elf(a) || !is_elf(b)) return !is_elf(a) && a->low == b->low && a->high == b->high;
  if (a->text_low != b->text_low || a->text_high != b->text_high ||
      a->high - a->low != b->high - b->low || a->build_id_bytes != b->build_id_bytes) {
    return 0;
  }
  if (a->build_id_bytes == 0) return a->file != 0 && a->file == b->file;
  for (uint32_t i = 0; i < a->build_id_bytes; ++i) {
    if (a->build_id[i] != b->build_id[i]) return 0;
  }
  return 1;
}

/* QEMU gives an object whose segments follow each other in its file as one mapping, with the
 * permissions of its first page. The kernel has such a mapping where a file is merely read. */
static int is_emulated_code(const struct mapping* mapping) {
  static struct gprofhub_module described;
  if (!gh_is_emulated() || mapping->inode == 0 || mapping->offset != 0) return 0;
  gh_clear(&described, sizeof described);
  return gh_describe_elf(&described, mapping->low, mapping->low, mapping->high);
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

/* Whether the object is where it was. Its code may be anonymous memory now: some programs copy
 * it to huge pages. */
static int is_still_there(const struct gprofhub_module* module) {
  static struct gprofhub_module found;
  gh_clear(&found, sizeof found);
  found.file = module->file;
  const uint64_t text = module->bias + module->text_low;
  return gh_describe_elf(&found, module->low, text, text + 1) && is_same_object(&found, module);
}

static int is_known(uint64_t low, const struct mapping* code) {
  for (uint32_t i = gh_module_count(); i-- > 0;) {
    struct gprofhub_module* module = gh_module_at(i);
    if (module->state != LOADED || !holds(module, code->low)) continue;
    if (module->low != low && module->bias != 0 && !is_still_there(module)) continue;
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

/* The record of the same object, if it was loaded at the same addresses and then unloaded. */
static int revive(const struct gprofhub_module* module) {
  for (uint32_t i = 0; i < modules_used; ++i) {
    struct gprofhub_module* other = gh_module_at(i);
    if (other->state != UNLOADED || other->low != module->low || !is_same_object(other, module)) {
      continue;
    }
    kept[i] = 0;
    mark_seen(i);
    __atomic_store_n(&other->state, LOADED, __ATOMIC_RELEASE);
    return 1;
  }
  return 0;
}

static uint32_t first_of(const struct gprofhub_module* module) {
  for (uint32_t i = 0; i < modules_used; ++i) {
    const struct gprofhub_module* other = gh_module_at(i);
    if (other->first == i && is_same_object(other, module)) return i;
  }
  return modules_used;
}

/* The last mapping of a file's beginning. */
static struct mapping beginning;
static char path_of_beginning[sizeof((struct gprofhub_module*)0)->path];

/* An object whose code is not its file any more, until a mapping of its file follows. */
static struct gprofhub_module* unnamed;

static int is_anonymous(const struct mapping* code) {
  return code->inode == 0 || gh_after(code->path, "/memfd:") ||
         gh_after(code->path, "/anon_hugepage");
}

static void describe_code(struct gprofhub_module* module, uint64_t candidate,
                          const struct mapping* code) {
  struct gh_text path = gh_text_in(module->path, sizeof module->path);
  if (candidate != code->low && gh_describe_elf(module, candidate, code->low, code->high)) {
    gh_put(&path, path_of_beginning);
  } else if (gh_describe_elf(module, code->low, code->low, code->high)) {
    gh_put(&path, code->path);
  } else {
    describe_anonymous(module, code);
    gh_put(&path, code->path[0] ? code->path : "[anon]");
  }
  if (module->build_id_bytes == 0 && module->path[0] == '/') {
    static struct gprofhub_module file;
    gh_clear(&file, sizeof file);
    if (gh_describe_file(&file, module->path)) module->file = file.file;
  }
}

static void add_module(uint64_t candidate, const struct mapping* code) {
  static struct gprofhub_module described;
  gh_clear(&described, sizeof described);
  describe_code(&described, candidate, code);
  if (revive(&described)) return;
  struct gprofhub_module* module = new_module();
  if (!module) {
    gh_lose(GPROFHUB_LOST_MODULES, 1);
    return;
  }
  gh_copy(module, &described, sizeof *module);
  module->order = started ? modules_used : 0;
  module->first = first_of(module);
  if (is_elf(module) && module->low == code->low && is_anonymous(code)) unnamed = module;
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

static void take_mapping(const char* line) {
  struct mapping mapping = parse_mapping(line);
  if (!mapping.executable) mapping.executable = is_emulated_code(&mapping);
  if (mapping.inode != 0 && !mapping.executable) {
    if (mapping.offset == 0) {
      beginning = mapping;
      struct gh_text path = gh_text_in(path_of_beginning, sizeof path_of_beginning);
      gh_put(&path, mapping.path);
    }
    if (unnamed && holds(unnamed, mapping.low)) {
      struct gh_text path = gh_text_in(unnamed->path, sizeof unnamed->path);
      gh_put(&path, mapping.path);
      unnamed = 0;
    }
  }
  if (!mapping.executable || gh_equal(mapping.path, "[vsyscall]")) return;
  uint64_t candidate = mapping.low;
  if (is_anonymous(&mapping) ||
      (beginning.inode == mapping.inode && beginning.device == mapping.device)) {
    candidate = beginning.low;
  }
  if (!is_known(candidate, &mapping)) add_module(candidate, &mapping);
}

struct range {
  uint64_t low, high;
};

/* The gap in which the loader maps the object at its present addresses. For segments that are
 * aligned to more than a page it asks for that much more, and uses the first such address. */
static struct range gap_of(const struct gprofhub_module* module) {
  enum { LARGEST = 64 << 20 };
  struct range gap = {module->low, module->high};
  if (module->alignment > gh_page_bytes() && module->alignment <= LARGEST) {
    gap.low -= module->alignment;
    gap.high += gh_page_bytes();
  }
  return gap;
}

static void keep_addresses_of(uint32_t index) {
  const struct gprofhub_module* module = gh_module_at(index);
  const struct range gap = gap_of(module);
  if (reserved[index]) return;
  reserved[index] = (uint8_t)gh_reserve(gap.low, gap.high - gap.low);
  if (reserved[index]) return;
  /* Another thread has mapped some of it in between: the rest is reserved for good. */
  kept[index] = 0;
  for (uint64_t at = module->low; at < module->high; at += gh_page_bytes()) {
    gh_reserve(at, gh_page_bytes());
  }
}

static void remove_fillers(void);

static void mark_unloaded(int keep_addresses) {
  readings += 1;
  if (keep_addresses) remove_fillers();
  for (uint32_t i = 0; i < gh_module_count(); ++i) {
    struct gprofhub_module* module = gh_module_at(i);
    if (module->state == LOADED && !(seen[i / 8] & 1 << i % 8)) {
      module->departure = readings;
      __atomic_store_n(&module->state, UNLOADED, __ATOMIC_RELEASE);
      kept[i] = (uint8_t)is_elf(module);
    }
    if (keep_addresses && kept[i]) keep_addresses_of(i);
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
  gh_clear(&beginning, sizeof beginning);
  unnamed = 0;
  size_t length = 0;
  long got;
  while ((got = GH_CALL3(read, fd, buffer + length, sizeof buffer - length - 1)) > 0) {
    length += (size_t)got;
    size_t line = 0;
    for (size_t i = 0; i < length; ++i) {
      if (buffer[i] != '\n') continue;
      buffer[i] = 0;
      take_mapping(buffer + line);
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

/* One thread at a time reads the map. Call with signals blocked. */
static void take_lock(void) {
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
}

static void release_lock(void) { __atomic_store_n(&reader, 0, __ATOMIC_RELEASE); }

void gh_modules_refresh(int keep_addresses) {
  if (gh_recording_ready() != GH_RECORDING_READY) return;
  struct gh_signals signals = gh_block_signals();
  take_lock();
  read_map(keep_addresses);
  release_lock();
  gh_restore_signals(signals);
}

/* Whether the file at `path` is the module's. */
static int is_file_of(const char* path, const struct gprofhub_module* module) {
  static struct gprofhub_module file;
  gh_clear(&file, sizeof file);
  return gh_describe_file(&file, path) && is_same_object(&file, module);
}

/* Mappings that fill larger gaps while an object is loaded. */
enum { FILLERS = 64, GROUP = 64 };
static struct range fillers[FILLERS];
static uint32_t fillers_used;

static void unmap(struct range range) { GH_CALL2(munmap, range.low, range.high - range.low); }

static void remove_fillers(void) {
  while (fillers_used > 0) unmap(fillers[--fillers_used]);
}

/* What the loader asks for, at the end of the gap. */
static struct range request_of(const struct gprofhub_module* module) {
  struct range request = gap_of(module);
  request.low = request.high - (module->high - module->low);
  if (request.high != module->high) request.low -= module->alignment;
  return request;
}

/* Maps the request there, as the kernel's own choice; other gaps that it prefers are filled. */
static int is_chosen(struct range request) {
  const uint64_t bytes = request.high - request.low;
  while (fillers_used < FILLERS) {
    const long at =
        GH_CALL6(mmap, 0, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (GH_FAILED(at)) return 0;
    if ((uint64_t)at == request.low) return 1;
    fillers[fillers_used].low = (uint64_t)at;
    fillers[fillers_used++].high = (uint64_t)at + bytes;
  }
  return 0;
}

/* The module and its dependencies, which were unloaded with it, in the order in which the loader
 * maps them: it maps the module first, and the kernel goes from higher to lower addresses. */
static uint32_t group_of(uint32_t wanted, uint32_t* group) {
  uint32_t count = 0;
  group[count++] = wanted;
  for (uint32_t i = 0; i < gh_module_count() && count < GROUP; ++i) {
    const struct gprofhub_module* module = gh_module_at(i);
    if (i == wanted || !reserved[i] || module->departure != gh_module_at(wanted)->departure ||
        !is_file_of(module->path, module)) {
      continue;
    }
    uint32_t place = count++;
    for (; place > 1 && gh_module_at(group[place - 1])->low < module->low; --place) {
      group[place] = group[place - 1];
    }
    group[place] = i;
  }
  return count;
}

/* Otherwise the gap is larger where nothing is mapped next to it. */
static void reserve_around(struct range gap) {
  gh_reserve(gap.low - gh_page_bytes(), gh_page_bytes());
  gh_reserve(gap.high, gh_page_bytes());
}

static void release_addresses_of(uint32_t wanted) {
  static uint32_t group[GROUP];
  const uint32_t count = group_of(wanted, group);
  for (uint32_t i = 0; i < count; ++i) reserve_around(gap_of(gh_module_at(group[i])));
  for (uint32_t i = 0; i < count; ++i) {
    unmap(gap_of(gh_module_at(group[i])));
    reserved[group[i]] = 0;
  }
  uint32_t chosen = 0;
  while (chosen < count && is_chosen(request_of(gh_module_at(group[chosen])))) ++chosen;
  for (uint32_t i = 0; i < chosen; ++i) unmap(request_of(gh_module_at(group[i])));
  if (chosen == count) return;
  remove_fillers();
  for (uint32_t i = 0; i < count; ++i) keep_addresses_of(group[i]);
}

void gh_modules_expect(const char* name) {
  if (gh_recording_ready() != GH_RECORDING_READY || gh_in_vfork_child()) return;
  struct gh_signals signals = gh_block_signals();
  take_lock();
  remove_fillers();
  /* A name without a slash is searched for: "libx.so" may be the file libx.so.1. */
  const int is_path = gh_base_name(name) != name;
  static struct gprofhub_module file;
  gh_clear(&file, sizeof file);
  const int may_be_known = !is_path || gh_describe_file(&file, name);
  uint32_t last = UINT32_MAX; /* unloaded */
  for (uint32_t i = 0; i < gh_module_count(); ++i) {
    const struct gprofhub_module* module = gh_module_at(i);
    if (kept[i]) keep_addresses_of(i);
    if (!reserved[i] || !may_be_known) continue;
    if (last != UINT32_MAX && module->departure < gh_module_at(last)->departure) continue;
    if (is_path ? is_same_object(&file, module)
                : gh_after(gh_base_name(module->path), name) && is_file_of(module->path, module)) {
      last = i;
    }
  }
  if (last != UINT32_MAX) release_addresses_of(last);
  release_lock();
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
  gh_clear(kept, sizeof kept);
  gh_clear(reserved, sizeof reserved);
}
