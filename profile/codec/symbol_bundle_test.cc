#include "profile/codec/symbol_bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <functional>
#include <string>

#include "base/memory_budget.h"
#include "profile/codec/message.h"
#include "proto/symbols.pb.h"

namespace gprofhub::profile {

namespace {

using ::testing::HasSubstr;

SymbolTable Sample() {
  SymbolTable symbols;
  symbols.build_id = "00ff";
  symbols.architecture = "i386";
  symbols.address_size = 4;
  symbols.big_endian = true;
  symbols.image_name = "caf\xe9";  // not UTF-8
  symbols.text_low = 0x1000;
  symbols.text_high = 0x2000;
  symbols.etext = 0x2004;
  symbols.files = {"", "a.c", "b.c"};
  symbols.functions = {{0x1000, 16, "main", 1, 12, 0, false, false, true, true, 0xC0DE},
                       {0x1010, 0, "label", 0, 0, 1, true, false, false, false},
                       {0x1010, 8, "_Z1fv", 2, 3, 2, false, true, true, false}};
  symbols.toolchains = {"", "gcc 12.2.0 -O2", "clang 14.0.6"};
  symbols.functions[0].toolchain = 2;
  symbols.shared_returns = {{0x1010, 0x1000}, {0x1013, 0}};
  symbols.inlined = {{0x1000, 7}, {0x1000, 9}, {0x2000, 7}};
  symbols.functions[2].toolchain = 1;
  symbols.functions[2].never_inlined = true;
  symbols.functions[1].asks = kAsksAll;
  symbols.functions[2].asks = kAsksRandom;
  symbols.weak_labels = {{0x3000, 0, "data_start", 0, 0, 3, false, true, false, false}};
  symbols.lines = {{0x1000, 1, 12}, {0x1010, 2, 3}, {0x1018, 0, 0}};
  symbols.call_lines = {{0x1010, 1, 14}, {0x1018, 0, 0}};
  return symbols;
}

// Sample's bundle with one error.
std::string Changed(const std::function<void(v1::SymbolBundle&)>& change) {
  v1::SymbolBundle bundle;
  EXPECT_TRUE(
      DecodeMessage(EncodeSymbolBundle(Sample()), "symbol bundle",
                    {v1::SymbolBundle::kFunctionsFieldNumber, v1::SymbolBundle::kLinesFieldNumber},
                    bundle)
          .ok());
  change(bundle);
  return EncodeMessage(bundle);
}

void ExpectError(const std::string& bytes, const std::string& message) {
  auto symbols = DecodeSymbolBundle(bytes);
  ASSERT_FALSE(symbols.ok());
  EXPECT_THAT(std::string(symbols.status().message()), HasSubstr(message));
}

TEST(SymbolBundle, ComesBackAsItWas) {
  const SymbolTable sample = Sample();
  auto symbols = DecodeSymbolBundle(EncodeSymbolBundle(sample));
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_EQ(symbols->build_id, sample.build_id);
  EXPECT_EQ(symbols->architecture, sample.architecture);
  EXPECT_EQ(symbols->address_size, sample.address_size);
  EXPECT_EQ(symbols->big_endian, sample.big_endian);
  EXPECT_EQ(symbols->image_name, sample.image_name);
  EXPECT_EQ(symbols->text_low, sample.text_low);
  EXPECT_EQ(symbols->text_high, sample.text_high);
  EXPECT_EQ(symbols->etext, sample.etext);
  ASSERT_EQ(symbols->functions.size(), sample.functions.size());
  for (size_t i = 0; i < sample.functions.size(); ++i) {
    const FunctionSymbol& a = symbols->functions[i];
    const FunctionSymbol& b = sample.functions[i];
    EXPECT_EQ(a.address, b.address);
    EXPECT_EQ(a.size, b.size);
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(symbols->files[a.file], sample.files[b.file]);
    EXPECT_EQ(a.line, b.line);
    EXPECT_EQ(a.is_local, b.is_local);
    EXPECT_EQ(a.is_weak, b.is_weak);
    EXPECT_EQ(a.is_function, b.is_function);
    EXPECT_EQ(a.is_indirect, b.is_indirect);
    EXPECT_EQ(a.code, b.code);
    EXPECT_EQ(a.asks, b.asks);
    EXPECT_EQ(symbols->toolchains[a.toolchain], sample.toolchains[b.toolchain]);
    EXPECT_EQ(symbols->inlined, sample.inlined);
    EXPECT_EQ(a.never_inlined, b.never_inlined);
  }
  EXPECT_EQ(symbols->shared_returns, sample.shared_returns);
  ASSERT_EQ(symbols->weak_labels.size(), 1u);
  EXPECT_EQ(symbols->weak_labels[0].address, sample.weak_labels[0].address);
  EXPECT_EQ(symbols->weak_labels[0].name, sample.weak_labels[0].name);
  EXPECT_TRUE(symbols->weak_labels[0].is_weak);
  ASSERT_EQ(symbols->call_lines.size(), sample.call_lines.size());
  EXPECT_EQ(symbols->call_lines[0].address, 0x1010u);
  EXPECT_EQ(symbols->files[symbols->call_lines[0].file], sample.files[1]);
  EXPECT_EQ(symbols->call_lines[0].line, 14u);
  ASSERT_EQ(symbols->lines.size(), sample.lines.size());
  for (size_t i = 0; i < sample.lines.size(); ++i) {
    EXPECT_EQ(symbols->lines[i].address, sample.lines[i].address);
    EXPECT_EQ(symbols->files[symbols->lines[i].file], sample.files[sample.lines[i].file]);
    EXPECT_EQ(symbols->lines[i].line, sample.lines[i].line);
  }
}

TEST(SymbolBundle, ReturnsAreComplete) {
  ExpectError(Changed([](auto& bundle) { bundle.mutable_shared_returns()->clear_callee(); }),
              "shared_returns: its columns differ in length");
  ExpectError(Changed([](auto& bundle) {
                bundle.mutable_shared_returns()->set_address_delta(1, UINT64_MAX);
              }),
              "shared_returns.address_delta");
}

TEST(SymbolBundle, SameTableGivesSameBytes) {
  EXPECT_EQ(EncodeSymbolBundle(Sample()), EncodeSymbolBundle(Sample()));
}

TEST(SymbolBundle, EveryPrefixIsAnError) {
  const std::string bytes = EncodeSymbolBundle(Sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeSymbolBundle(bytes.substr(0, size)).ok()) << size;
  }
}

TEST(SymbolBundle, NotAFrame) { ExpectError("hello, this is text", "not a zstd frame at byte 0"); }

TEST(SymbolBundle, BytesAfterTheFrame) {
  ExpectError(EncodeSymbolBundle(Sample()) + "x", "1 bytes follow the zstd frame");
}

TEST(SymbolBundle, FrameWithoutContentSize) {
  std::string frame(1000, '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  frame.resize(ZSTD_compress2(context, frame.data(), frame.size(), "abc", 3));
  ZSTD_freeCCtx(context);
  ExpectError(frame, "does not declare its content size");
}

TEST(SymbolBundle, FrameThatUnpacksToMuchMore) {
  const std::string zeros(64 << 20, '\0');
  std::string frame(ZSTD_compressBound(zeros.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), zeros.data(), zeros.size(), 3));
  ExpectError(frame, "declares 67108864 bytes of content");
}

TEST(SymbolBundle, FrameThatLiesAboutItsSize) {
  // An 8-byte content size of 2^62 after a valid magic and descriptor.
  const std::string frame = std::string("\x28\xb5\x2f\xfd\xe0", 5) + std::string(7, '\0') + "\x40";
  ExpectError(frame, "declares 4611686018427387904 bytes");
}

TEST(SymbolBundle, TooManyTinyStrings) {
  std::string content;
  for (int i = 0; i < 4'000'001; ++i) content += std::string("\x32\0", 2);
  // Incompressible, so that the ratio permits it.
  uint64_t state = 1;
  std::string noise;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    noise.push_back(static_cast<char>(state >> 56));
  }
  content = std::string("\x32\xa0\x9c\x01", 4) + noise + content;
  std::string frame(ZSTD_compressBound(content.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), content.data(), content.size(), 3));
  ExpectError(frame, "more than 4000000 fields");
}

