#include "profile/elf/compressed_sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <tuple>

#include "profile/testing/elf_builder.h"

namespace gprofhub::profile {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kMegabyte = uint64_t{1} << 20;

std::string Deflated(const std::string& content) {
  uLongf size = compressBound(content.size());
  std::string bytes(size, '\0');
  EXPECT_EQ(compress2(reinterpret_cast<Bytef*>(bytes.data()), &size,
                      reinterpret_cast<const Bytef*>(content.data()), content.size(), 9),
            Z_OK);
  bytes.resize(size);
  return bytes;
}

// Checks the whole file of `builder`, with as many bytes outside its sections.
absl::Status Check(ElfBuilder builder, uint64_t others) {
  builder.Add({".others", SHT_PROGBITS, 0, 0, std::string(others, 'o')});
  const auto file = OpenElfBytes(builder.Bytes(), "dir/program");
  EXPECT_TRUE(file.ok()) << file.status();
  return CheckCompressedSections(**file);
}

const std::string kZeros(3 * kMegabyte, '\0');
constexpr uint64_t kOthers = 200'000;  // of which the zeros are less than 32 times as many

class CompressedSections : public ::testing::TestWithParam<std::tuple<int, int, bool>> {
 protected:
  // `claim`: declared size of the bytes that `deflated` inflates to.
  absl::Status CheckSection(uint64_t claim, const std::string& deflated,
                            uint32_t type = ELFCOMPRESS_ZLIB, uint64_t others = kOthers) const {
    const auto [elf_class, order, is_old] = GetParam();
    ElfBuilder builder(elf_class, order);
    if (is_old) {
      const std::string number = ElfBuilder(ELFCLASS64, ELFDATA2MSB).Number(claim, 8);
      builder.Add({".zdebug_str", SHT_PROGBITS, 0, 0, "ZLIB" + number + deflated});
    } else {
      const std::string reserved = elf_class == ELFCLASS64 ? builder.Number(0, 4) : "";
      builder.Add({".debug_str", SHT_PROGBITS, SHF_COMPRESSED, 0,
                   builder.Number(type, 4) + reserved + builder.Address(claim) +
                       builder.Address(1) + deflated});
    }
    return Check(std::move(builder), others);
  }
};

TEST_P(CompressedSections, ThatInflateToWhatTheyClaimAreSound) {
  EXPECT_TRUE(CheckSection(kZeros.size(), Deflated(kZeros)).ok());
}

TEST_P(CompressedSections, ThatInflateToSomethingElseAreDamage) {
  for (const uint64_t claim : {kZeros.size() - 1, kZeros.size() + 1}) {
    const absl::Status status = CheckSection(claim, Deflated(kZeros));
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("debug_str at byte "));
  }
  const std::string deflated = Deflated(kZeros);
  EXPECT_FALSE(CheckSection(kZeros.size(), deflated.substr(0, deflated.size() - 1)).ok());
  EXPECT_FALSE(CheckSection(kZeros.size(), "").ok());
  EXPECT_FALSE(CheckSection(kZeros.size(), "no such stream").ok());
}

TEST_P(CompressedSections, ThatClaimMoreThan32TimesTheFileAreDamage) {
  EXPECT_FALSE(CheckSection(kZeros.size(), Deflated(kZeros), ELFCOMPRESS_ZLIB, 50'000).ok());
}

TEST_P(CompressedSections, ThatClaimLittleAreLeftToElfutils) {
  EXPECT_TRUE(CheckSection(kMegabyte, "no such stream").ok());
}

INSTANTIATE_TEST_SUITE_P(All, CompressedSections,
                         ::testing::Combine(::testing::Values(ELFCLASS32, ELFCLASS64),
                                            ::testing::Values(ELFDATA2LSB, ELFDATA2MSB),
                                            ::testing::Bool()));

BuiltSection Claiming(const ElfBuilder& builder, uint64_t claim, uint32_t type) {
  return {".debug_str", SHT_PROGBITS, SHF_COMPRESSED, 0,
          builder.Number(type, 4) + builder.Number(0, 4) + builder.Number(claim, 8) +
              builder.Number(1, 8) + "content"};
}

TEST(CompressedSectionsOfOtherKinds, AreHeldToTheSumOfTheirClaimsOnly) {
  constexpr uint32_t kUnknown = 99;
  ElfBuilder builder;
  builder.Add(Claiming(builder, 3 * kMegabyte, kUnknown));
  EXPECT_TRUE(Check(builder, kOthers).ok());
  builder.Add(Claiming(builder, 4 * kMegabyte, kUnknown));
  EXPECT_FALSE(Check(builder, kOthers).ok());
}

TEST(CompressedSectionsOfOtherKinds, ClaimsThatOverflowAddUpToDamage) {
  ElfBuilder builder;
  builder.Add(Claiming(builder, UINT64_MAX - 10, ELFCOMPRESS_ZLIB));
  builder.Add(Claiming(builder, 11 + 10, ELFCOMPRESS_ZLIB));
  EXPECT_EQ(Check(builder, kOthers).code(), absl::StatusCode::kDataLoss);
}

TEST(CompressedSectionsOfOtherKinds, WithoutAWholeHeaderAreNone) {
  ElfBuilder builder;
  builder.Add({".debug_str", SHT_PROGBITS, SHF_COMPRESSED, 0, std::string(23, '\xff')});
  builder.Add({".zdebug_line", SHT_PROGBITS, 0, 0, "ZLIB\xff\xff\xff\xff\xff\xff\xff"});
  builder.Add({".zdebug_info", SHT_PROGBITS, 0, 0, "else\xff\xff\xff\xff\xff\xff\xff\xff\xff"});
  builder.Add({".data", SHT_PROGBITS, 0, 0, "ZLIB\xff\xff\xff\xff\xff\xff\xff\xff\xff"});
  builder.Add({".bss", SHT_NOBITS, SHF_COMPRESSED, 0, "", 0, uint64_t{1} << 60});
  EXPECT_TRUE(Check(builder, 0).ok()) << Check(builder, 0);
}

}  // namespace
}  // namespace gprofhub::profile
