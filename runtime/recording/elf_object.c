#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/base/syscalls.h"
#include "runtime/processor/machine.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/peek.h"

enum { MAX_SEGMENTS = 64, MAX_NOTE_BYTES = 2048 };

/* An object in memory, or its file. */
struct source {
  long fd; /* -1: in memory */
  uint64_t low;
};

static int read_from(const struct source* source, uint64_t address, uint64_t offset, void* to,
                     uint64_t bytes) {
  if (source->fd < 0) return gh_peek(address, to, bytes);
  return GH_CALL4(pread64, source->fd, to, bytes, offset) == (long)bytes;
}

static void find_build_id(struct gprofhub_module* module, const struct source* source,
                          const Elf64_Phdr* segment) {
  static unsigned char notes[MAX_NOTE_BYTES];
  uint64_t bytes = segment->p_memsz;
  if (bytes > sizeof notes) bytes = sizeof notes;
  if (!read_from(source, module->bias + segment->p_vaddr, segment->p_offset, notes, bytes)) return;
  uint64_t at = 0;
  while (bytes - at >= sizeof(Elf64_Nhdr)) {
    const Elf64_Nhdr* note = (const Elf64_Nhdr*)(notes + at);
    const uint64_t name = at + sizeof *note;
    const uint64_t content = name + (((uint64_t)note->n_namesz + 3) & ~(uint64_t)3);
    const uint64_t next = content + (((uint64_t)note->n_descsz + 3) & ~(uint64_t)3);
    if (next > bytes) return;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && notes[name] == 'G' &&
        notes[name + 1] == 'N' && notes[name + 2] == 'U') {
      module->build_id_bytes = note->n_descsz < sizeof module->build_id
                                   ? note->n_descsz
                                   : (uint32_t)sizeof module->build_id;
      gh_copy(module->build_id, notes + content, module->build_id_bytes);
      return;
    }
    at = next;
  }
}

static int describe(struct gprofhub_module* module, const struct source* source) {
  static Elf64_Phdr segments[MAX_SEGMENTS];
  Elf64_Ehdr header;
  const uint64_t low = source->low;
  if (!read_from(source, low, 0, &header, sizeof header) || header.e_ident[0] != 0x7f ||
      header.e_ident[1] != 'E' || header.e_ident[2] != 'L' || header.e_ident[3] != 'F' ||
      header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > MAX_SEGMENTS ||
      !read_from(source, low + header.e_phoff, header.e_phoff, segments,
                 header.e_phnum * sizeof(Elf64_Phdr))) {
    return 0;
  }
  uint64_t first = UINT64_MAX, last = 0, text_low = UINT64_MAX, text_high = 0, alignment = 1;
  for (int i = 0; i < header.e_phnum; ++i) {
    const Elf64_Phdr* segment = &segments[i];
    if (segment->p_type != PT_LOAD) continue;
    const uint64_t end = segment->p_vaddr + segment->p_memsz;
    if (segment->p_vaddr < first) first = segment->p_vaddr;
    if (end > last) last = end;
    if (segment->p_align > alignment) alignment = segment->p_align;
    if (!(segment->p_flags & PF_X)) continue;
    if (segment->p_vaddr < text_low) text_low = segment->p_vaddr;
    if (end > text_high) text_high = end;
  }
  if (first >= last || text_low >= text_high) return 0;
  const uint64_t bias = low - (first & ~(gh_page_bytes() - 1));
  module->low = low;
  module->high = gh_whole_pages(bias + last);
  module->bias = bias;
  module->text_low = text_low;
  module->text_high = text_high;
  module->alignment = alignment;
  for (int i = 0; i < header.e_phnum && module->build_id_bytes == 0; ++i) {
    if (segments[i].p_type == PT_NOTE) find_build_id(module, source, &segments[i]);
  }
  return 1;
}

int gh_describe_elf(struct gprofhub_module* module, uint64_t low, uint64_t code_low,
                    uint64_t code_high) {
  const struct source source = {-1, low};
  if (!describe(module, &source)) return 0;
  const uint64_t text = module->bias + module->text_low;
  if (text >= code_low && text < code_high) return 1;
  gh_clear(module, sizeof *module);
  return 0;
}

/* Differs for another file, and for the same file with other contents. */
static uint64_t identify(long fd) {
  static const uint64_t kMix = 0x9e3779b97f4a7c15;
  struct stat file;
  if (GH_FAILED(GH_CALL2(fstat, fd, &file))) return 0;
  const uint64_t parts[] = {file.st_dev,
                            file.st_ino,
                            (uint64_t)file.st_size,
                            (uint64_t)file.st_mtim.tv_sec,
                            (uint64_t)file.st_mtim.tv_nsec,
                            (uint64_t)file.st_ctim.tv_sec,
                            (uint64_t)file.st_ctim.tv_nsec};
  uint64_t identity = 1;
  for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
    identity = (identity ^ parts[i]) * kMix;
    identity ^= identity >> 29;
  }
  return identity;
}

int gh_describe_file(struct gprofhub_module* module, const char* path) {
  const long fd = GH_OPEN(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  if (GH_FAILED(fd)) return 0;
  const struct source source = {fd, 0};
  const int described = describe(module, &source);
  if (described) module->file = identify(fd);
  GH_CALL1(close, fd);
  return described;
}
