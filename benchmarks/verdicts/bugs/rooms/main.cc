// A simulation: guests move between rooms by a queue of events, in a grid with walls. The argument
// is the number of thousands of events.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <queue>
#include <utility>

#include "guest.h"

namespace {

constexpr int kWidth = 48;
constexpr int kSight = 3;
constexpr int kHistory = 64;
constexpr int kAttempts = 3;

struct Event {
  int64_t time = 0;
  int guest = 0;
  bool operator>(const Event& other) const {
    return time != other.time ? time > other.time : guest > other.guest;
  }
};

class World {
 public:
  explicit World(int guests);
  void Step();
  uint64_t Sum() const;

 private:
  Place Choose(Guest& guest) const;
  const Guest& Nearest(const Guest& guest) const;
  bool TryMove(Guest& guest, Place to);
  Grid grid_;
  std::vector<Guest> guests_;
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> events_;
  int64_t meetings_ = 0;
};

World::World(int guests) : grid_(kWidth) {
  for (int i = 0; i < guests; ++i) {
    Guest guest{i,
                {i * 5 % kWidth, i * 3 % kWidth},
                977u * i + 1,
                MoodOf(i),
                {},
                "the guest with number " + std::to_string(i)};
    grid_.Enter(guest.place);
    guests_.push_back(std::move(guest));
    events_.push({i, i});
  }
}

Place World::Choose(Guest& guest) const { return guest.mood->Next(guest.place, Draw(guest)); }

const Guest& World::Nearest(const Guest& guest) const {
  const Guest* nearest = &guests_[(guest.id + 1) % guests_.size()];
  int64_t least = Distance(guest.place, nearest->place);
  for (size_t i = 2; i < 6; ++i) {
    const Guest& other = guests_[(guest.id + i) % guests_.size()];
    const int64_t distance = Distance(guest.place, other.place);
    if (distance < least) {
      nearest = &other;
      least = distance;
    }
  }
  return *nearest;
}

bool World::TryMove(Guest& guest, Place to) {
  if (!grid_.IsFree(to)) return false;
  grid_.Move(guest.place, to);
  guest.place = to;
  Remember(guest, grid_.IndexOf(to), kHistory);
  return true;
}

void World::Step() {
  const Event event = events_.top();
  events_.pop();
  Guest& guest = guests_[event.guest];
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Place to = Choose(guest);
    if (WasThere(guest, grid_.IndexOf(to))) continue;
    if (TryMove(guest, to)) break;
  }
  if (grid_.Crowd(guest.place, kSight) < 3)
    meetings_ += Distance(guest.place, Nearest(guest).place) < 4;
  events_.push({event.time + 20 + Draw(guest) % 30, event.guest});
}

uint64_t World::Sum() const {
  uint64_t sum = static_cast<uint64_t>(meetings_);
  for (const Guest& guest : guests_) sum = sum * 31 + guest.place.x + guest.place.y * 100;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = 1000 * (argc > 1 ? std::atoi(argv[1]) : 400);
  World world(200);
  for (int i = 0; i < steps; ++i) world.Step();
  std::printf("%llu\n", static_cast<unsigned long long>(world.Sum()));
  return 0;
}
