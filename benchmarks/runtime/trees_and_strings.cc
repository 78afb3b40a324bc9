// Trees of owned nodes, and a map of strings that need memory: C++ that allocates a lot. [ROUNDS]
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

struct Node {
  std::unique_ptr<Node> left, right;
  int depth = 0;
};

__attribute__((noinline)) std::unique_ptr<Node> Build(int depth) {
  if (depth == 0) return nullptr;
  auto node = std::make_unique<Node>();
  node->depth = depth;
  node->left = Build(depth - 1);
  node->right = Build(depth - 1);
  return node;
}

__attribute__((noinline)) size_t Words(int count) {
  std::map<std::string, std::vector<int>> places;
  for (int i = 0; i < count; ++i) {
    places["a word that is too long for its own room " + std::to_string(i % 5000)].push_back(i);
  }
  return places.size();
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 40;
  size_t sum = 0;
  for (int i = 0; i < rounds; ++i) sum += static_cast<size_t>(Build(16)->depth) + Words(50'000);
  std::printf("%zu\n", sum);
}
