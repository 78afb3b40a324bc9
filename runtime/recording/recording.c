/* Chunks are never moved or unmapped while the process lives. There are no locks: space in the
 * file is allocated by one atomic addition, and a directory entry is valid once its kind is
 * stored, last. */
#include "runtime/recording/recording.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "runtime/base/complain.h"
#include "runtime/base/config.h"
#include "runtime/base/signals.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/processor/machine.h"
#include "runtime/recording/file.h"

struct gprofhub_recording* gh_header;
struct gprofhub_chunk* gh_chunks;

static const uint64_t kSecond = 1000000000u;

/* 0: not started; 1: not available; otherwise the id of the thread that starts it, and then
 * READY. */
enum { IDLE = 0, NONE = 1, READY = 2 };
static uint64_t state;
static int has_file;
static struct gprofhub_shared* shared; /* first page of the shared file; NULL: its own file */
static uint64_t header_offset;
static int configured;
static int64_t process_id;

/* A page that the kernel clears in a forked child, but not in one that shares our memory: this
 * distinguishes vfork from fork. */
static volatile char* wiped_on_fork;

static struct gprofhub_chunk* directories[GPROFHUB_DIRECTORY_CHUNKS];

static uint64_t directory_bytes(void) {
  return gh_whole_pages(sizeof(struct gprofhub_chunk) +
                        GPROFHUB_DIRECTORY_ENTRIES * sizeof(struct gprofhub_directory_entry));
}

/* The header and the first directory, which begins GPROFHUB_PAGE_BYTES after it. */
static uint64_t first_bytes(void) {
  return gh_whole_pages(GPROFHUB_PAGE_BYTES + directory_bytes());
}

void gh_lose(enum gprofhub_loss loss, uint64_t amount) {
  if (gh_header) __atomic_fetch_add(&gh_header->losses[loss], amount, __ATOMIC_RELAXED);
}

const char* gh_recording_path(void) {
  return has_file && !gh_file_is_removed() ? gh_file_path() : 0;
}

int gh_in_vfork_child(void) { return process_id != 0 && GH_CALL0(getpid) != process_id; }

static void complain_of_file(long error) {
  char line[1024];
  struct gh_text text = gh_text_in(line, sizeof line);
  gh_put(&text, gh_reason(error));
  gh_put(&text, "; counts are kept in memory, for the gmon file of a normal exit only: ");
  gh_put(&text, gh_file_path());
  gh_complain(GH_RECORDING, "recording", line);
}

static uint64_t take_shared(uint64_t bytes) {
  return gh_page_bytes() + __atomic_fetch_add(&shared->used, bytes, __ATOMIC_RELAXED);
}

static void leave_shared(void) {
  if (shared) GH_CALL2(munmap, shared, gh_page_bytes());
  shared = 0;
}

/* A place in the test's shared file; NULL: a file of its own is needed. */
static void* map_shared_header(uint64_t bytes) {
  long error;
  if (!gh_config.shared_directory[0]) return 0;
  shared = gh_file_join(&error);
  if (!shared) return 0;
  gh_copy(shared->magic, GPROFHUB_RECORDING_MAGIC, sizeof shared->magic);
  shared->version = GPROFHUB_SHARED_VERSION;
  shared->byte_order = GPROFHUB_BYTE_ORDER;
  header_offset = take_shared(bytes);
  void* header = gh_file_map(0, header_offset, bytes, &error);
  if (header) return header;
  leave_shared();
  gh_file_close();
  return 0;
}

