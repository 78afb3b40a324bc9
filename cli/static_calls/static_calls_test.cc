#include "cli/static_calls/static_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gprofhub::cli {
namespace {

using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;

constexpr uint64_t kLow = 0x1000;

std::string Bytes(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes.push_back(static_cast<char>(value));
  return bytes;
}

profile::SymbolTable Symbols(const std::string& architecture, std::vector<uint64_t> addresses,
                             size_t size) {
  profile::SymbolTable symbols;
  symbols.architecture = architecture;
  symbols.text_low = kLow;
  symbols.text_high = kLow + size;
  for (const uint64_t address : addresses) {
    symbols.functions.emplace_back();
    symbols.functions.back().address = address;
    symbols.functions.back().is_function = true;
  }
  return symbols;
}

Pairs Find(const profile::SymbolTable& symbols, const std::string& bytes) {
  std::vector<uint64_t> entries;
  for (const profile::FunctionSymbol& function : symbols.functions)
    entries.push_back(function.address);
  const auto calls = FindStaticCalls(symbols, {{kLow, bytes}}, entries);
  EXPECT_TRUE(calls.ok()) << calls.status();
  Pairs pairs;
  if (!calls.ok()) return pairs;
  for (const analyzer::StaticCall& call : *calls) pairs.emplace_back(call.from_pc, call.to_pc);
  return pairs;
}

TEST(FindStaticCalls, FindsCallsForwardAndBackward) {
  // call +1 (the ret is skipped); ret; call -11; ret
  const std::string code = Bytes({0xe8, 1, 0, 0, 0, 0xc3, 0xe8, 0xf5, 0xff, 0xff, 0xff, 0xc3});
  for (const char* architecture : {"x86_64", "i386"}) {
    EXPECT_EQ(Find(Symbols(architecture, {kLow, kLow + 6}, code.size()), code),
              (Pairs{{kLow, kLow + 6}, {kLow + 6, kLow}}));
  }
}

TEST(FindStaticCalls, TakesNoByteOfAnotherInstructionForACall) {
  // mov $0x1e8,%eax; ret: the bytes from the second on read as a call of kLow + 7
  const std::string code = Bytes({0xb8, 0xe8, 1, 0, 0, 0, 0xc3, 0xc3});
  EXPECT_EQ(Find(Symbols("x86_64", {kLow, kLow + 7}, code.size()), code), Pairs{});
}

TEST(FindStaticCalls, LeavesOutCallsIntoTheMiddleOfAFunction) {
  const std::string code = Bytes({0xe8, 0, 0, 0, 0, 0x58, 0xc3});  // call, pop, ret
  EXPECT_EQ(Find(Symbols("i386", {kLow}, code.size()), code), Pairs{});
}

TEST(FindStaticCalls, StopsAtBytesThatAreNoInstruction) {
  const std::string code = Bytes({0x06, 0xe8, 0xfa, 0xff, 0xff, 0xff});  // not in 64-bit mode
  EXPECT_EQ(Find(Symbols("x86_64", {kLow}, code.size()), code), Pairs{});
  EXPECT_EQ(Find(Symbols("i386", {kLow}, code.size()), code), (Pairs{{kLow + 1, kLow}}));
}

TEST(FindStaticCalls, EndsWithTheFunction) {
  const std::string code = Bytes({0xc3, 0xe8, 0xfa, 0xff, 0xff, 0xff});
  profile::SymbolTable symbols = Symbols("x86_64", {kLow}, code.size());
  EXPECT_EQ(Find(symbols, code), (Pairs{{kLow + 1, kLow}}));
  symbols.functions[0].size = 1;
  EXPECT_EQ(Find(symbols, code), Pairs{});
}

TEST(FindStaticCalls, DecodesBranchesWithLinkOfAarch64) {
  // bl +8; b -4 (not a call); bl -8
  const std::string code = Bytes({2, 0, 0, 0x94, 0xff, 0xff, 0xff, 0x17, 0xfe, 0xff, 0xff, 0x97});
  EXPECT_EQ(Find(Symbols("aarch64", {kLow, kLow + 8}, code.size()), code),
            (Pairs{{kLow, kLow + 8}, {kLow + 8, kLow}}));
}

TEST(FindStaticCalls, TakesBranchesToOtherFunctionsOfAarch64ForTailCalls) {
  // b +4, into the middle; b +4; b -8; b -4, a loop
  const std::string code = Bytes({1, 0, 0, 0x14, 1, 0, 0, 0x14,  //
                                  0xfe, 0xff, 0xff, 0x17, 0xff, 0xff, 0xff, 0x17});
  EXPECT_EQ(Find(Symbols("aarch64", {kLow, kLow + 8}, code.size()), code),
            (Pairs{{kLow + 4, kLow + 8}, {kLow + 8, kLow}}));
}

TEST(FindStaticCalls, SaysWhichArchitecturesItKnows) {
  EXPECT_EQ(FindStaticCalls(Symbols("s390", {kLow}, 1), {}, {}).status().code(),
            absl::StatusCode::kUnimplemented);
}

}  // namespace

}  // namespace gprofhub::cli
