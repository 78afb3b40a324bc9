#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "grid.h"

// Where a guest wants to go next.
class Mood {
 public:
  virtual ~Mood() = default;
  virtual Place Next(Place from, uint32_t drawn) const = 0;
};

struct Guest {
  int id = 0;
  Place place;
  uint32_t state = 0;
  std::shared_ptr<const Mood> mood;
  std::vector<int> history;
  std::string name;
};

std::shared_ptr<const Mood> MoodOf(int guest);
uint32_t Draw(Guest& guest);
void Remember(Guest& guest, int where, int limit);
bool WasThere(const Guest& guest, int where);
