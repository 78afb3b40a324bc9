// A parser in two versions: the later one copies each line before it looks at it.
#include <string>
#include <vector>

__attribute__((noinline)) size_t Parse(const std::string& line) {
#ifdef COPIES_EACH_LINE
  const std::string copy(line);
  asm volatile("" ::"r"(copy.data()) : "memory");
#endif
  std::vector<size_t> columns;
  columns.reserve(16);
  for (size_t i = 0; i < line.size() && columns.size() < 16; ++i) {
    if (line[i] == ',') columns.push_back(i);
  }
  return columns.size();
}

int main() {
  const std::string line(199, ',');
  size_t columns = 0;
  for (int i = 0; i < 1000; ++i) columns += Parse(line);
  return columns == 16'000 ? 0 : 1;
}