TEST(SymbolBundle, ColumnsOfDifferentLength) {
  ExpectError(Changed([](auto& bundle) { bundle.mutable_functions()->add_line(1); }),
              "functions: its columns differ");
  ExpectError(Changed([](auto& bundle) { bundle.mutable_lines()->add_line(1); }),
              "lines: its columns differ");
}

TEST(SymbolBundle, IndexOutOfRange) {
  ExpectError(Changed([](auto& bundle) { bundle.mutable_functions()->set_name(1, 99); }),
              "functions.name, row 1");
  ExpectError(Changed([](auto& bundle) { bundle.mutable_functions()->set_name(1, 0); }),
              "functions.name, row 1");
  ExpectError(Changed([](auto& bundle) { bundle.mutable_functions()->set_file(2, 99); }),
              "functions.file, row 2");
  ExpectError(Changed([](auto& bundle) { bundle.mutable_lines()->set_file(0, 99); }),
              "lines.file, row 0");
}

TEST(SymbolBundle, AddressOverflow) {
  ExpectError(
      Changed([](auto& bundle) { bundle.mutable_functions()->set_address_delta(2, UINT64_MAX); }),
      "functions.address_delta, row 2");
  ExpectError(
      Changed([](auto& bundle) { bundle.mutable_lines()->set_address_delta(1, UINT64_MAX); }),
      "lines.address_delta, row 1");
}

