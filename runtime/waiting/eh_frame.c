/* Source: the Linux Standard Base ("Exception Frames").
 *
 * .eh_frame_hdr has a table of all functions, by address, which points to their FDEs. An object
 * may be unloaded meanwhile, so all reads go through gh_peek. */
#include "runtime/waiting/eh_frame.h"

#include <elf.h>

#include "runtime/processor/machine.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/peek.h"

/* Size of an encoded pointer (DW_EH_PE_…); 0: not fixed. */
static int bytes_of(uint8_t encoding) {
  switch (encoding & 0x0f) {
    case 0x00: /* absptr */
    case 0x04: /* udata8 */
    case 0x0c: /* sdata8 */
      return 8;
    case 0x03: /* udata4 */
    case 0x0b: /* sdata4 */
      return 4;
    case 0x02:
    case 0x0a:
      return 2;
    default:
      return 0;
  }
}

int gh_program_has_frames(void) {
  const uint64_t segments = gh_auxiliary(AT_PHDR), count = gh_auxiliary(AT_PHNUM);
  for (uint64_t i = 0; segments && i < count; ++i) {
    Elf64_Phdr segment;
    if (!gh_peek(segments + i * sizeof segment, &segment, sizeof segment)) return 1;
    if (segment.p_type == PT_GNU_EH_FRAME) return 1;
  }
  return segments == 0; /* not reported */
}

/* The header of the object at pc; 0: none. */
static uint64_t find_header(uint64_t pc) {
  const struct gprofhub_module* const module = gh_module_find(pc);
  Elf64_Ehdr header;
  if (!module || !gh_peek(module->low, &header, sizeof header) || header.e_ident[0] != 0x7f ||
      header.e_ident[1] != 'E' || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return 0;
  }
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const uint64_t at = module->low + header.e_phoff + i * sizeof segment;
    if (!gh_peek(at, &segment, sizeof segment)) return 0;
    if (segment.p_type == PT_GNU_EH_FRAME) return module->bias + segment.p_vaddr;
  }
  return 0;
}

/* The FDE of the last function that begins at or before pc, and its address; 0: none. */
static uint64_t find_description(uint64_t pc, uint64_t* begin) {
  /* The header that all linkers write: a version, three encodings, and two of the values. */
  struct {
    uint8_t version, frames, count_encoding, table;
    int32_t eh_frame;
    uint32_t count;
  } head;
  struct {
    int32_t begin, description;
  } entry;
  enum { SELF_RELATIVE = 0x1b, UNSIGNED = 0x03, TABLE_RELATIVE = 0x3b };
  const uint64_t header = find_header(pc);
  if (!header || !gh_peek(header, &head, sizeof head) || head.version != 1 ||
      head.frames != SELF_RELATIVE || head.count_encoding != UNSIGNED ||
      head.table != TABLE_RELATIVE) {
    return 0;
  }
  uint32_t low = 0, high = head.count; /* all before low begin at or before pc */
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (!gh_peek(header + sizeof head + middle * sizeof entry, &entry, sizeof entry)) return 0;
    if (header + (uint64_t)(int64_t)entry.begin <= pc) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0 || !gh_peek(header + sizeof head + (low - 1) * sizeof entry, &entry, sizeof entry)) {
    return 0;
  }
  *begin = header + (uint64_t)(int64_t)entry.begin;
  return header + (uint64_t)(int64_t)entry.description;
}

/* A cursor over an entry's content, from its first byte; `at` is the address of its length. */
static struct gh_cursor entry_at(uint64_t at) {
  uint32_t length;
  if (!gh_peek(at, &length, sizeof length) || length == 0 || length == UINT32_MAX) {
    return gh_cursor_at(1, 0);
  }
  return gh_cursor_at(at + sizeof length, at + sizeof length + length);
}

/* The CIE's properties of all its FDEs. *pointers: pointer encoding. *has_sizes: augmentation
 * data begin with their length. */
static int read_common(uint64_t at, struct gh_frame_description* out, uint8_t* pointers,
                       int* has_sizes) {
  struct gh_cursor* const in = &out->common_program;
  *in = entry_at(at);
  char letters[8];
  uint32_t count = 0;
  gh_take_fixed(in, 4); /* 0: a CIE */
  const uint8_t version = gh_take(in);
  if (version != 1 && version != 3) return 0;
  do {
    letters[count] = (char)gh_take(in);
  } while (letters[count] && ++count < sizeof letters);
  out->code_alignment = gh_take_unsigned(in);
  out->data_alignment = gh_take_signed(in);
  const uint64_t return_register = version == 1 ? gh_take(in) : gh_take_unsigned(in);
  *pointers = 0;
  *has_sizes = letters[0] == 'z';
  if (count == sizeof letters || return_register != GH_CFI_RETURN) return 0;
  if (!*has_sizes) return letters[0] == 0 && !in->bad;
  const uint64_t bytes = gh_take_unsigned(in);
  const uint64_t program = in->at + bytes;
  for (uint32_t i = 1; i < count; ++i) {
    uint8_t encoding;
    switch (letters[i]) {
      case 'R':
        *pointers = gh_take(in);
        break;
      case 'L':
        gh_take(in);
        break;
      case 'P':
        encoding = gh_take(in);
        if (bytes_of(encoding) == 0) return 0;
        gh_take_fixed(in, bytes_of(encoding));
        break;
      case 'B': /* the second of two keys that sign return addresses */
        break;
      default: /* 'S': the frame below is not a call */
        return 0;
    }
  }
  in->at = program;
  return !in->bad;
}

int gh_find_frame_description(uint64_t pc, struct gh_frame_description* description) {
  const uint64_t at = find_description(pc, &description->begin);
  if (!at) return 0;
  struct gh_cursor* const in = &description->program;
  *in = entry_at(at);
  const uint64_t own = in->at;
  const uint64_t common_at = own - gh_take_fixed(in, 4);
  uint8_t pointers;
  int has_sizes;
  if (in->bad || !read_common(common_at, description, &pointers, &has_sizes)) return 0;
  const int bytes = bytes_of(pointers);
  if (bytes == 0) return 0;
  gh_take_fixed(in, bytes); /* its start, which is known */
  const uint64_t length = gh_take_fixed(in, bytes);
  if (in->bad || pc - description->begin >= length) return 0;
  if (has_sizes) {
    const uint64_t augmentation = gh_take_unsigned(in);
    in->at += augmentation;
  }
  description->end = description->begin + length;
  return 1;
}
