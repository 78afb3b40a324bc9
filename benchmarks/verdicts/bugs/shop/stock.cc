#include "stock.h"

#include <utility>

std::string NameOf(int id) { return "item number " + std::to_string(id * 7919 % 10007); }

Stock::Stock(int items) {
  for (int i = 0; i < items; ++i) {
    Item item{i, NameOf(i), {}};
    for (int part = 2; part < 5; ++part) {
      if (i / part > 0) item.parts.push_back(i / part);
    }
    by_name_[item.name] = i;
    items_.push_back(std::move(item));
  }
}

const Item* Stock::Find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &items_[found->second];
}
