/* Source: the DWARF standard ("Call Frame Information").
 *
 * A description is a program: executed up to an instruction it gives the rules at that
 * instruction. Only the rules of C and C++ code are supported: the frame's end is a register
 * plus an offset. Other rules, as in the loader and signal handlers, end the walk. */
#include "runtime/waiting/unwind_rules.h"

#include "runtime/processor/processor.h"
#include "runtime/waiting/eh_frame.h"

/* Rules at an instruction. */
struct row {
  uint64_t base;
  int64_t offset;
  enum gh_frame_pointer frame_pointer;
  int64_t frame_pointer_at;
  enum { IN_REGISTER, ON_STACK, NOWHERE } returns; /* where the return address is */
  int64_t return_at;
};

enum { REMEMBERED = 4 };

struct machine {
  const struct gh_frame_description* code;
  struct row row, initial, remembered[REMEMBERED];
  uint32_t depth;
};

static void set_register(struct machine* machine, uint64_t number, enum gh_frame_pointer what,
                         int64_t at) {
  if (number == GH_CFI_FRAME) {
    machine->row.frame_pointer = what;
    machine->row.frame_pointer_at = at;
  } else if (number == GH_CFI_RETURN) {
    machine->row.returns = what == GH_FRAME_SAVED  ? ON_STACK
                           : what == GH_FRAME_KEPT ? IN_REGISTER
                                                   : NOWHERE;
    machine->row.return_at = at;
  }
}

static void restore_register(struct machine* machine, uint64_t number) {
  if (number == GH_CFI_FRAME) {
    machine->row.frame_pointer = machine->initial.frame_pointer;
    machine->row.frame_pointer_at = machine->initial.frame_pointer_at;
  } else if (number == GH_CFI_RETURN) {
    machine->row.returns = machine->initial.returns;
    machine->row.return_at = machine->initial.return_at;
  }
}

/* One instruction with its operands in separate bytes; 0: not supported. */
static int execute(struct machine* machine, uint8_t operation, struct gh_cursor* in) {
  const int64_t factor = machine->code->data_alignment;
  struct row* const row = &machine->row;
  uint64_t number;
  switch (operation) {
    case 0x00: /* nop */
      return 1;
    case 0x05: /* offset_extended */
      number = gh_take_unsigned(in);
      set_register(machine, number, GH_FRAME_SAVED, (int64_t)gh_take_unsigned(in) * factor);
      return 1;
    case 0x11: /* offset_extended_sf */
      number = gh_take_unsigned(in);
      set_register(machine, number, GH_FRAME_SAVED, gh_take_signed(in) * factor);
      return 1;
    case 0x06: /* restore_extended */
      restore_register(machine, gh_take_unsigned(in));
      return 1;
    case 0x07: /* undefined */
      set_register(machine, gh_take_unsigned(in), GH_FRAME_LOST, 0);
      return 1;
    case 0x08: /* same_value */
      set_register(machine, gh_take_unsigned(in), GH_FRAME_KEPT, 0);
      return 1;
    case 0x09: /* register */
      set_register(machine, gh_take_unsigned(in), GH_FRAME_LOST, 0);
      gh_take_unsigned(in);
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
      row->base = gh_take_unsigned(in);
      row->offset = (int64_t)gh_take_unsigned(in);
      return 1;
    case 0x0d: /* def_cfa_register */
      row->base = gh_take_unsigned(in);
      return 1;
    case 0x0e: /* def_cfa_offset */
      row->offset = (int64_t)gh_take_unsigned(in);
      return 1;
    case 0x2d: /* AARCH64_negate_ra_state: the address is signed; the signature is stripped when
                  reading */
      return 1;
    case 0x2e: /* GNU_args_size */
      gh_take_unsigned(in);
      return 1;
    case 0x10: /* expression */
    case 0x16: /* val_expression */
      set_register(machine, gh_take_unsigned(in), GH_FRAME_LOST, 0);
      number = gh_take_unsigned(in);
      in->at += number;
      return 1;
    case 0x0f: /* def_cfa_expression: void until the next definition */
      number = gh_take_unsigned(in);
      in->at += number;
      row->base = UINT64_MAX;
      return 1;
    default:
      return 0;
  }
}

/* Up to the instruction at pc; the first is at `location`. */
static int run(struct machine* machine, struct gh_cursor* in, uint64_t location, uint64_t pc) {
  enum { KIND = 0xc0, OPERAND = 0x3f, ADVANCE = 0x40, OFFSET = 0x80, RESTORE = 0xc0 };
  while (in->at < in->end && !in->bad) {
    const uint8_t byte = gh_take(in);
    const uint8_t operand = byte & OPERAND;
    uint64_t advance = 0;
    if ((byte & KIND) == ADVANCE) {
      advance = operand;
    } else if ((byte & KIND) == OFFSET) {
      set_register(machine, operand, GH_FRAME_SAVED,
                   (int64_t)gh_take_unsigned(in) * machine->code->data_alignment);
    } else if ((byte & KIND) == RESTORE) {
      restore_register(machine, operand);
    } else if (byte >= 0x02 && byte <= 0x04) { /* advance_loc1, 2, 4 */
      advance = gh_take_fixed(in, 1 << (byte - 2));
    } else if (!execute(machine, byte, in)) {
      return 0;
    }
    location += advance * machine->code->code_alignment;
    if (location > pc) break;
  }
  return !in->bad;
}

int gh_find_unwind_rule(uint64_t pc, struct gh_unwind_rule* rule) {
  struct gh_frame_description code;
  if (!gh_find_frame_description(pc, &code)) return 0;
  struct machine machine;
  gh_clear(&machine, sizeof machine);
  machine.code = &code;
  if (!run(&machine, &code.common_program, code.begin, UINT64_MAX)) return 0;
  machine.initial = machine.row;
  if (!run(&machine, &code.program, code.begin, pc)) return 0;
  const struct row* const row = &machine.row;
  if ((row->base != GH_CFI_STACK && row->base != GH_CFI_FRAME) || row->returns == NOWHERE) return 0;
  rule->begin = code.begin;
  rule->end = code.end;
  rule->from_frame = row->base == GH_CFI_FRAME;
  rule->offset = row->offset;
  rule->frame_pointer = row->frame_pointer;
  rule->frame_pointer_at = row->frame_pointer_at;
  rule->in_register = row->returns == IN_REGISTER;
  rule->return_at = row->return_at;
  return 1;
}
