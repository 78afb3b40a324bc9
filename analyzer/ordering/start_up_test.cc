#include "analyzer/ordering/start_up.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/ordering/linker_files.h"

namespace gprofhub::analyzer {

namespace {

using Processes = std::vector<std::string>;

// Functions that are named by a letter.
OrderingGraph GraphOfLetters(const std::string& letters) {
  OrderingGraph graph;
  for (const char letter : letters) {
    OrderingFunction& function = graph.functions.emplace_back();
    function.name = std::string(1, letter);
    function.size = 100;
    function.weight = function.runs = 1;
  }
  graph.weight = graph.runs = 1;
  return graph;
}

// Each text is a process that called these functions in this order.
void AddRunTo(FirstCalls& calls, const Processes& processes, double weight = 1) {
  std::vector<std::vector<FunctionKey>> keys;
  for (const std::string& process : processes) {
    keys.emplace_back();
    for (const char letter : process) keys.back().emplace_back(std::string(1, letter), "");
  }
  calls.AddRun(keys, weight);
}

std::string OrderOf(const std::string& functions, const std::vector<Processes>& runs) {
  const OrderingGraph graph = GraphOfLetters(functions);
  FirstCalls calls(graph);
  for (const Processes& run : runs) AddRunTo(calls, run);
  std::string names;
  for (const std::string& name : NamesInOrder(graph, OrderByFirstCalls(graph, calls))) {
    names += name;
  }
  return names;
}

TEST(StartUp, OfOneProcessIsItsOrder) { EXPECT_EQ(OrderOf("abmyz", {{"mzaby"}}), "mzaby"); }

TEST(StartUp, CommonFunctionsComeBeforeThoseOfOneProcess) {
  EXPECT_EQ(OrderOf("abmxyz", {{"mxba"}, {"mya"}, {"mzba"}}), "mabyxz");
}

TEST(StartUp, FunctionsOfTheSameProcessesAreAdjacent) {
  EXPECT_EQ(OrderOf("abcdmpqrs", {{"mabcd"}, {"mapbq"}, {"mcpdq"}, {"mrs"}, {"m"}}), "mabcdpqrs");
}

// A run of many processes does not outweigh the others.
TEST(StartUp, ProcessesShareTheWeightOfTheirRun) {
  const std::string all = "mpqrxy";
  EXPECT_EQ(OrderOf(all, {{"mxy", "mxyq", "mxyp"}, {"myx"}, {"myxr"}}).substr(0, 3), "myx");
  EXPECT_EQ(OrderOf(all, {{"mxy"}, {"mxyq"}, {"mxyp"}, {"myx"}, {"myxr"}}).substr(0, 3), "mxy");
}

TEST(StartUp, FunctionsWithoutAFirstCallComeLast) { EXPECT_EQ(OrderOf("abz", {{"zb"}}), "zba"); }

TEST(StartUp, FunctionsThatTheGraphLeavesOutAreOmitted) {
  EXPECT_EQ(OrderOf("bz", {{"zxb", "zb"}}), "zb");
  const OrderingGraph graph = GraphOfLetters("bz");
  FirstCalls calls(graph);
  AddRunTo(calls, {"zxb", "zb", "x"});
  EXPECT_EQ(calls.orders().size(), 1u) << "equal orders are one";
}

TEST(StartUp, TracesAreInTheFormatOfLlvm) {
  OrderingGraph graph = GraphOfLetters("amb");
  graph.functions[1].file = "src/a,b.c";
  FirstCalls calls(graph);
  calls.AddRun({{{"m", "src/a,b.c"}, {"b", ""}}, {{"m", "src/a,b.c"}, {"m", ""}, {"b", ""}}});
  EXPECT_EQ(calls.CountCalled(), 2u);
  EXPECT_EQ(FormatTemporalTraces(graph, calls),
            ":ir\n:temporal_prof_traces\n1\n1\n1\nsrc/a_b.c;m,b,\n"
            "\nsrc/a_b.c;m\n0\n1\n1\n\nb\n0\n1\n1\n");
}

}  // namespace

}  // namespace gprofhub::analyzer
