#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct Posting {
  int document = 0;
  int weight = 0;
};

// Words and their postings, in chains of buckets.
class Table {
 public:
  Table();
  std::vector<Posting>& Of(std::string_view word);
  const std::vector<Posting>* Find(std::string_view word) const;
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string word;
    uint32_t hash = 0;
    int next = -1;
    std::vector<Posting> postings;
  };
  int Search(std::string_view word, uint32_t hash) const;
  void Grow();
  std::vector<int> buckets_;
  std::vector<Entry> entries_;
};

uint32_t HashOf(std::string_view word);