/* The process appears in the shared file. */
static void enlist(struct gprofhub_recording* header) {
  uint64_t newest = __atomic_load_n(&shared->newest, __ATOMIC_RELAXED);
  do {
    header->older = newest;
  } while (!__atomic_compare_exchange_n(&shared->newest, &newest, header_offset, 0,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static void* map_header(void) {
  const uint64_t bytes = first_bytes();
  has_file = 0;
  header_offset = 0;
  void* in_shared = map_shared_header(bytes);
  if (in_shared) {
    has_file = 1;
    return in_shared;
  }
  long error = gh_file_create((uint64_t)process_id);
  if (!GH_FAILED(error)) {
    void* header = gh_file_map(0, 0, bytes, &error);
    if (header) {
      has_file = 1;
      return header;
    }
    gh_file_remove();
  }
  complain_of_file(error);
  return gh_map_anonymous(0, bytes);
}

uint64_t gh_wall_ns(void) {
  struct timespec now = {0};
  GH_CALL2(clock_gettime, CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * kSecond + (uint64_t)now.tv_nsec;
}

static void describe_process(struct gprofhub_recording* header) {
  header->version = GPROFHUB_RECORDING_VERSION;
  header->byte_order = GPROFHUB_BYTE_ORDER;
  header->end = first_bytes();
  header->directory[0] = header_offset + GPROFHUB_PAGE_BYTES;
  header->state = GPROFHUB_RUNNING;
  header->pid = (uint32_t)process_id;
  header->call_bytes = GH_CALL_BYTES;
  header->parent_pid = (uint32_t)GH_CALL0(getppid);
  header->start_seconds = gh_wall_ns() / kSecond;
  header->rank_plus_one = (uint32_t)(gh_config.rank + 1);
  struct gh_text program = gh_text_in(header->program, sizeof header->program);
  gh_put(&program, gh_config.program);
  struct gh_text folder = gh_text_in(header->case_folder, sizeof header->case_folder);
  gh_put(&folder, gh_config.case_folder);
  gh_describe_environment(&header->environment);
}

static int begin(void) {
  if (!configured) {
    gh_complain_begin();
    gh_config_read();
    configured = 1;
  }
  process_id = GH_CALL0(getpid);
  if (!gh_config.rank_selected) return 0;
  if (!wiped_on_fork) {
    char* page = gh_map_anonymous(0, gh_page_bytes());
    if (page && GH_FAILED(GH_CALL3(madvise, page, gh_page_bytes(), MADV_WIPEONFORK))) page = 0;
    wiped_on_fork = page;
  }
  if (wiped_on_fork) *wiped_on_fork = 1;
  struct gprofhub_recording* header = map_header();
  if (!header) {
    gh_complain(GH_RECORDING, "nothing will be recorded", "out of memory (ulimit -v?)");
    return 0;
  }
  describe_process(header);
  struct gprofhub_chunk* directory = (struct gprofhub_chunk*)((char*)header + GPROFHUB_PAGE_BYTES);
  directory->magic = GPROFHUB_CHUNK_MAGIC;
  directory->kind = GPROFHUB_DIRECTORY;
  directory->bytes = directory_bytes();
  directory->capacity = GPROFHUB_DIRECTORY_ENTRIES;
  directories[0] = directory;
  __atomic_store_n(&gh_header, header, __ATOMIC_RELEASE);
  gh_copy(header->magic, GPROFHUB_RECORDING_MAGIC, sizeof header->magic);
  if (shared) enlist(header);
  return 1;
}

enum gh_readiness gh_recording_ready(void) {
  uint64_t now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
  if (now == READY) {
    if (wiped_on_fork == 0 || *wiped_on_fork) return GH_RECORDING_READY;
    return GH_RECORDING_IS_PARENTS;
  }
  if (now == NONE) return GH_RECORDING_NONE;
  const uint64_t self = (uint64_t)GH_CALL0(gettid) << 8;
  while (now != READY && now != NONE) {
    if (now == self) return GH_RECORDING_NONE;
    if (now == IDLE &&
        __atomic_compare_exchange_n(&state, &now, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
      struct gh_signals signals = gh_block_signals();
      __atomic_store_n(&state, begin() ? READY : NONE, __ATOMIC_RELEASE);
      gh_restore_signals(signals);
    } else {
      GH_CALL0(sched_yield);
    }
    now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
  }
  return now == READY ? GH_RECORDING_READY : GH_RECORDING_NONE;
}

static void* map_chunk(void* where, uint64_t bytes, uint64_t* offset) {
  *offset = 0;
  if (has_file) {
    const uint64_t at =
        shared ? take_shared(bytes) : __atomic_fetch_add(&gh_header->end, bytes, __ATOMIC_RELAXED);
    long error;
    void* memory = gh_file_map(where, at, bytes, &error);
    if (memory) {
      *offset = at;
      return memory;
    }
    complain_of_file(error);
  }
  gh_lose(GPROFHUB_UNRECORDED_CHUNKS, 1);
  return gh_map_anonymous(where, bytes);
}

/* The directory chunk that contains entry `index`, created if that is its first entry. */
static struct gprofhub_directory_entry* directory_entry(uint32_t index) {
  const uint32_t which = index / GPROFHUB_DIRECTORY_ENTRIES;
  if (which >= GPROFHUB_DIRECTORY_CHUNKS) return 0;
  struct gprofhub_chunk* directory = __atomic_load_n(&directories[which], __ATOMIC_ACQUIRE);
  if (!directory) {
    uint64_t offset;
    struct gprofhub_chunk* fresh = map_chunk(0, directory_bytes(), &offset);
    if (!fresh || !offset) return 0;
    fresh->magic = GPROFHUB_CHUNK_MAGIC;
    fresh->kind = GPROFHUB_DIRECTORY;
    fresh->bytes = directory_bytes();
    fresh->capacity = GPROFHUB_DIRECTORY_ENTRIES;
    if (__atomic_compare_exchange_n(&directories[which], &directory, fresh, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      directory = fresh;
      __atomic_store_n(&gh_header->directory[which], offset, __ATOMIC_RELEASE);
    }
  }
  return (struct gprofhub_directory_entry*)(directory + 1) + index % GPROFHUB_DIRECTORY_ENTRIES;
}

static void link_chunk(struct gprofhub_chunk* chunk) {
  struct gprofhub_chunk* head = __atomic_load_n(&gh_chunks, __ATOMIC_RELAXED);
  do {
    chunk->next = (uint64_t)head;
  } while (!__atomic_compare_exchange_n(&gh_chunks, &head, chunk, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

struct gprofhub_chunk* gh_allocate(uint32_t kind, uint64_t bytes, uint32_t thread) {
  return gh_allocate_at(0, kind, bytes, thread);
}

struct gprofhub_chunk* gh_allocate_at(void* where, uint32_t kind, uint64_t bytes, uint32_t thread) {
  bytes = gh_whole_pages(bytes);
  uint64_t offset;
  struct gprofhub_chunk* chunk = map_chunk(where, bytes, &offset);
  if (!chunk) {
    gh_complain(GH_RECORDING, "counts are lost", "out of memory (ulimit -v?)");
    return 0;
  }
  chunk->magic = GPROFHUB_CHUNK_MAGIC;
  chunk->bytes = bytes;
  chunk->thread = thread;
  chunk->kind = kind;
  if (offset) {
    const uint32_t index = __atomic_fetch_add(&gh_header->entries, 1, __ATOMIC_RELAXED);
    struct gprofhub_directory_entry* entry = directory_entry(index);
    if (entry) {
      chunk->entry = index + 1;
      entry->address = (uint64_t)chunk;
      entry->offset = offset;
      entry->bytes = bytes;
      entry->thread = thread;
      __atomic_store_n(&entry->kind, kind, __ATOMIC_RELEASE);
    } else {
      gh_lose(GPROFHUB_UNRECORDED_CHUNKS, 1);
    }
  }
  link_chunk(chunk);
  return chunk;
}

struct gprofhub_chunk* gh_allocate_apart(uint32_t kind, uint64_t bytes) {
  bytes = gh_whole_pages(bytes);
  struct gprofhub_chunk* chunk = gh_map_anonymous(0, bytes);
  if (!chunk) return 0;
  chunk->magic = GPROFHUB_CHUNK_MAGIC;
  chunk->bytes = bytes;
  chunk->kind = kind;
  link_chunk(chunk);
  return chunk;
}

struct gprofhub_chunk* gh_chunk_of_entry(uint32_t entry) {
  return entry ? (struct gprofhub_chunk*)directory_entry(entry - 1)->address : 0;
}

void gh_drop(struct gprofhub_chunk* chunk) {
  if (chunk->entry) {
    __atomic_store_n(&directory_entry(chunk->entry - 1)->kind, 0, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&chunk->kind, 0, __ATOMIC_RELEASE);
}

void gh_recording_discard(void) {
  if (has_file && shared) {
    gh_clear(gh_header->magic, sizeof gh_header->magic); /* readers leave it out */
    gh_file_close();
  } else if (has_file) {
    gh_file_remove();
  }
  has_file = 0;
}

void gh_recording_parts(void (*visit)(void* context, uint64_t offset, uint64_t bytes),
                        void* context) {
  if (shared) visit(context, 0, gh_page_bytes());
  visit(context, header_offset, first_bytes());
  for (uint32_t i = 1; i < GPROFHUB_DIRECTORY_CHUNKS; ++i) {
    if (gh_header->directory[i]) visit(context, gh_header->directory[i], directory_bytes());
  }
  for (uint32_t i = 0; i < gh_header->entries; ++i) {
    if (!__atomic_load_n(&directories[i / GPROFHUB_DIRECTORY_ENTRIES], __ATOMIC_ACQUIRE)) return;
    const struct gprofhub_directory_entry* entry = directory_entry(i);
    if (entry && entry->bytes) visit(context, entry->offset, entry->bytes);
  }
}

uint64_t gh_recording_offset(void) { return header_offset; }

static uint64_t nanoseconds(struct timeval time) {
  return (uint64_t)time.tv_sec * kSecond + (uint64_t)time.tv_usec * 1000u;
}

void gh_recording_finish(void) {
  if (!gh_header) return;
  struct rusage usage;
  gh_clear(&usage, sizeof usage);
  GH_CALL2(getrusage, RUSAGE_SELF, &usage);
  gh_header->user_ns = nanoseconds(usage.ru_utime);
  gh_header->system_ns = nanoseconds(usage.ru_stime);
  gh_header->state = GPROFHUB_FINISHED;
  if (has_file && gh_file_is_removed()) {
    gh_complain(GH_RECORDING, "the recording was removed while the program ran", gh_file_path());
  }
}

/* Unmaps the range, or with keep_readable replaces it by zeroed private memory. */
static void let_go(void* at, uint64_t bytes, int keep_readable) {
  if (keep_readable) {
    GH_CALL6(mmap, at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0);
  } else {
    GH_CALL2(munmap, at, bytes);
  }
}

void gh_recording_forget(struct gprofhub_chunk* const* current, int count) {
  struct gprofhub_chunk* chunk = gh_chunks;
  while (chunk) {
    struct gprofhub_chunk* next = (struct gprofhub_chunk*)chunk->next;
    int in_use = 0;
    for (int i = 0; i < count; ++i) in_use |= current[i] == chunk;
    let_go(chunk, chunk->bytes, in_use);
    chunk = next;
  }
  for (unsigned i = 1; i < GPROFHUB_DIRECTORY_CHUNKS; ++i) {
    if (directories[i]) let_go(directories[i], directory_bytes(), 0);
    directories[i] = 0;
  }
  if (gh_header) let_go(gh_header, first_bytes(), 0);
  leave_shared();
  if (has_file) gh_file_close();
  directories[0] = 0;
  gh_header = 0;
  gh_chunks = 0;
  process_id = 0;
  if (state != NONE) state = IDLE;
}
