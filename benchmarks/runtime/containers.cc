// A C++ program as tests are: containers, strings, virtual calls, small
// functions. Prints its best CPU time in milliseconds.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct Shape {
  virtual ~Shape() = default;
  virtual double Area() const = 0;
};
struct Square : Shape {
  explicit Square(double side) : side(side) {}
  double Area() const override { return side * side; }
  double side;
};
struct Circle : Shape {
  explicit Circle(double radius) : radius(radius) {}
  double Area() const override { return 3.14159 * radius * radius; }
  double radius;
};

static double Run() {
  std::map<std::string, int> words;
  std::unordered_map<int, std::string> names;
  for (int i = 0; i < 30000; ++i) {
    const std::string key = "word" + std::to_string(i * 7919 % 4000);
    words[key] += i;
    names[i % 3000] = key;
  }
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 0; i < 60000; ++i) {
    if (i % 3) {
      shapes.push_back(std::make_unique<Square>(i));
    } else {
      shapes.push_back(std::make_unique<Circle>(i));
    }
  }
  std::sort(shapes.begin(), shapes.end(),
            [](const auto& a, const auto& b) { return a->Area() < b->Area(); });
  double sum = 0;
  for (const auto& shape : shapes) sum += shape->Area();
  for (const auto& [key, value] : words) sum += static_cast<double>(key.size()) + value;
  return sum;
}

static double CpuMilliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

int main() {
  double best = 1e18;
  volatile double sink = 0;
  for (int i = 0; i < 12; ++i) {
    const double start = CpuMilliseconds();
    sink = sink + Run();
    best = std::min(best, CpuMilliseconds() - start);
  }
  std::printf("%.2f\n", best);
  return 0;
}
