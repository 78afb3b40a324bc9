/* Sources: the Linux Standard Base ("Exception Frames"), the DWARF standard ("Call Frame
 * Information").
 *
 * .eh_frame_hdr has a table of all functions, by address. From there an FDE is found, which is a
 * program: executed up to an instruction it says what holds there. Only what code from C and C++
 * has is understood: the frame's end is a register plus an offset. What the loader and signal
 * handlers have beyond that ends the walk.
 *
 * An object may be unloaded meanwhile, so nothing is read directly. */
#include "runtime/waiting/unwind_rules.h"

#include <elf.h>

#include "runtime/processor/processor.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/peek.h"

/* Bytes that are read one after the other. */
struct cursor {
  uint64_t at, end;
  uint64_t held_at, held; /* what `bytes` has */
  int bad;                /* the end was passed, or memory is gone */
  unsigned char bytes[64];
};

static struct cursor cursor_at(uint64_t begin, uint64_t end) {
  struct cursor cursor;
  cursor.at = begin;
  cursor.end = end;
  cursor.held_at = cursor.held = 0;
  cursor.bad = end < begin;
  return cursor;
}

static uint8_t take(struct cursor* cursor) {
  if (cursor->bad || cursor->at >= cursor->end) {
    cursor->bad = 1;
    return 0;
  }
  if (cursor->at - cursor->held_at >= cursor->held) {
    const uint64_t left = cursor->end - cursor->at;
    cursor->held_at = cursor->at;
    cursor->held = left < sizeof cursor->bytes ? left : sizeof cursor->bytes;
    if (!gh_peek(cursor->at, cursor->bytes, cursor->held)) {
      cursor->bad = 1;
      return 0;
    }
  }
  return cursor->bytes[cursor->at++ - cursor->held_at];
}

static uint64_t take_fixed(struct cursor* cursor, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= (uint64_t)take(cursor) << 8 * i;
  return value;
}

static uint64_t take_unsigned(struct cursor* cursor) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const uint8_t byte = take(cursor);
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
}

static int64_t take_signed(struct cursor* cursor) {
  uint64_t value = 0;
  for (unsigned shift = 0;;) {
    const uint8_t byte = take(cursor);
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
    if (byte & 0x80) continue;
    if (byte & 0x40 && shift < 64) value |= ~(uint64_t)0 << shift;
    return (int64_t)value;
  }
}

/* Of an encoded pointer (DW_EH_PE_…); 0: of no fixed size. */
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

