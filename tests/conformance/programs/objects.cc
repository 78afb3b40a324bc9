// Templates, lambdas, virtual calls, constructors, anonymous namespaces.
#include <functional>
#include <map>
#include <string>
#include <vector>

volatile long sink;

namespace {
void Spin(long n) {
  while (n-- > 0) sink = sink + n;
}
struct Hidden {
  int value;
  explicit Hidden(int v) : value(v) { Spin(10000); }
  ~Hidden() { Spin(100); }
};
}  // namespace

namespace shapes {
class Shape {
 public:
  virtual ~Shape() {}
  virtual double Area() const = 0;
};
template <typename T>
class Square : public Shape {
 public:
  explicit Square(T side) : side_(side) {}
  double Area() const override {
    Spin(20000);
    return side_ * side_;
  }

 private:
  T side_;
};
template <typename T>
T Twice(T x) {
  Spin(1000);
  return x + x;
}
}  // namespace shapes

static int Fibonacci(int n) { return n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2); }

int main() {
  std::map<std::string, int> counts;
  std::vector<shapes::Shape*> list;
  for (int i = 0; i < 200; ++i) {
    Hidden hidden(i);
    counts[std::to_string(i % 17)] += hidden.value;
    list.push_back(i % 2 ? static_cast<shapes::Shape*>(new shapes::Square<int>(i))
                         : new shapes::Square<double>(i / 2.0));
  }
  double area = 0;
  const auto add = [&area](const shapes::Shape& shape) { area += shape.Area(); };
  std::function<void(const shapes::Shape&)> indirect = add;
  for (shapes::Shape* shape : list) {
    add(*shape);
    indirect(*shape);
    delete shape;
  }
  shapes::Twice(3);
  shapes::Twice(std::string("x"));
  return Fibonacci(18) + static_cast<int>(area) == 0;
}
