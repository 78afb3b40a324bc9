// The sections of an assembly file: the properties that matter for control flow and counters.
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
  bool debug = false;       // references in it are ignored
  bool exceptions = false;  // a table of landing pads
  bool cold = false;
  int last_block = -1;
  uint32_t file = 0, line = 0;
};

// Tracks the current section.
class Sections {
 public:
  Sections() { Switch(Named(".text", {})); }

  // True if the directive changed the section.
  bool Follow(const Statement& statement);

  Section& current() { return all_[current_]; }
  int index() const { return current_; }
  const std::vector<Section>& all() const { return all_; }

 private:
  void Switch(int to) {
    previous_ = current_;
    current_ = to;
  }

  // NAME,"FLAGS",@TYPE[,ENTRY SIZE],GROUP,comdat. Without flags: those of the earlier directive.
  int Named(std::string_view name, const std::vector<std::string_view>& parts);

  std::vector<Section> all_;
  std::map<std::pair<std::string, std::string>, int> known_;
  std::unordered_map<std::string_view, int> latest_;  // by name, in any group
  std::vector<int> stack_;
  int current_ = 0, previous_ = 0;
};

// The directive that begins a section; `group` is empty if it is in none. Sections with one name in
// different groups are different sections.
std::string SectionDirective(std::string_view name, std::string_view flags, std::string_view type,
                             const std::string& group);

// Makes linkers keep the named section as long as they keep the section with this reference. No
// byte of the code changes.
std::string KeepDirective(const std::string& label);

}  // namespace gprofhub
