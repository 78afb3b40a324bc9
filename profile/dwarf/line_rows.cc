// A line program runs on a small virtual machine whose registers are an address, a file and a line.
// Its instructions change them and append rows.
//
// A program is run twice: first to check it, then for its rows.

#include "profile/dwarf/line_rows.h"

#include <dwarf.h>

#include <algorithm>

#include "profile/dwarf/cursor.h"

namespace gprofhub::profile {
namespace {

class LineMachine {
 public:
  LineMachine(LineTable& table, bool keeps_names, VisitRow visit)
      : table_(table), keeps_names_(keeps_names), visit_(visit) {}

  // Null, or the error.
  const char* Run() {
    DwarfCursor program(table_.program, table_.big_endian);
    while (!program.rest().empty()) {
      const auto opcode = static_cast<uint8_t>(program.Number(1));
      if (opcode >= table_.first_special) {
        RunSpecial(opcode);
      } else if (opcode == 0) {
        RunExtended(program);
      } else {
        RunStandard(opcode, program);
      }
      if (!program.ok()) return "its program ends in an instruction";
    }
    return nullptr;
  }

 private:
  void Advance(uint64_t operations) {
    const uint64_t sum = operation_ + operations;
    row_.address += table_.instruction_bytes * (sum / table_.most_operations);
    operation_ = sum % table_.most_operations;
  }

  void AppendRow() { visit_(table_, row_); }

  void RunSpecial(uint8_t opcode) {
    const int beyond = opcode - table_.first_special;
    Advance(static_cast<uint64_t>(beyond / table_.line_range));
    row_.line += static_cast<uint32_t>(table_.line_base + beyond % table_.line_range);
    AppendRow();
  }

  void RunStandard(uint8_t opcode, DwarfCursor& program) {
    switch (opcode) {
      case DW_LNS_copy:
        AppendRow();
        return;
      case DW_LNS_advance_pc:
        Advance(program.Unsigned());
        return;
      case DW_LNS_advance_line:
        row_.line += static_cast<uint32_t>(program.Signed());
        return;
      case DW_LNS_set_file:
        row_.file = program.Unsigned();
        return;
      case DW_LNS_const_add_pc:
        Advance(static_cast<uint64_t>((255 - table_.first_special) / table_.line_range));
        return;
      case DW_LNS_fixed_advance_pc:
        row_.address += program.Number(2);
        operation_ = 0;
        return;
      default:
        for (int i = table_.standard_operands[opcode - 1]; i > 0; --i) program.Unsigned();
    }
  }

  void RunExtended(DwarfCursor& program) {
    DwarfCursor instruction(program.Bytes(program.Unsigned()), table_.big_endian);
    switch (instruction.Number(1)) {
      case DW_LNE_end_sequence:
        row_.ends_sequence = true;
        AppendRow();
        row_ = kStart;
        operation_ = 0;
        return;
      case DW_LNE_set_address:
        row_.address = instruction.Number(std::min<size_t>(8, instruction.rest().size()));
        operation_ = 0;
        return;
      case DW_LNE_define_file:
        if (keeps_names_) {
          const absl::string_view name = instruction.String();
          table_.files.push_back({name, instruction.Unsigned()});
        }
        return;
      default:  // only its length is needed
        return;
    }
  }

  static constexpr LineTableRow kStart{0, 1, 1, false};

  LineTable& table_;
  const bool keeps_names_;
  VisitRow visit_;
  LineTableRow row_ = kStart;
  uint64_t operation_ = 0;  // within an instruction
};

absl::Status RunPrograms(const ElfFile& file, bool keeps_names, VisitRow visit) {
  return ReadLineTables(file, keeps_names, [&](LineTable& table) {
    return LineMachine(table, keeps_names, visit).Run();
  });
}

}  // namespace

absl::Status ForEachLineRow(const ElfFile& file, VisitRow visit) {
  return RunPrograms(file, true, visit);
}

absl::Status CheckLineTables(const ElfFile& file) {
  return RunPrograms(file, false, [](const LineTable&, const LineTableRow&) {});
}

}  // namespace gprofhub::profile
