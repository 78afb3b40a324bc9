#include "analyzer/ordering/replay.h"

#include <gtest/gtest.h>

#include <sstream>

namespace gprofhub::analyzer {

namespace {

using Names = std::vector<std::string>;

// Functions f0, f1, … of one page each, from 0x1000.
profile::SymbolTable Pages(uint32_t count) {
  profile::SymbolTable program;
  program.image_name = "app";
  program.build_id = "ab12";
  program.text_low = 0x1000;
  program.text_high = 0x1000 + 0x1000 * uint64_t{count};
  for (uint32_t i = 0; i < count; ++i) {
    profile::FunctionSymbol symbol;
    symbol.name = "f" + std::to_string(i);
    symbol.address = 0x1000 + 0x1000 * uint64_t{i};
    symbol.size = 0x1000;
    symbol.is_function = true;
    program.functions.push_back(symbol);
  }
  return program;
}

InstructionTrace Trace(std::vector<uint64_t> entries) {
  InstructionTrace trace;
  trace.build_id = "ab12";
  trace.instructions = entries.size();
  trace.entries = std::move(entries);
  return trace;
}

ReplayMetrics Replay(const profile::SymbolTable& program, const InstructionTrace& trace,
                     const Names& order) {
  const absl::StatusOr<Replayer> replayer = Replayer::Create(program, trace);
  EXPECT_TRUE(replayer.ok()) << replayer.status();
  return replayer.ok() ? replayer->Replay(order).metrics : ReplayMetrics();
}

TEST(Replay, CountsPagesTouchedAtStartUpAndInAll) {
  std::vector<uint64_t> entries(20, 0x1000);
  entries[1] = 0x2000;  // within the first tenth
  entries[10] = 0x3000;
  const ReplayMetrics metrics = Replay(Pages(5), Trace(entries), {});
  EXPECT_EQ(metrics.startup_pages, 2u);
  EXPECT_EQ(metrics.pages, 3u);
}

TEST(Replay, FunctionsThatNoProgramHasAreRefused) {
  for (const uint64_t size : {uint64_t{1} << 37, uint64_t{1} << 63, UINT64_MAX}) {
    profile::SymbolTable program = Pages(3);
    program.functions[1].size = size;
    EXPECT_EQ(Replayer::Create(program, Trace({0x1000})).status().code(),
              absl::StatusCode::kInvalidArgument)
        << size;
  }
}

TEST(Replay, PutsFunctionsThatAnOrderingPacksOnFewerPages) {
  profile::SymbolTable program = Pages(2);
  program.functions[0].size = 0x100;
  program.functions[1].size = 0x100;
  profile::FunctionSymbol cold;
  cold.name = "cold";
  cold.address = 0x1100;
  cold.size = 0xf00;
  cold.is_function = true;
  program.functions.insert(program.functions.begin() + 1, cold);
  const InstructionTrace trace = Trace({0x1000, 0x2000});
  EXPECT_EQ(Replay(program, trace, {}).pages, 2u);
  EXPECT_EQ(Replay(program, trace, {"f1", "f0"}).pages, 1u);
}

TEST(Replay, MissesAPageThatMoreOthersThanEntriesCameAfter) {
  // Cycles over 17 pages: one too many for 16 entries.
  std::vector<uint64_t> entries;
  for (int round = 0; round < 10; ++round) {
    for (uint64_t page = 0; page < 17; ++page) entries.push_back(0x1000 + 0x1000 * page);
  }
  const ReplayMetrics metrics = Replay(Pages(17), Trace(entries), {});
  EXPECT_EQ(metrics.itlb_misses_16, 170u);
  EXPECT_EQ(metrics.itlb_misses_64, 17u);
}

TEST(Replay, KeepsThePageUsedLast) {
  // 16 pages, the first again, then a new one, which evicts the second.
  std::vector<uint64_t> entries;
  for (uint64_t page = 0; page < 16; ++page) entries.push_back(0x1000 + 0x1000 * page);
  for (const uint64_t page : {0, 16, 0, 1}) entries.push_back(0x1000 + 0x1000 * page);
  EXPECT_EQ(Replay(Pages(17), Trace(entries), {}).itlb_misses_16, 18u);
}

TEST(Replay, MissesALineThatEightOthersOfItsSetPushedOut) {
  // Lines one page apart share a set of eight.
  std::vector<uint64_t> entries;
  for (int round = 0; round < 10; ++round) {
    for (uint64_t page = 0; page < 9; ++page) entries.push_back(0x1000 + 0x1000 * page);
  }
  EXPECT_EQ(Replay(Pages(9), Trace(entries), {}).l1i_misses, 90u);
  entries.clear();
  for (int round = 0; round < 10; ++round) {
    for (uint64_t page = 0; page < 8; ++page) entries.push_back(0x1000 + 0x1000 * page);
  }
  EXPECT_EQ(Replay(Pages(9), Trace(entries), {}).l1i_misses, 8u);
}

TEST(Replay, LimitIsTheCodeOfTheFunctionsThatRan) {
  const absl::StatusOr<Replayer> replayer =
      Replayer::Create(Pages(5), Trace({0x1000, 0x1000, 0x3000, 0x3010}));
  ASSERT_TRUE(replayer.ok()) << replayer.status();
  EXPECT_DOUBLE_EQ(replayer->Limit().startup_pages, 1);
  EXPECT_DOUBLE_EQ(replayer->Limit().pages, 2);
}

TEST(Replay, RefusesTheTraceOfAnotherBuild) {
  InstructionTrace other = Trace({0x1000});
  other.build_id = "cd34";
  EXPECT_EQ(Replayer::Create(Pages(1), other).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Replayer::Create(Pages(1), Trace({0x9000})).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(LackeyTrace, KeepsTheProgramsInstructionsByBlock) {
  std::istringstream text(
      "==7== Lackey\nI  00109000,3\n S 1ffeffe7e0,8\nI  00109003,5\nI  0010900e,4\n"
      "I  04001000,2\nI  00109000,3\n");
  const absl::StatusOr<InstructionTrace> trace =
      ReadLackeyTrace(text, "log", Pages(1), /*load_bias=*/0x108000);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->instructions, 4u);
  EXPECT_EQ(trace->entries, (std::vector<uint64_t>{0x1000, 0x1010, 0x1000}));
}

TEST(LackeyTrace, SaysWhenThereIsNothingOfTheProgram) {
  std::istringstream text("I  04001000,2\nI  zz,1\nI  1000\n");
  EXPECT_EQ(ReadLackeyTrace(text, "log", Pages(1), 0).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(StoredTrace, IsReadBackAsItWas) {
  const InstructionTrace trace = Trace({0x1000, 0xffffffffffffffff, 0, 0x2000, 0x1ff0});
  const absl::StatusOr<InstructionTrace> back = DecodeTrace(EncodeTrace(trace), "t");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->entries, trace.entries);
  EXPECT_EQ(back->build_id, trace.build_id);
  EXPECT_EQ(back->instructions, trace.instructions);
}

TEST(StoredTrace, RefusesWhatIsCutOrChanged) {
  const std::string bytes = EncodeTrace(Trace({0x1000, 0x2000, 0x3000}));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeTrace(bytes.substr(0, size), "t").ok()) << size;
  }
  EXPECT_FALSE(DecodeTrace("gprofhub-trace 1 - 1 4000000000 4000000000\n", "t").ok());
}

}  // namespace

}  // namespace gprofhub::analyzer
