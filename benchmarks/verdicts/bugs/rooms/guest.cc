#include "guest.h"

namespace {

constexpr size_t kRecent = 4;

class Wandering : public Mood {
 public:
  Place Next(Place from, uint32_t drawn) const override {
    return {from.x + static_cast<int>(drawn % 3) - 1, from.y + static_cast<int>(drawn / 3 % 3) - 1};
  }
};

class Restless : public Mood {
 public:
  Place Next(Place from, uint32_t drawn) const override {
    return {from.x + static_cast<int>(drawn % 5) - 2, from.y + static_cast<int>(drawn / 5 % 5) - 2};
  }
};

}  // namespace

std::shared_ptr<const Mood> MoodOf(int guest) {
  if (guest % 3 == 0) return std::make_shared<Restless>();
  return std::make_shared<Wandering>();
}

uint32_t Draw(Guest& guest) {
  guest.state ^= guest.state << 13;
  guest.state ^= guest.state >> 17;
  guest.state ^= guest.state << 5;
  return guest.state;
}

void Remember(Guest& guest, int where, int limit) {
  guest.history.push_back(where);
  if (static_cast<int>(guest.history.size()) > 2 * limit) {
    guest.history.erase(guest.history.begin(), guest.history.begin() + limit);
  }
}

bool WasThere(const Guest& guest, int where) {
  const size_t last = guest.history.size();
  for (size_t i = last < kRecent ? 0 : last - kRecent; i < last; ++i) {
    if (guest.history[i] == where) return true;
  }
  return false;
}