TEST(SymbolBundle, BadHead) {
  ExpectError(Changed([](auto& bundle) { bundle.set_build_id("../../etc"); }), "build_id");
  ExpectError(Changed([](auto& bundle) { bundle.set_build_id(std::string(129, 'a')); }),
              "build_id");
  ExpectError(Changed([](auto& bundle) { bundle.set_text_low(0x3000); }), "text_low");
  ExpectError(Changed([](auto& bundle) { bundle.set_address_size(3); }), "address_size");
  ExpectError(Changed([](auto& bundle) { bundle.set_strings(0, "x"); }), "strings: entry 0");
  ExpectError(Changed([](auto& bundle) { bundle.mutable_functions()->set_flags(0, 512); }),
              "functions.flags, row 0");
}

TEST(SymbolBundle, OfOldDoesNotKnowToolchains) {
  const std::string old =
      Changed([](v1::SymbolBundle& bundle) { bundle.mutable_functions()->clear_toolchain(); });
  const auto symbols = DecodeSymbolBundle(old);
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_EQ(symbols->functions[0].toolchain, 0u);
}

TEST(SymbolBundle, NamesInlinedFunctionsThatAreOutOfOrder) {
  ExpectError(Changed([](v1::SymbolBundle& bundle) { bundle.mutable_inlined()->set_name(1, 7); }),
              "inlined.name, row 1");
  ExpectError(Changed([](v1::SymbolBundle& bundle) { bundle.mutable_inlined()->add_name(7); }),
              "columns differ in length");
  ExpectError(Changed([](v1::SymbolBundle& bundle) {
                bundle.mutable_inlined()->set_address_delta(2, ~uint64_t{0});
              }),
              "exceeds 64 bits");
}

TEST(SymbolBundle, NamesAToolchainThatIsWrong) {
  ExpectError(Changed([](v1::SymbolBundle& bundle) {
                bundle.mutable_functions()->set_toolchain(0, 1u << 30);
              }),
              "functions.toolchain");
  ExpectError(Changed([](v1::SymbolBundle& bundle) {
                bundle.mutable_functions()->mutable_toolchain()->RemoveLast();
              }),
              "columns differ in length");
  ExpectError(Changed([](v1::SymbolBundle& bundle) {
                bundle.add_strings(std::string(513, 'x'));
                bundle.mutable_functions()->set_toolchain(
                    0, static_cast<uint32_t>(bundle.strings_size() - 1));
              }),
              "at most 512 bytes");
}

