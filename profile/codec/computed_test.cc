#include "profile/codec/computed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "base/memory_budget.h"
#include "profile/codec/message.h"
#include "proto/computed.pb.h"

namespace gprofhub::profile {

namespace {

using ::testing::HasSubstr;

ComputedProfile Sample() {
  ComputedProfile profile;
  profile.strings = {"", "main", "a.c", "pro\xffgram", "helper", "gcc 12.2.0 -O2"};
  profile.sample_rate = 100;
  profile.total_samples = 12.5;
  profile.unattributed_samples = 0.5;
  profile.overhead_samples = 1.5;
  profile.stack_samples = 11;
  profile.complete_stack_samples = 10;
  profile.sampled_calls = true;
  profile.incomplete_calls = true;
  profile.repetitions = 2;
  profile.profiles = 3;
  profile.functions = {{1, 2, 10, 3, 64, false, false, 0, 0, 2, 10, 0},
                       {4, 2, 20, 3, 32, true, false, 7, 1, 9.25, 0.75, 1},
                       {4, 0, 0, 3, 0, false, true, 0, 0, 1, 0, 0}};
  profile.functions[0].toolchain = 5;
  profile.functions[1].never_inlined = true;
  profile.functions[0].asks = kAsksClock | kAsksProcess;
  profile.arcs = {{0, 1, 2, 12, 20, 7, 9.25, 0.75}, {3, 0, 0, 0, 0, 1, 0, 0}};
  profile.warnings = {"samples were lost"};
  profile.inlined = {{0, 17}, {1, 4}};
  profile.aliases = {{1, 1}, {1, 2}};
  profile.lines = {{0, 2, 11, 40, 0}, {1, 2, 21, 32, 9.25}};
  profile.environments = {{"x86_64", "qemu-x86_64", "vendor \xff", "AVX AVX2", "glibc.a=1", 2},
                          {"x86_64", "", "", "", "", 0}};
  return profile;
}

std::string Changed(const std::function<void(v1::ComputedProfile&)>& change) {
  v1::ComputedProfile message;
  EXPECT_TRUE(DecodeMessage(EncodeComputedProfile(Sample()), "computed profile",
                            {8, 9, 15, 16, 18, 19}, message)
                  .ok());
  change(message);
  return EncodeMessage(message);
}

void ExpectError(const std::string& bytes, const std::string& message) {
  auto profile = DecodeComputedProfile(bytes);
  ASSERT_FALSE(profile.ok());
  EXPECT_THAT(std::string(profile.status().message()), HasSubstr(message));
}

TEST(ComputedCodec, IsDecodedWithinItsBudget) {
  ComputedProfile large = Sample();
  large.functions.resize(20'000, large.functions[0]);
  const std::string bytes = EncodeComputedProfile(large);
  base::MemoryBudget budget(uint64_t{64} << 20);
  base::DecodingCall call(budget, "a", nullptr);
  const base::Decoding decoding(call);
  const auto profile = DecodeComputedProfile(bytes, decoding);
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_GE(call.used(), 20'000 * sizeof(FunctionCost));
  EXPECT_LE(call.used(), 21'000 * sizeof(FunctionCost));

  base::MemoryBudget small(uint64_t{1} << 20);
  base::DecodingCall of_small(small, "a", nullptr);
  EXPECT_EQ(DecodeComputedProfile(bytes, base::Decoding(of_small)).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(of_small.used(), 0u);
}

TEST(ComputedCodec, ComesBackAsItWas) {
  const ComputedProfile sample = Sample();
  auto profile = DecodeComputedProfile(EncodeComputedProfile(sample));
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->strings, sample.strings);
  EXPECT_EQ(profile->sample_rate, sample.sample_rate);
  EXPECT_EQ(profile->dimension, sample.dimension);
  EXPECT_EQ(profile->total_samples, sample.total_samples);
  EXPECT_EQ(profile->unattributed_samples, sample.unattributed_samples);
  EXPECT_EQ(profile->overhead_samples, sample.overhead_samples);
  EXPECT_EQ(profile->stack_samples, sample.stack_samples);
  EXPECT_EQ(profile->complete_stack_samples, sample.complete_stack_samples);
  EXPECT_EQ(profile->sampled_calls, sample.sampled_calls);
  EXPECT_EQ(profile->incomplete_calls, sample.incomplete_calls);
  EXPECT_EQ(profile->repetitions, sample.repetitions);
  EXPECT_EQ(profile->profiles, sample.profiles);
  EXPECT_EQ(profile->warnings, sample.warnings);
  EXPECT_EQ(profile->environments, sample.environments);
  ASSERT_EQ(profile->functions.size(), sample.functions.size());
  for (size_t i = 0; i < sample.functions.size(); ++i) {
    const FunctionCost& a = profile->functions[i];
    const FunctionCost& b = sample.functions[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.file, b.file);
    EXPECT_EQ(a.line, b.line);
    EXPECT_EQ(a.image, b.image);
    EXPECT_EQ(a.size, b.size);
    EXPECT_EQ(a.is_static, b.is_static);
    EXPECT_EQ(a.is_module, b.is_module);
    EXPECT_EQ(a.calls, b.calls);
    EXPECT_EQ(a.self_calls, b.self_calls);
    EXPECT_EQ(a.self_samples, b.self_samples);
    EXPECT_EQ(a.child_samples, b.child_samples);
    EXPECT_EQ(a.cycle, b.cycle);
    EXPECT_EQ(a.toolchain, b.toolchain);
    EXPECT_EQ(a.never_inlined, b.never_inlined);
    EXPECT_EQ(a.asks, b.asks);
  }
  ASSERT_EQ(profile->inlined.size(), sample.inlined.size());
  for (size_t i = 0; i < sample.inlined.size(); ++i) {
    EXPECT_EQ(profile->inlined[i].function, sample.inlined[i].function);
    EXPECT_EQ(profile->inlined[i].name, sample.inlined[i].name);
  }
  ASSERT_EQ(profile->arcs.size(), sample.arcs.size());
  for (size_t i = 0; i < sample.arcs.size(); ++i) {
    const ArcCost& a = profile->arcs[i];
    const ArcCost& b = sample.arcs[i];
    EXPECT_EQ(a.caller, b.caller);
    EXPECT_EQ(a.callee, b.callee);
    EXPECT_EQ(a.site_file, b.site_file);
    EXPECT_EQ(a.site_line, b.site_line);
    EXPECT_EQ(a.site_offset, b.site_offset);
    EXPECT_EQ(a.count, b.count);
    EXPECT_EQ(a.self_samples, b.self_samples);
    EXPECT_EQ(a.child_samples, b.child_samples);
  }
}

TEST(ComputedCodec, NamesAnInlinedFunctionThatIsWrong) {
  ExpectError(Changed([](auto& message) { message.mutable_inlined()->set_function(1, 3); }),
              "inlined.function, row 1");
  ExpectError(Changed([](auto& message) { message.mutable_inlined()->add_name(1); }),
              "columns differ in length");
}

TEST(ComputedCodec, OfOldDoesNotKnowToolchains) {
  const auto profile = DecodeComputedProfile(Changed(
      [](v1::ComputedProfile& message) { message.mutable_functions()->clear_toolchain(); }));
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->functions[0].toolchain, 0u);
}

TEST(ComputedCodec, NamesAToolchainThatIsWrong) {
  ExpectError(Changed([](v1::ComputedProfile& message) {
                message.mutable_functions()->set_toolchain(0, 6);
              }),
              "functions.toolchain, row 0");
  ExpectError(Changed([](v1::ComputedProfile& message) {
                message.mutable_functions()->mutable_toolchain()->RemoveLast();
              }),
              "functions.toolchain");
}

TEST(ComputedCodec, NamesEnvironmentsThatAreWrong) {
  ExpectError(Changed([](v1::ComputedProfile& message) {
                while (message.environments_size() <= static_cast<int>(kMostEnvironments)) {
                  message.add_environments()->set_processors(1);
                }
              }),
              "environments: more than 8");
  ExpectError(Changed([](v1::ComputedProfile& message) {
                message.mutable_environments(1)->set_tunables(std::string(5000, 'a'));
              }),
              "environments: is too long");
  const auto content = Decompress(EncodeComputedProfile(Sample()), "profile");
  ASSERT_TRUE(content.ok());
  // Field 19: a number, and a message that is cut off.
  ExpectError(Compress(*content + "\x98\x01\x05"), "environments: is of another type");
  ExpectError(Compress(*content + "\x9a\x01\x02\x0a\x05"), "environments: is not a message");
}

TEST(ComputedCodec, SameProfileGivesSameBytes) {
  EXPECT_EQ(EncodeComputedProfile(Sample()), EncodeComputedProfile(Sample()));
}

TEST(ComputedCodec, EveryPrefixIsAnError) {
  const std::string bytes = EncodeComputedProfile(Sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeComputedProfile(bytes.substr(0, size)).ok()) << size;
  }
}

TEST(ComputedCodec, ColumnsOfDifferentLength) {
  ExpectError(Changed([](auto& message) { message.mutable_functions()->add_cycle(0); }),
              "functions: its columns differ");
  ExpectError(Changed([](auto& message) { message.mutable_arcs()->add_count(0); }),
              "arcs: its columns differ");
}

TEST(ComputedCodec, IndexOutOfRange) {
  ExpectError(Changed([](auto& message) { message.mutable_functions()->set_image(1, 6); }),
              "functions.name, file or image, row 1");
  ExpectError(Changed([](auto& message) { message.mutable_functions()->set_cycle(1, 4); }),
              "functions.cycle, row 1");
  ExpectError(Changed([](auto& message) { message.mutable_arcs()->set_caller(0, 4); }),
              "arcs.caller or callee, row 0");
  ExpectError(Changed([](auto& message) { message.mutable_arcs()->set_callee(0, 3); }),
              "arcs.caller or callee, row 0");
  ExpectError(Changed([](auto& message) { message.mutable_arcs()->set_site_file(0, 6); }),
              "arcs.site_file, row 0");
}

TEST(ComputedCodec, NumberThatIsNone) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ExpectError(Changed([](auto& message) { message.set_sample_rate(-1); }), "sample_rate");
  ExpectError(Changed([](auto& message) { message.set_total_samples(kNan); }), "total_samples");
  ExpectError(Changed([](auto& message) { message.set_unattributed_samples(kInfinity); }),
              "unattributed_samples");
  ExpectError(
      Changed([](auto& message) { message.mutable_functions()->set_self_samples(0, kInfinity); }),
      "functions.self_samples or child_samples, row 0");
  ExpectError(Changed([](auto& message) { message.mutable_arcs()->set_child_samples(1, kNan); }),
              "arcs.self_samples or child_samples, row 1");
}

TEST(ComputedCodec, ATableThatComesTwice) {
  v1::ComputedProfile arcs;
  arcs.mutable_arcs();
  const auto content = Decompress(EncodeComputedProfile(Sample()), "computed profile");
  ASSERT_TRUE(content.ok()) << content.status();
  ExpectError(Compress(*content + arcs.SerializeAsString()),
              "arcs: is not a table, or is repeated");
}

TEST(ComputedCodec, AFieldOfALaterVersionIsNotRead) {
  const auto content = Decompress(EncodeComputedProfile(Sample()), "computed profile");
  ASSERT_TRUE(content.ok()) << content.status();
  const auto profile = DecodeComputedProfile(Compress(*content + "\xfa\1\1x"));
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->strings, Sample().strings);
}

TEST(ComputedCodec, NoRepetitions) {
  ExpectError(Changed([](auto& message) { message.set_repetitions(0); }), "repetitions: is 0");
}

TEST(ComputedCodec, KeepsTheOtherNamesOfFunctions) {
  const auto profile = DecodeComputedProfile(EncodeComputedProfile(Sample()));
  ASSERT_TRUE(profile.ok()) << profile.status();
  ASSERT_EQ(profile->aliases.size(), 2u);
  EXPECT_EQ(profile->aliases[1].function, 1u);
  EXPECT_EQ(profile->aliases[1].name, 2u);
  ExpectError(Changed([](auto& message) { message.mutable_aliases()->set_function(0, 3); }),
              "aliases.function, row 0: is not the row of a function");
  ExpectError(Changed([](auto& message) { message.mutable_aliases()->set_name(0, 6); }),
              "aliases.name, row 0: is not the index of a string");
  ExpectError(Changed([](auto& message) { message.mutable_aliases()->clear_name(); }),
              "aliases: its columns differ in length");
}

TEST(ComputedCodec, KeepsTheLinesOfFunctions) {
  const auto profile = DecodeComputedProfile(EncodeComputedProfile(Sample()));
  ASSERT_TRUE(profile.ok()) << profile.status();
  ASSERT_EQ(profile->lines.size(), 2u);
  EXPECT_EQ(profile->lines[1].function, 1u);
  EXPECT_EQ(profile->lines[1].file, 2u);
  EXPECT_EQ(profile->lines[1].line, 21u);
  EXPECT_EQ(profile->lines[1].bytes, 32u);
  EXPECT_EQ(profile->lines[1].samples, 9.25);
  ExpectError(Changed([](auto& message) { message.mutable_lines()->set_function(1, 3); }),
              "lines.function, row 1: is not the row of a function");
  ExpectError(Changed([](auto& message) { message.mutable_lines()->set_file(0, 6); }),
              "lines.file, row 0: is not the index of a string");
  ExpectError(Changed([](auto& message) { message.mutable_lines()->set_samples(0, NAN); }),
              "lines.samples, row 0: is not a number");
  ExpectError(Changed([](auto& message) { message.mutable_lines()->clear_bytes(); }),
              "lines: its columns differ in length");
}

}  // namespace

}  // namespace gprofhub::profile
