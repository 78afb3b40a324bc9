#include <elf.h>

#include "runtime/processor/machine.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/peek.h"

enum { MAX_SEGMENTS = 64, MAX_NOTE_BYTES = 2048 };

static void find_build_id(struct gprofhub_module* module, uint64_t address, uint64_t bytes) {
  static unsigned char notes[MAX_NOTE_BYTES];
  if (bytes > sizeof notes) bytes = sizeof notes;
  if (!gh_peek(address, notes, bytes)) return;
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

int gh_describe_elf(struct gprofhub_module* module, uint64_t low, uint64_t code_low,
                    uint64_t code_high) {
  static Elf64_Phdr segments[MAX_SEGMENTS];
  Elf64_Ehdr header;
  if (!gh_peek(low, &header, sizeof header) || header.e_ident[0] != 0x7f ||
      header.e_ident[1] != 'E' || header.e_ident[2] != 'L' || header.e_ident[3] != 'F' ||
      header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > MAX_SEGMENTS ||
      !gh_peek(low + header.e_phoff, segments, header.e_phnum * sizeof(Elf64_Phdr))) {
    return 0;
  }
  uint64_t first = UINT64_MAX, last = 0, text_low = UINT64_MAX, text_high = 0;
  for (int i = 0; i < header.e_phnum; ++i) {
    const Elf64_Phdr* segment = &segments[i];
    if (segment->p_type != PT_LOAD) continue;
    const uint64_t end = segment->p_vaddr + segment->p_memsz;
    if (segment->p_vaddr < first) first = segment->p_vaddr;
    if (end > last) last = end;
    if (!(segment->p_flags & PF_X)) continue;
    if (segment->p_vaddr < text_low) text_low = segment->p_vaddr;
    if (end > text_high) text_high = end;
  }
  if (first >= last || text_low >= text_high) return 0;
  const uint64_t bias = low - (first & ~(gh_page_bytes() - 1));
  if (bias + text_low < code_low || bias + text_low >= code_high) return 0;
  module->low = low;
  module->high = gh_whole_pages(bias + last);
  module->bias = bias;
  module->text_low = text_low;
  module->text_high = text_high;
  for (int i = 0; i < header.e_phnum && module->build_id_bytes == 0; ++i) {
    if (segments[i].p_type == PT_NOTE) {
      find_build_id(module, bias + segments[i].p_vaddr, segments[i].p_memsz);
    }
  }
  return 1;
}