/* The FDE of the last function that begins at or before pc, and where that is; 0: none. */
static uint64_t find_description(uint64_t pc, uint64_t* begin) {
  /* What all linkers write: a version, how three things are encoded, and two of them. */
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

/* What the CIE says for all its FDEs. */
struct common {
  uint64_t code_alignment;
  int64_t data_alignment;
  uint8_t pointers; /* how they are encoded */
  int has_sizes;    /* augmentation data of FDEs begin with their length */
  struct cursor program;
};

/* A cursor over an entry's content; `at` is its first byte, its length. */
static struct cursor entry_at(uint64_t at) {
  uint32_t length;
  if (!gh_peek(at, &length, sizeof length) || length == 0 || length == UINT32_MAX) {
    return cursor_at(1, 0);
  }
  return cursor_at(at + sizeof length, at + sizeof length + length);
}

static int read_common(uint64_t at, struct common* common) {
  struct cursor* const in = &common->program;
  *in = entry_at(at);
  char letters[8];
  uint32_t count = 0;
  take_fixed(in, 4); /* 0: a CIE */
  const uint8_t version = take(in);
  if (version != 1 && version != 3) return 0;
  do {
    letters[count] = (char)take(in);
  } while (letters[count] && ++count < sizeof letters);
  common->code_alignment = take_unsigned(in);
  common->data_alignment = take_signed(in);
  const uint64_t return_register = version == 1 ? take(in) : take_unsigned(in);
  common->pointers = 0;
  common->has_sizes = letters[0] == 'z';
  if (count == sizeof letters || return_register != GH_CFI_RETURN) return 0;
  if (!common->has_sizes) return letters[0] == 0 && !in->bad;
  const uint64_t bytes = take_unsigned(in);
  const uint64_t program = in->at + bytes;
  for (uint32_t i = 1; i < count; ++i) {
    uint8_t encoding;
    switch (letters[i]) {
      case 'R':
        common->pointers = take(in);
        break;
      case 'L':
        take(in);
        break;
      case 'P':
        encoding = take(in);
        if (bytes_of(encoding) == 0) return 0;
        take_fixed(in, bytes_of(encoding));
        break;
      default: /* 'S': what is below is no call */
        return 0;
    }
  }
  in->at = program;
  return !in->bad;
}

/* What holds at an instruction. */
struct row {
  uint64_t base;
  int64_t offset;
  enum gh_frame_pointer frame_pointer;
  int64_t frame_pointer_at;
  int has_return;
  int64_t return_at;
};

enum { REMEMBERED = 4 };

struct machine {
  const struct common* common;
  struct row row, initial, remembered[REMEMBERED];
  uint32_t depth;
};

static void set_register(struct machine* machine, uint64_t number, enum gh_frame_pointer what,
                         int64_t at) {
  if (number == GH_CFI_FRAME) {
    machine->row.frame_pointer = what;
    machine->row.frame_pointer_at = at;
  } else if (number == GH_CFI_RETURN) {
    machine->row.has_return = what == GH_FRAME_SAVED;
    machine->row.return_at = at;
  }
}

static void restore_register(struct machine* machine, uint64_t number) {
  if (number == GH_CFI_FRAME) {
    machine->row.frame_pointer = machine->initial.frame_pointer;
    machine->row.frame_pointer_at = machine->initial.frame_pointer_at;
  } else if (number == GH_CFI_RETURN) {
    machine->row.has_return = machine->initial.has_return;
    machine->row.return_at = machine->initial.return_at;
  }
}

/* One instruction with its operands in bytes of their own; 0: it is not understood. */
static int execute(struct machine* machine, uint8_t operation, struct cursor* in) {
  const int64_t factor = machine->common->data_alignment;
  struct row* const row = &machine->row;
  uint64_t number;
  switch (operation) {
    case 0x00: /* nop */
      return 1;
    case 0x05: /* offset_extended */
      number = take_unsigned(in);
      set_register(machine, number, GH_FRAME_SAVED, (int64_t)take_unsigned(in) * factor);
      return 1;
    case 0x11: /* offset_extended_sf */
      number = take_unsigned(in);
      set_register(machine, number, GH_FRAME_SAVED, take_signed(in) * factor);
      return 1;
    case 0x06: /* restore_extended */
      restore_register(machine, take_unsigned(in));
      return 1;
    case 0x07: /* undefined */
      set_register(machine, take_unsigned(in), GH_FRAME_LOST, 0);
      return 1;
    case 0x08: /* same_value */
      set_register(machine, take_unsigned(in), GH_FRAME_KEPT, 0);
      return 1;
    case 0x09: /* register */
      set_register(machine, take_unsigned(in), GH_FRAME_LOST, 0);
      take_unsigned(in);
      return 1;
    case 0x0a: /* remember_state */
      if (machine->depth == REMEMBERED) return 0;
      machine->remembered[machine->depth++] = *row;
      return 1;
    case 0x0b: /* restore_state */
      if (machine->depth == 0) return 0;
      *row = machine->remembered[--machine->depth];
      return 1;
    case 0x0c: /* def_cfa */
      row->base = take_unsigned(in);
      row->offset = (int64_t)take_unsigned(in);
      return 1;
    case 0x0d: /* def_cfa_register */
      row->base = take_unsigned(in);
      return 1;
    case 0x0e: /* def_cfa_offset */
      row->offset = (int64_t)take_unsigned(in);
      return 1;
    case 0x2e: /* GNU_args_size */
      take_unsigned(in);
      return 1;
    case 0x10: /* expression */
    case 0x16: /* val_expression */
      set_register(machine, take_unsigned(in), GH_FRAME_LOST, 0);
      number = take_unsigned(in);
      in->at += number;
      return 1;
    case 0x0f: /* def_cfa_expression: until it is defined anew */
      number = take_unsigned(in);
      in->at += number;
      row->base = UINT64_MAX;
      return 1;
    default:
      return 0;
  }
}

/* Up to the instruction at pc; the first is at `location`. */
static int run(struct machine* machine, struct cursor* in, uint64_t location, uint64_t pc) {
  enum { KIND = 0xc0, OPERAND = 0x3f, ADVANCE = 0x40, OFFSET = 0x80, RESTORE = 0xc0 };
  while (in->at < in->end && !in->bad) {
    const uint8_t byte = take(in);
    const uint8_t operand = byte & OPERAND;
    uint64_t advance = 0;
    if ((byte & KIND) == ADVANCE) {
      advance = operand;
    } else if ((byte & KIND) == OFFSET) {
      set_register(machine, operand, GH_FRAME_SAVED,
                   (int64_t)take_unsigned(in) * machine->common->data_alignment);
    } else if ((byte & KIND) == RESTORE) {
      restore_register(machine, operand);
    } else if (byte >= 0x02 && byte <= 0x04) { /* advance_loc1, 2, 4 */
      advance = take_fixed(in, 1 << (byte - 2));
    } else if (!execute(machine, byte, in)) {
      return 0;
    }
    location += advance * machine->common->code_alignment;
    if (location > pc) break;
  }
  return !in->bad;
}

int gh_find_unwind_rule(uint64_t pc, struct gh_unwind_rule* rule) {
  uint64_t begin;
  const uint64_t description = find_description(pc, &begin);
  if (!description) return 0;
  struct cursor in = entry_at(description);
  const uint64_t own = in.at;
  const uint64_t common_at = own - take_fixed(&in, 4);
  struct common common;
  if (in.bad || !read_common(common_at, &common)) return 0;
  const int bytes = bytes_of(common.pointers);
  if (bytes == 0) return 0;
  take_fixed(&in, bytes);
  const uint64_t length = take_fixed(&in, bytes);
  if (in.bad || pc - begin >= length) return 0;
  if (common.has_sizes) {
    const uint64_t augmentation = take_unsigned(&in);
    in.at += augmentation;
  }
  struct machine machine;
  gh_clear(&machine, sizeof machine);
  machine.common = &common;
  if (!run(&machine, &common.program, begin, UINT64_MAX)) return 0;
  machine.initial = machine.row;
  if (!run(&machine, &in, begin, pc)) return 0;
  const struct row* const row = &machine.row;
  if ((row->base != GH_CFI_STACK && row->base != GH_CFI_FRAME) || !row->has_return) return 0;
  rule->begin = begin;
  rule->end = begin + length;
  rule->from_frame = row->base == GH_CFI_FRAME;
  rule->offset = row->offset;
  rule->frame_pointer = row->frame_pointer;
  rule->frame_pointer_at = row->frame_pointer_at;
  rule->return_at = row->return_at;
  return 1;
}
