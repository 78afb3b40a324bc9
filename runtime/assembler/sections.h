// The sections of an assembly file, as far as control flow and counters depend on them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/assembler/statements.h"

namespace gprofhub {

struct Section {
  std::string group;
  bool code = false;
  bool debug = false;       // its references do not count
  bool exceptions = false;  // a table of landing pads
  bool cold = false;
  int last_block = -1;
  uint32_t file = 0, line = 0;
};

// Which section is being written to.
class Sections {
 public:
  Sections() { Switch(Named(".text", {})); }

  // True if the directive was one that says so.
  bool Follow(const Statement& statement);

  Section& current() { return all_[current_]; }
  int index() const { return current_; }
  const std::vector<Section>& all() const { return all_; }

 private:
  void Switch(int to) {
    previous_ = current_;
    current_ = to;
  }

  // NAME,"FLAGS",@TYPE[,ENTRY SIZE],GROUP,comdat. Without flags: as before.
  int Named(std::string_view name, const std::vector<std::string_view>& parts);

  std::vector<Section> all_;
  std::map<std::pair<std::string, std::string>, int> known_;
  std::unordered_map<std::string_view, int> latest_;  // of a name, whatever the group
  std::vector<int> stack_;
  int current_ = 0, previous_ = 0;
};

// The directive that begins a section; `group` is empty where it is in none. Sections
// of one name and another group are different sections.
std::string SectionDirective(std::string_view name, std::string_view flags, std::string_view type,
                             const std::string& group);

// Makes linkers keep what is named, in a section, as long as they keep the place where
// this stands. No byte of the code changes.
std::string KeepDirective(const std::string& label);

}  // namespace gprofhub