TEST(SymbolBundle, FunctionsThatShareOneLongName) {
  // 0.9 MiB of a name for a thousand functions: 3 kB on the wire, 0.9 GiB in memory.
  SymbolTable bomb = Sample();
  bomb.functions.clear();
  for (uint64_t i = 0; i < 1000; ++i) {
    FunctionSymbol function;
    function.address = 0x1000 + i;
    function.name = "f";
    bomb.functions.push_back(function);
  }
  const std::string bytes = EncodeSymbolBundle(bomb);
  v1::SymbolBundle bundle;
  ASSERT_TRUE(bundle.ParseFromString(*Decompress(bytes, "")));
  for (std::string& text : *bundle.mutable_strings()) {
    if (text == "f") text.assign(900'000, 'f');
  }
  const std::string compressed = EncodeMessage(bundle);
  EXPECT_LT(compressed.size(), 10'000u);
  ExpectError(compressed,
              "functions: exceeds the limit after decoding: 4 times the bundle's content");
}

TEST(SymbolBundle, RowsOfNothing) {
  v1::SymbolBundle bundle;
  ASSERT_TRUE(bundle.ParseFromString(*Decompress(EncodeSymbolBundle(Sample()), "")));
  for (int i = 0; i < 5'000'000; ++i) {
    bundle.mutable_lines()->add_address_delta(0);
    bundle.mutable_lines()->add_file(0);
    bundle.mutable_lines()->add_line(0);
  }
  // Noise, so that the compression ratio permits it.
  uint64_t state = 1;
  std::string noise;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    noise.push_back(static_cast<char>(state >> 56));
  }
  bundle.add_strings(noise);
  const std::string bytes = EncodeMessage(bundle);
  ExpectError(bytes, "lines: exceeds the limit after decoding: 4 times the bundle's content");
  const auto without_lines = DecodeSymbolBundle(bytes, {.lines = false});
  ASSERT_TRUE(without_lines.ok()) << without_lines.status();
  EXPECT_TRUE(without_lines->lines.empty());
}

TEST(SymbolBundle, ChecksLinesThatItLeavesOut) {
  const std::string bytes = Changed([](auto& bundle) { bundle.mutable_lines()->set_file(0, 99); });
  EXPECT_FALSE(DecodeSymbolBundle(bytes, {.lines = false}).ok());
}

TEST(SymbolBundle, LeavesWithItsCallWhatTheSymbolsTake) {
  base::MemoryBudget budget(uint64_t{64} << 20);
  base::DecodingCall call(budget, "a", nullptr);
  const auto symbols =
      DecodeSymbolBundle(EncodeSymbolBundle(Sample()), {.decoding = base::Decoding(call)});
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_EQ(call.used(), MemoryOf(*symbols));
}

TEST(SymbolBundle, IsNotDecodedBeyondItsBudget) {
  base::MemoryBudget budget(uint64_t{1} << 20);
  base::DecodingCall call(budget, "a", nullptr);
  const auto symbols =
      DecodeSymbolBundle(EncodeSymbolBundle(Sample()), {.decoding = base::Decoding(call)});
  EXPECT_EQ(symbols.status().code(), absl::StatusCode::kInvalidArgument) << symbols.status();
  EXPECT_EQ(call.used(), 0u);
}

TEST(SymbolBundle, IsGivenUpOnceNobodyWaits) {
  SymbolTable large = Sample();
  for (uint64_t i = 0; i < 5000; ++i) {
    FunctionSymbol function;
    function.address = large.functions.back().address + 1;
    function.name = "f";
    large.functions.push_back(function);
  }
  base::MemoryBudget budget(uint64_t{64} << 20);
  int asked = 0;
  base::DecodingCall call(budget, "a", [&] { return ++asked > 1; });
  const auto symbols =
      DecodeSymbolBundle(EncodeSymbolBundle(large), {.decoding = base::Decoding(call)});
  EXPECT_EQ(symbols.status().code(), absl::StatusCode::kCancelled) << symbols.status();
  EXPECT_EQ(call.used(), 0u);
}

}  // namespace

}  // namespace gprofhub::profile
