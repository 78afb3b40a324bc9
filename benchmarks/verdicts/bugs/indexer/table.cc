#include "table.h"

uint32_t HashOf(std::string_view word) {
  uint32_t hash = 2166136261u;
  for (char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

Table::Table() : buckets_(64, -1) {}

int Table::Search(std::string_view word, uint32_t hash) const {
  for (int at = buckets_[hash % buckets_.size()]; at >= 0; at = entries_[at].next) {
    if (entries_[at].hash == hash && entries_[at].word == word) return at;
  }
  return -1;
}

void Table::Grow() {
  buckets_.assign(buckets_.size() * 2, -1);
  for (size_t i = 0; i < entries_.size(); ++i) {
    int& bucket = buckets_[entries_[i].hash % buckets_.size()];
    entries_[i].next = bucket;
    bucket = static_cast<int>(i);
  }
}

std::vector<Posting>& Table::Of(std::string_view word) {
  const uint32_t hash = HashOf(word);
  const int at = Search(word, hash);
  if (at >= 0) return entries_[at].postings;
  if (entries_.size() >= buckets_.size()) Grow();
  int& bucket = buckets_[hash % buckets_.size()];
  entries_.push_back({std::string(word), hash, bucket, {}});
  bucket = static_cast<int>(entries_.size()) - 1;
  return entries_.back().postings;
}

const std::vector<Posting>* Table::Find(std::string_view word) const {
  const int at = Search(word, HashOf(word));
  return at < 0 ? nullptr : &entries_[at].postings;
}
