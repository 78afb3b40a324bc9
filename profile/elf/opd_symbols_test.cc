#include "profile/elf/opd_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "profile/testing/elf_builder.h"

namespace gprofhub::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

constexpr uint64_t kCode = 0x1000;
constexpr uint64_t kDescriptors = 0x2000;

// With code at [kCode, kCode + 64), and a descriptor of 24 bytes for each address.
class Program {
 public:
  explicit Program(const std::vector<uint64_t>& addresses, int byte_order = ELFDATA2MSB,
                   uint16_t machine = EM_PPC64, uint32_t type = SHT_PROGBITS)
      : builder_(ELFCLASS64, byte_order, machine) {
    std::string descriptors;
    for (const uint64_t address : addresses) {
      descriptors += builder_.Number(address, 8) + builder_.Number(0, 8) + builder_.Number(0, 8);
    }
    builder_.Add({".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, kCode, std::string(64, 'c')});
    builder_.Add({".opd", type, SHF_ALLOC | SHF_WRITE, kDescriptors, descriptors});
    auto file = OpenElfBytes(builder_.Bytes(), "dir/program");
    EXPECT_TRUE(file.ok()) << file.status();
    file_ = *std::move(file);
    auto section = FindDescriptors(*file_);
    EXPECT_TRUE(section.ok()) << section.status();
    section_ = *section;
  }

  const ElfFile& file() const { return *file_; }
  const DescriptorSection& section() const { return section_; }

 private:
  ElfBuilder builder_;
  std::unique_ptr<ElfFile> file_;
  DescriptorSection section_;
};

std::optional<uint64_t> CodeAt(const Program& program, uint64_t descriptor) {
  return CodeOf(program.file(), program.section(), descriptor);
}

TEST(Descriptors, LeadToCodeInBothByteOrders) {
  for (const int order : {ELFDATA2LSB, ELFDATA2MSB}) {
    const Program program({kCode, kCode + 16}, order);
    EXPECT_EQ(program.section().index, 2u);
    EXPECT_EQ(program.section().address, kDescriptors);
    EXPECT_THAT(CodeAt(program, kDescriptors), Optional(kCode));
    EXPECT_THAT(CodeAt(program, kDescriptors + 24), Optional(kCode + 16));
  }
}

TEST(Descriptors, OutsideTheSectionLeadNowhere) {
  const Program program({kCode});
  EXPECT_THAT(CodeAt(program, kDescriptors + 16), std::nullopt);  // 0 is not a code address
  for (const uint64_t descriptor :
       {kDescriptors - 8, kDescriptors + 17, kDescriptors + 24, uint64_t{0}, UINT64_MAX}) {
    EXPECT_EQ(CodeAt(program, descriptor), std::nullopt) << descriptor;
  }
}

TEST(Descriptors, ThatLeadOutOfTheCodeAreNone) {
  const Program program({kCode - 1, kCode + 63, kCode + 64, kDescriptors, UINT64_MAX});
  EXPECT_EQ(CodeAt(program, kDescriptors), std::nullopt);
  EXPECT_THAT(CodeAt(program, kDescriptors + 24), Optional(kCode + 63));
  for (int i = 2; i < 5; ++i) EXPECT_EQ(CodeAt(program, kDescriptors + 24 * i), std::nullopt) << i;
}

TEST(Descriptors, AreThoseOf64BitPowerPcOnly) {
  const Program other({kCode}, ELFDATA2MSB, EM_SPARCV9);
  EXPECT_EQ(other.section().index, 0u);
  EXPECT_EQ(CodeAt(other, kDescriptors), std::nullopt);
  const Program without_bytes({}, ELFDATA2MSB, EM_PPC64, SHT_NOBITS);
  EXPECT_EQ(without_bytes.section().index, 0u);
  const Program empty({});
  EXPECT_EQ(CodeAt(empty, kDescriptors), std::nullopt);
}

FunctionSymbol Symbol(const std::string& name, uint64_t address, bool is_local = false,
                      bool is_weak = false) {
  FunctionSymbol symbol;
  symbol.name = name;
  symbol.address = address;
  symbol.is_local = is_local;
  symbol.is_weak = is_weak;
  return symbol;
}

// "NAME ADDRESS INDEX" of each function, when the first free index is 7.
std::vector<std::string> Added(const Program& program, std::vector<FunctionSymbol> described,
                               SymbolTable symbols = {}) {
  AddDescribedFunctions(program.file(), program.section(), std::move(described), 7, symbols);
  std::vector<std::string> added;
  for (const FunctionSymbol& symbol : symbols.functions) {
    added.push_back(
        absl::StrCat(symbol.name, " ", symbol.address - kCode, " ", symbol.table_index));
  }
  return added;
}

TEST(DescribedFunctions, AreNamedWithADot) {
  const Program program({kCode + 16, kCode});
  EXPECT_THAT(Added(program, {Symbol("f", kDescriptors + 24), Symbol("g", kDescriptors)}),
              ElementsAre(".g 16 7", ".f 0 8"));
}

TEST(DescribedFunctions, AreNamedByTheFirstStrongSymbol) {
  const Program program({kCode});
  const FunctionSymbol local = Symbol("local", kDescriptors, true);
  const FunctionSymbol weak = Symbol("weak", kDescriptors, false, true);
  const FunctionSymbol strong = Symbol("strong", kDescriptors);
  const FunctionSymbol other = Symbol("other", kDescriptors);
  EXPECT_THAT(Added(program, {local, weak, strong, other}), ElementsAre(".strong 0 7"));
  EXPECT_THAT(Added(program, {weak, local}), ElementsAre(".weak 0 7"));
}

TEST(DescribedFunctions, AreNotAddedWhereTheCodeHasAName) {
  const Program program({kCode, kCode + 16});
  SymbolTable symbols;
  symbols.functions.push_back(Symbol("named", kCode));
  EXPECT_THAT(Added(program, {Symbol("f", kDescriptors), Symbol("g", kDescriptors + 24)}, symbols),
              ElementsAre("named 0 0", ".g 16 7"));
}

TEST(DescribedFunctions, AreNotAddedWhereNoCodeIs) {
  const Program program({kCode + 64});
  EXPECT_THAT(Added(program, {Symbol("f", kDescriptors), Symbol("g", 1)}), IsEmpty());
}

}  // namespace
}  // namespace gprofhub::profile
