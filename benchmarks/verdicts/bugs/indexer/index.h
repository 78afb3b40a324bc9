#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "table.h"

class Index {
 public:
  void Add(int document, std::string_view text);
  std::vector<Posting> Query(std::string_view text) const;
  int dates() const { return dates_; }

 private:
  Table table_;
  int dates_ = 0;
};

std::string Page(const std::vector<Posting>& results, const std::vector<std::string>& documents);
