#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/utsname.h>

#include <cstring>
#include <string>

#include "profile/format/recording.h"

extern "C" {
#include "runtime/base/config.h"
#include "runtime/recording/recording.h"
}

namespace {

using ::testing::HasSubstr;

// The description is read once in a process, so all is in one test.
TEST(EnvironmentTest, IsThatOfThisProcess) {
  std::strcpy(gh_config.tunables, "glibc.malloc.check=1");
  gprofhub_environment environment = {};
  gh_describe_environment(&environment);
  utsname kernel;
  ASSERT_EQ(uname(&kernel), 0);
  EXPECT_STREQ(environment.architecture, kernel.machine);
  EXPECT_STREQ(environment.emulator, "");
  EXPECT_STREQ(environment.tunables, "glibc.malloc.check=1");
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  EXPECT_EQ(environment.processors, CPU_COUNT(&allowed));
#ifdef __x86_64__
  EXPECT_NE(environment.processor[0], '\0');
  const std::string features = std::string(" ") + environment.features + " ";
  EXPECT_THAT(features, HasSubstr(" SSE2 "));
  const auto has = [&](const char* name) { return features.find(name) != std::string::npos; };
  EXPECT_EQ(has(" SSE4_2 "), __builtin_cpu_supports("sse4.2") != 0);
  EXPECT_EQ(has(" BMI2 "), __builtin_cpu_supports("bmi2") != 0);
  EXPECT_EQ(has(" AVX "), __builtin_cpu_supports("avx") != 0);
  EXPECT_EQ(has(" AVX2 "), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(has(" FMA "), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(has(" AVX512F "), __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(has(" AVX512VL "), __builtin_cpu_supports("avx512vl") != 0);
#endif
}

// A forked child may no longer be allowed to ask.
TEST(EnvironmentTest, IsKept) {
  gprofhub_environment first = {}, second = {};
  gh_describe_environment(&first);
  std::strcpy(gh_config.tunables, "glibc.malloc.check=2");
  gh_describe_environment(&second);
  EXPECT_EQ(std::memcmp(&first, &second, sizeof first), 0);
}

}  // namespace
