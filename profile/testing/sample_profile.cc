#include "profile/testing/sample_profile.h"

#include <fstream>
#include <sstream>

#include "absl/strings/str_format.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/gmon/writer.h"

namespace gprofhub::profile {

std::string OrderlyRecording() {
  std::ifstream file("tests/fuzz/corpus/recording_reader/orderly_with_stacks", std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

namespace {

constexpr uint64_t kMain = 0x1000;
constexpr uint64_t kParse = 0x1100;
constexpr uint64_t kSum = 0x1200;
constexpr uint64_t kEnd = 0x1300;

FunctionSymbol Function(uint64_t address, const char* name, uint32_t line) {
  FunctionSymbol function;
  function.address = address;
  function.size = 0x100;
  function.name = name;
  function.file = 1;
  function.line = line;
  function.is_function = true;
  return function;
}

}  // namespace

SymbolTable SampleSymbols(uint32_t seed) {
  SymbolTable symbols;
  symbols.build_id = absl::StrFormat("%040x", seed);
  symbols.architecture = "x86_64";
  symbols.image_name = "query_test";
  symbols.text_low = kMain;
  symbols.text_high = kEnd;
  symbols.files = {"", "db/query.cc"};
  symbols.functions = {Function(kMain, "main", 30), Function(kParse, "parse", 20),
                       Function(kSum, "sum", 10)};
  symbols.lines = {{kMain, 1, 30}, {kParse, 1, 20}, {kSum, 1, 10}, {kEnd, 0, 0}};
  return symbols;
}

RawProfile SampleProfile(uint64_t calls) {
  RawProfile profile;
  Histogram histogram;
  histogram.low_pc = kMain;
  histogram.high_pc = kEnd;
  histogram.rate = 100;
  histogram.bins = {1, 2, 5};
  profile.histograms.push_back(histogram);
  profile.arcs.push_back({0, kMain, 1});
  profile.arcs.push_back({kMain + 0x10, kParse, calls});
  profile.arcs.push_back({kParse + 0x10, kSum, 2 * calls});
  return profile;
}

std::string SampleBundle(uint32_t seed) { return EncodeSymbolBundle(SampleSymbols(seed)); }

std::string SampleGmon(uint64_t calls) { return WriteGmon(SampleProfile(calls)).value(); }

}  // namespace gprofhub::profile
