/* Places the profiles of a -pg program in the directory of a Bazel test's outputs.
 *
 * `--custom_malloc=@gprofhub//runtime:gmon_placement` links this object into every program. At
 * start it sets GMON_OUT_PREFIX, the name of the file that glibc writes at exit (glibc appends
 * ".<pid>"), to an absolute path: a test may change its working directory. Outside a Bazel test
 * it does nothing.
 *
 * It must not disturb the program: errno is preserved, only the standard library is used, and a
 * failure prints one line on stderr. */
#include "runtime/gmon/placement.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The variable that glibc reads at exit. */
#define PREFIX_VARIABLE "GMON_OUT_PREFIX"

/* A copy of the prefix we set. A child process inherits both: if they are equal, the prefix is
 * its parent's and contains the parent's build-id, so it is replaced; otherwise the user chose
 * the prefix, and it stays. */
#define OWN_PREFIX_VARIABLE "GPROFHUB_GMON_OUT_PREFIX"

enum { MAX_BUILD_ID_BYTES = 64 };

struct build_id {
  char hex[2 * MAX_BUILD_ID_BYTES + 1];
};

static void complain(const char* problem, const char* detail) {
  fprintf(stderr, "gprofhub: %s: %s%s%s\n", program_invocation_short_name, problem,
          detail[0] != '\0' ? ": " : "", detail);
}

static size_t aligned(size_t size, size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

/* Looks for NT_GNU_BUILD_ID in one PT_NOTE segment of the running program. */
static int find_in_notes(const unsigned char* notes, size_t size, size_t alignment,
                         struct build_id* found) {
  ElfW(Nhdr) header;
  while (size >= sizeof header) {
    memcpy(&header, notes, sizeof header);
    const size_t name_at = sizeof header;
    if (header.n_namesz > size || header.n_descsz > size) return 0;
    const size_t description_at = name_at + aligned(header.n_namesz, alignment);
    const size_t next_at = description_at + aligned(header.n_descsz, alignment);
    if (description_at + header.n_descsz > size) return 0;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == sizeof ELF_NOTE_GNU &&
        memcmp(notes + name_at, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 && header.n_descsz > 0 &&
        header.n_descsz <= MAX_BUILD_ID_BYTES) {
      for (size_t i = 0; i < header.n_descsz; ++i) {
        snprintf(found->hex + 2 * i, 3, "%02x", notes[description_at + i]);
      }
      return 1;
    }
    if (next_at >= size) return 0;
    notes += next_at;
    size -= next_at;
  }
  return 0;
}

/* dl_iterate_phdr calls this for the program itself first, be it PIE, static or neither; a
 * nonzero result ends the iteration there. */
static int read_build_id(struct dl_phdr_info* program, size_t size, void* result) {
  (void)size;
  for (size_t i = 0; i < program->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &program->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE) continue;
    const unsigned char* notes =
        (const unsigned char*)((uintptr_t)program->dlpi_addr + (uintptr_t)segment->p_vaddr);
    if (find_in_notes(notes, segment->p_memsz, segment->p_align == 8 ? 8 : 4, result)) break;
  }
  return 1;
}

/* True if the user, not a parent process with this object, has set GMON_OUT_PREFIX. */
static int user_chose_prefix(void) {
  const char* prefix = getenv(PREFIX_VARIABLE);
  const char* own = getenv(OWN_PREFIX_VARIABLE);
  return prefix != NULL && (own == NULL || strcmp(prefix, own) != 0);
}

/* The prefix for `directory`, which the caller frees, or NULL with errno. */
static char* make_prefix(const char* directory, const char* build_id) {
  char* here = NULL;
  if (directory[0] != '/') {
    here = getcwd(NULL, 0);
    if (here == NULL) return NULL;
  }
  char* prefix = NULL;
  const int length = asprintf(&prefix, "%s%s%s/%s.%s." GPROFHUB_GMON_SUFFIX, here ? here : "",
                              here ? "/" : "", directory, program_invocation_short_name, build_id);
  free(here);
  return length < 0 ? NULL : prefix;
}

static void place_profile(void) {
  const char* directory = getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  if (directory == NULL || directory[0] == '\0' || user_chose_prefix()) return;

  struct build_id build_id = {GPROFHUB_UNKNOWN_BUILD_ID};
  dl_iterate_phdr(read_build_id, &build_id);
  if (strcmp(build_id.hex, GPROFHUB_UNKNOWN_BUILD_ID) == 0) {
    complain("linked without a build-id; its profile cannot be matched with its symbols",
             "link with -Wl,--build-id=sha1, as --config=gprof does");
  }

  char* prefix = make_prefix(directory, build_id.hex);
  if (prefix == NULL || setenv(OWN_PREFIX_VARIABLE, prefix, 1) != 0 ||
      setenv(PREFIX_VARIABLE, prefix, 1) != 0) {
    complain("cannot place the profile in TEST_UNDECLARED_OUTPUTS_DIR; using the working directory",
             strerror(errno));
  }
  free(prefix);
}

/* A program's own constructors may run first and even change the environment; that is harmless,
 * because glibc reads the prefix at exit. */
__attribute__((constructor)) static void gprofhub_place_profile(void) {
  const int saved_errno = errno;
  place_profile();
  errno = saved_errno;
}
