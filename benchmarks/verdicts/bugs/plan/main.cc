// Targets of a build with their inputs: which must be built again, and by what commands. The
// argument is the number of plans.
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "graph.h"
#include "planner.h"

namespace {

constexpr int kLayers = 12;
constexpr int kWidth = 60;

std::string PathOf(int layer, int number) {
  std::ostringstream path;
  path << "src/./layer" << layer << "/part/../unit" << number << ".o";
  return path.str();
}

// A line "target: input input".
std::string LineOf(int layer, int number) {
  std::string line = PathOf(layer, number) + ":";
  for (int i = 0; layer > 0 && i < 3; ++i)
    line += " " + PathOf(layer - 1, (number * 7 + i * 11) % kWidth);
  return line;
}

void Load(Graph& graph, const std::string& line, int64_t time) {
  const size_t colon = line.find(':');
  const TargetPtr target = graph.Add(line.substr(0, colon));
  target->changed = time;
  target->command = "$cc $flags $extra -c $out -o " + target->name;
  std::istringstream inputs(line.substr(colon + 1));
  for (std::string input; inputs >> input;) target->inputs.push_back(graph.Add(input));
}

const Variables& DefaultVariables() {
  static const Variables variables = {
      {"cc", "g++"}, {"flags", "-O2 -Wall -Wextra"}, {"out", "unit"}};
  return variables;
}

}  // namespace

int main(int argc, char** argv) {
  const int plans = argc > 1 ? std::atoi(argv[1]) : 100;
  size_t sum = 0;
  for (int round = 0; round * 10 < plans; ++round) {
    Graph graph;
    for (int layer = 0; layer < kLayers; ++layer) {
      for (int number = 0; number < kWidth; ++number)
        Load(graph, LineOf(layer, number), layer * 10 + number % 11 + (number == 13 ? 12 : 0));
    }
    Planner planner(graph, DefaultVariables());
    for (int i = 0; i < 10; ++i) {
      for (const std::string& command : planner.Plan("src/layer1*/unit?" + std::to_string(i) + "*"))
        sum += command.size();
    }
  }
  std::printf("%zu\n", sum);
  return 0;
}
