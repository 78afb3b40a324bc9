#pragma once

#include <cstdint>
#include <vector>

struct Place {
  int x = 0;
  int y = 0;
};

class Grid {
 public:
  explicit Grid(int width) : width_(width), cells_(width * width, 0) {}
  bool IsFree(Place place) const;
  int Crowd(Place place, int sight) const;
  void Move(Place from, Place to);
  void Enter(Place place) { ++cells_[IndexOf(place)]; }
  int IndexOf(Place place) const { return place.y * width_ + place.x; }

 private:
  bool IsWall(Place place) const { return (place.x * 7 + place.y * 3) % 11 == 0; }
  int width_;
  std::vector<int> cells_;
};

int64_t Distance(Place a, Place b);
