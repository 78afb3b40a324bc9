#pragma once

#include <string>
#include <unordered_map>
#include <vector>

struct Item {
  int id = 0;
  std::string name;
  std::vector<int> parts;
};

struct Order {
  int customer = 0;
  std::vector<int> items;
  std::string note;
};

class Stock {
 public:
  explicit Stock(int items);
  const Item* Find(const std::string& name) const;
  const Item& At(int id) const { return items_[id]; }
  int size() const { return static_cast<int>(items_.size()); }

 private:
  std::vector<Item> items_;
  std::unordered_map<std::string, int> by_name_;
};

std::string NameOf(int id);
