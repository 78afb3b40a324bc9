#include "grid.h"

#include <cstdlib>

bool Grid::IsFree(Place place) const {
  if (place.x < 0 || place.y < 0 || place.x >= width_ || place.y >= width_) return false;
  return cells_[IndexOf(place)] < 3 && !IsWall(place);
}

int Grid::Crowd(Place place, int sight) const {
  int crowd = 0;
  for (int i = 1; i <= sight; ++i) {
    crowd += !IsFree({place.x + i, place.y}) + !IsFree({place.x - i, place.y});
  }
  return crowd;
}

void Grid::Move(Place from, Place to) {
  --cells_[IndexOf(from)];
  ++cells_[IndexOf(to)];
}

int64_t Distance(Place a, Place b) { return std::abs(a.x - b.x) + std::abs(a.y - b.y); }
