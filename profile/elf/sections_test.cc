#include "profile/elf/sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "profile/testing/dwarf_builder.h"

namespace gprofhub::profile {

namespace {

std::string Read(const std::string& bytes, uint32_t type = SHT_PROGBITS) {
  ElfBuilder elf;
  elf.Add({".comment", type, 0, 0, bytes});
  const auto file = OpenElfBytes(elf.Bytes(), "program");
  EXPECT_TRUE(file.ok()) << file.status();
  return CommentToolchain(**file);
}

const std::string kGcc = std::string("GCC: (Debian 12.2.0-14) 12.2.0") + '\0';
const std::string kClang = std::string("Debian clang version 14.0.6") + '\0';

TEST(CommentToolchain, IsTheOneThatTheCodeIsFrom) {
  EXPECT_EQ(Read(kGcc), "gcc 12.2.0");
  EXPECT_EQ(Read(kGcc + kClang), "clang 14.0.6");
  EXPECT_EQ(Read(kGcc + std::string("Linker: LLD 14.0.6") + '\0'), "gcc 12.2.0");
}

TEST(CommentToolchain, IsUnknownWhereItIsNotSaidOrSeveralAreNamed) {
  EXPECT_EQ(Read(""), "");
  EXPECT_EQ(Read(std::string(10, '\0')), "");
  EXPECT_EQ(Read(kGcc + std::string("GCC: (GNU) 11.1.0") + '\0'), "");
  EXPECT_EQ(Read(kGcc, SHT_NOBITS), "");
}

TEST(CommentToolchain, ReadsNoMoreThanTheBeginning) {
  EXPECT_EQ(Read(std::string(1 << 17, '\0') + kGcc), "");
  EXPECT_LE(Read(std::string(1 << 17, 'x')).size(), 300u);
}

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

std::string PackedByZstd(const std::string& content, bool with_size = true) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, with_size ? 1 : 0);
  std::string bytes(ZSTD_compressBound(content.size()), '\0');
  const size_t size =
      ZSTD_compress2(context, bytes.data(), bytes.size(), content.data(), content.size());
  ZSTD_freeCCtx(context);
  EXPECT_EQ(ZSTD_isError(size), 0u);
  bytes.resize(size);
  return bytes;
}

// For the whole file of `builder`, with as many bytes outside its sections.
absl::StatusOr<std::unique_ptr<ElfFile>> Inflated(ElfBuilder builder, uint64_t others) {
  builder.Add({".others", SHT_PROGBITS, 0, 0, std::string(others, 'o')});
  const auto file = OpenElfBytes(builder.Bytes(), "dir/program");
  EXPECT_TRUE(file.ok()) << file.status();
  return InflateDebugSections(**file);
}

constexpr uint32_t kZstd = 2;
const std::string kZeros(3 * kMegabyte, '\0');
constexpr uint64_t kOthers = 200'000;  // of which the zeros are less than 32 times as many

// With a compression header.
BuiltSection Claiming(int elf_class, int order, uint64_t claim, uint32_t type,
                      const std::string& bytes) {
  const ElfBuilder builder(elf_class, order);
  const std::string reserved = elf_class == ELFCLASS64 ? builder.Number(0, 4) : "";
  return {".debug_str", SHT_PROGBITS, SHF_COMPRESSED, 0,
          builder.Number(type, 4) + reserved + builder.Address(claim) + builder.Address(1) + bytes};
}

enum class Form { kZlib, kZstd, kOld };

class CompressedSections : public ::testing::TestWithParam<std::tuple<int, int, Form>> {
 protected:
  static std::string Packed(const std::string& content) {
    return std::get<2>(GetParam()) == Form::kZstd ? PackedByZstd(content) : Deflated(content);
  }

  // `claim`: declared size of the bytes that `packed` decompresses to.
  static absl::StatusOr<std::unique_ptr<ElfFile>> InflatedSection(uint64_t claim,
                                                                  const std::string& packed,
                                                                  uint64_t others = kOthers) {
    const auto [elf_class, order, form] = GetParam();
    ElfBuilder builder(elf_class, order);
    builder.Add({".debug_line", SHT_PROGBITS, 0, 0, "lines"});
    if (form == Form::kOld) {
      const std::string number = ElfBuilder(ELFCLASS64, ELFDATA2MSB).Number(claim, 8);
      builder.Add({".zdebug_str", SHT_PROGBITS, 0, 0, "ZLIB" + number + packed});
    } else {
      const uint32_t type = form == Form::kZstd ? kZstd : ELFCOMPRESS_ZLIB;
      builder.Add(Claiming(elf_class, order, claim, type, packed));
    }
    return Inflated(std::move(builder), others);
  }

  static absl::Status Check(uint64_t claim, const std::string& packed, uint64_t others = kOthers) {
    return InflatedSection(claim, packed, others).status();
  }
};

TEST_P(CompressedSections, AreDecompressedWithTheOtherDebugSections) {
  for (const std::string& content : {kZeros, std::string("text"), std::string()}) {
    const auto file = InflatedSection(content.size(), Packed(content));
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_NE(*file, nullptr);
    EXPECT_EQ((*file)->path, "dir/program");
    EXPECT_EQ(DebugSection(**file, "debug_str"), content);
    EXPECT_EQ(DebugSection(**file, "debug_line"), "lines");
    EXPECT_EQ((*file)->sections.size(), 4u);
    EXPECT_EQ((*file)->header.e_ident[EI_CLASS], std::get<0>(GetParam()));
  }
}

TEST_P(CompressedSections, ThatInflateToSomethingElseAreDamage) {
  for (const std::string& content : {kZeros, std::string(1000, 'x')}) {
    const std::string packed = Packed(content);
    for (const uint64_t claim : {content.size() - 1, content.size() + 1}) {
      const absl::Status status = Check(claim, packed);
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
      EXPECT_THAT(std::string(status.message()), HasSubstr("debug_str at byte "));
    }
    EXPECT_FALSE(Check(content.size(), packed.substr(0, packed.size() - 1)).ok());
    EXPECT_FALSE(Check(content.size(), "").ok());
    EXPECT_FALSE(Check(content.size(), "no such stream").ok());
  }
}

TEST_P(CompressedSections, ThatClaimMoreThan32TimesTheFileAreDamage) {
  EXPECT_FALSE(Check(kZeros.size(), Packed(kZeros), 50'000).ok());
  EXPECT_FALSE(Check(UINT32_MAX, Packed(kZeros)).ok());
}

INSTANTIATE_TEST_SUITE_P(All, CompressedSections,
                         ::testing::Combine(::testing::Values(ELFCLASS32, ELFCLASS64),
                                            ::testing::Values(ELFDATA2LSB, ELFDATA2MSB),
                                            ::testing::Values(Form::kZlib, Form::kZstd,
                                                              Form::kOld)));

absl::StatusOr<std::unique_ptr<ElfFile>> InflatedZstd(uint64_t claim, const std::string& frames) {
  ElfBuilder builder;
  builder.Add(Claiming(ELFCLASS64, ELFDATA2LSB, claim, kZstd, frames));
  return Inflated(builder, kOthers);
}

TEST(ZstdSections, MayHaveSeveralFramesWithAndWithoutTheirSizes) {
  for (const bool with_size : {true, false}) {
    const std::string frames =
        PackedByZstd("abc", with_size) + PackedByZstd("") + PackedByZstd("defg", with_size);
    const auto file = InflatedZstd(7, frames);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(DebugSection(**file, "debug_str"), "abcdefg");
    for (const uint64_t claim : {0, 3, 6, 8}) {
      EXPECT_FALSE(InflatedZstd(claim, frames).ok()) << claim;
    }
    for (size_t size = 0; size < frames.size(); ++size) {
      EXPECT_FALSE(InflatedZstd(7, frames.substr(0, size)).ok()) << size;
    }
  }
}

TEST(CompressedSectionsOfOtherKinds, AreRefusedByTheirNumber) {
  ElfBuilder builder;
  builder.Add(Claiming(ELFCLASS64, ELFDATA2LSB, 7, 99, "content"));
  const absl::Status status = Inflated(builder, kOthers).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("unknown method (type 99;"));
}

TEST(CompressedSectionsOfOtherKinds, ClaimsThatOverflowAddUpToDamage) {
  ElfBuilder builder;
  builder.Add(Claiming(ELFCLASS64, ELFDATA2LSB, UINT64_MAX - 10, ELFCOMPRESS_ZLIB, "content"));
  builder.Add(Claiming(ELFCLASS64, ELFDATA2LSB, 11 + 10, ELFCOMPRESS_ZLIB, "content"));
  EXPECT_EQ(Inflated(builder, kOthers).status().code(), absl::StatusCode::kDataLoss);
}

TEST(CompressedSectionsOfOtherKinds, WithoutAWholeHeaderAreDamage) {
  ElfBuilder builder;
  builder.Add({".debug_str", SHT_PROGBITS, SHF_COMPRESSED, 0, std::string(23, '\xff')});
  EXPECT_EQ(Inflated(builder, 0).status().code(), absl::StatusCode::kDataLoss);
}

TEST(CompressedSectionsOfOtherKinds, AreNotSeenInOtherSections) {
  ElfBuilder builder;
  builder.Add({".debug_line", SHT_PROGBITS, 0, 0, "lines"});
  builder.Add({".zdebug_line", SHT_PROGBITS, 0, 0, "ZLIB\xff\xff\xff\xff\xff\xff\xff"});
  builder.Add({".zdebug_info", SHT_PROGBITS, 0, 0, "else\xff\xff\xff\xff\xff\xff\xff\xff\xff"});
  builder.Add({".data", SHT_PROGBITS, 0, 0, "ZLIB\xff\xff\xff\xff\xff\xff\xff\xff\xff"});
  builder.Add({".debug_str", SHT_NOBITS, SHF_COMPRESSED, 0, "", 0, uint64_t{1} << 60});
  const auto file = Inflated(builder, 0);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(*file, nullptr);
}

namespace fs = std::filesystem;

constexpr char kBuildId[] = "\xab\xcd\xef\x01";

uint32_t ChecksumOf(const std::string& bytes) {
  return static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

BuiltSection Link(const std::string& name, uint32_t checksum) {
  std::string bytes = name + '\0';
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return {".gnu_debuglink", SHT_PROGBITS, 0, 0, bytes + ElfBuilder().Number(checksum, 4)};
}

class DebugFile : public ::testing::Test {
 protected:
  DebugFile() : folder_(fs::path(::testing::TempDir()) / "programs") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~DebugFile() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& bytes) const {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }

  // Path of the debug file found for a program, relative to the folder; empty: none.
  std::string FoundFor(const ElfBuilder& program) const {
    Write("program", program.Bytes());
    const auto file = OpenElfFile(folder_ / "program");
    EXPECT_TRUE(file.ok()) << file.status();
    const std::unique_ptr<ElfFile> found = FindDebugFile(**file);
    return found == nullptr ? "" : fs::path(found->path).lexically_relative(folder_).string();
  }

  static ElfBuilder WithBuildId(const std::string& id) {
    ElfBuilder builder;
    builder.Add(builder.BuildId(id));
    return builder;
  }

  static ElfBuilder WithLink(const std::string& name, uint32_t checksum) {
    ElfBuilder builder;
    builder.Add(Link(name, checksum));
    return builder;
  }

  const fs::path folder_;
};

TEST_F(DebugFile, IsFoundByBuildIdBesideTheProgramFirst) {
  const std::string debug = WithBuildId(kBuildId).Bytes();
  EXPECT_EQ(FoundFor(WithBuildId(kBuildId)), "");
  Write(".debug/.build-id/ab/cdef01.debug", debug);
  EXPECT_EQ(FoundFor(WithBuildId(kBuildId)), ".debug/.build-id/ab/cdef01.debug");
  Write(".build-id/ab/cdef01.debug", debug);
  EXPECT_EQ(FoundFor(WithBuildId(kBuildId)), ".build-id/ab/cdef01.debug");
}

TEST_F(DebugFile, OfAnotherBuildIdIsNotTaken) {
  Write(".build-id/ab/cdef01.debug", WithBuildId("\xab\xcd\xef\x02").Bytes());
  EXPECT_EQ(FoundFor(WithBuildId(kBuildId)), "");
  Write(".build-id/ab/cdef01.debug", ElfBuilder().Bytes());
  EXPECT_EQ(FoundFor(WithBuildId(kBuildId)), "");
  Write(".build-id/ab/cdef01.debug", "no ELF file");
  EXPECT_EQ(FoundFor(WithBuildId(kBuildId)), "");
}

TEST_F(DebugFile, OfABuildIdOfOneByteIsNotLookedFor) {
  Write(".build-id/ab/.debug", WithBuildId("\xab").Bytes());
  EXPECT_EQ(FoundFor(WithBuildId("\xab")), "");
}

TEST_F(DebugFile, IsFoundByLinkBesideTheProgramFirst) {
  ElfBuilder debug;
  debug.Add({".debug_line", SHT_PROGBITS, 0, 0, "lines"});
  const ElfBuilder program = WithLink("program.debug", ChecksumOf(debug.Bytes()));
  EXPECT_EQ(FoundFor(program), "");
  Write(".debug/program.debug", debug.Bytes());
  EXPECT_EQ(FoundFor(program), ".debug/program.debug");
  Write("program.debug", debug.Bytes());
  EXPECT_EQ(FoundFor(program), "program.debug");
}

TEST_F(DebugFile, OfAnotherChecksumIsNotTaken) {
  const std::string debug = ElfBuilder().Bytes();
  Write("program.debug", debug + "changed");
  Write(".debug/program.debug", debug);
  EXPECT_EQ(FoundFor(WithLink("program.debug", ChecksumOf(debug))), ".debug/program.debug");
  EXPECT_EQ(FoundFor(WithLink("program.debug", ChecksumOf(debug) + 1)), "");
}

TEST_F(DebugFile, ThatIsNoElfFileIsNotTaken) {
  Write("program.debug", "no ELF file");
  EXPECT_EQ(FoundFor(WithLink("program.debug", ChecksumOf("no ELF file"))), "");
}

class Supplement : public DebugFile {
 protected:
  // .debug_str of the file that a program refers to as `name`; empty: none is found.
  std::string StringsFor(const std::string& name) const {
    ElfBuilder program;
    program.Add({".gnu_debugaltlink", SHT_PROGBITS, 0, 0, name + '\0' + kBuildId});
    Write("program", program.Bytes());
    const auto file = OpenElfFile(folder_ / "program");
    EXPECT_TRUE(file.ok()) << file.status();
    EXPECT_TRUE(OpenSupplement(**file).ok());
    const auto& supplement = (*file)->supplement;
    return supplement == nullptr ? "" : std::string(DebugSection(*supplement, "debug_str"));
  }

  // As dwz writes it: not linked.
  static std::string Shared(const std::string& id) {
    ElfBuilder builder = WithBuildId(id);
    builder.type = ET_REL;
    builder.Add(Claiming(ELFCLASS64, ELFDATA2LSB, 7, kZstd, PackedByZstd("strings")));
    return builder.Bytes();
  }
};

TEST_F(Supplement, IsFoundByItsNameAndByBuildId) {
  EXPECT_EQ(StringsFor("shared.debug"), "");
  Write("shared.debug", Shared(kBuildId));
  EXPECT_EQ(StringsFor("shared.debug"), "strings");
  EXPECT_EQ(StringsFor(folder_ / "shared.debug"), "strings");
  EXPECT_EQ(StringsFor("/none/other.debug"), "");
  Write(".build-id/ab/cdef01.debug", Shared(kBuildId));
  EXPECT_EQ(StringsFor("/none/other.debug"), "strings");
}

TEST_F(Supplement, OfAnotherBuildIdIsNotTaken) {
  Write("shared.debug", Shared("\xab\xcd\xef\x02"));
  EXPECT_EQ(StringsFor("shared.debug"), "");
}

TEST_F(DebugFile, ALinkMayNotLeadOutOfTheFolders) {
  const std::string debug = ElfBuilder().Bytes();
  Write("sub/program.debug", debug);
  EXPECT_EQ(FoundFor(WithLink("sub/program.debug", ChecksumOf(debug))), "");
  EXPECT_EQ(FoundFor(WithLink(folder_ / "sub/program.debug", ChecksumOf(debug))), "");
  EXPECT_EQ(FoundFor(WithLink("", ChecksumOf(debug))), "");
  EXPECT_EQ(FoundFor(WithLink("..", ChecksumOf(""))), "");
}

TEST_F(DebugFile, LinksThatDoNotEndAreNone) {
  ElfBuilder program;
  program.Add({".gnu_debuglink", SHT_PROGBITS, 0, 0, "program.debug"});
  EXPECT_EQ(FoundFor(program), "");
}

TEST_F(DebugFile, AProgramInMemoryHasNone) {
  Write(".build-id/ab/cdef01.debug", WithBuildId(kBuildId).Bytes());
  const auto file = OpenElfBytes(WithBuildId(kBuildId).Bytes(), (folder_ / "program").string());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(FindDebugFile(**file), nullptr);
}

std::string Xz(const std::string& bytes) {
  std::string packed(lzma_stream_buffer_bound(bytes.size()), '\0');
  size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nullptr,
                                    reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                                    reinterpret_cast<uint8_t*>(&packed[0]), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

std::string FileWith(std::string section) {
  ElfBuilder builder;
  builder.Add({".gnu_debugdata", SHT_PROGBITS, 0, 0, std::move(section)});
  return builder.Bytes();
}

absl::StatusOr<std::unique_ptr<ElfFile>> Open(const std::string& bytes) {
  const auto file = OpenElfBytes(bytes, "library.so");
  EXPECT_TRUE(file.ok()) << file.status();
  return OpenMiniSymbols(**file);
}

TEST(MiniSymbols, AreAFileWithinTheFile) {
  ElfBuilder inner;
  inner.Add({".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, ""});
  const auto mini = Open(FileWith(Xz(inner.Bytes())));
  ASSERT_TRUE(mini.ok()) << mini.status();
  ASSERT_NE(*mini, nullptr);
  EXPECT_EQ((*mini)->sections.at(1).name, ".text");
}

TEST(MiniSymbols, AreAbsentFromMostFiles) {
  const auto mini = Open(ElfBuilder().Bytes());
  ASSERT_TRUE(mini.ok()) << mini.status();
  EXPECT_EQ(*mini, nullptr);
}

TEST(MiniSymbols, ThatDoNotInflateAreDamage) {
  const std::string packed = Xz(ElfBuilder().Bytes());
  for (size_t size = 0; size < packed.size(); ++size) {
    EXPECT_EQ(Open(FileWith(packed.substr(0, size))).status().code(), absl::StatusCode::kDataLoss)
        << size;
  }
  EXPECT_EQ(Open(FileWith("no xz")).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(Open(FileWith(Xz("no ELF file"))).ok());
}

// 64 MiB of zeros compress to 10 KiB: the size of the file limits the inflated size.
TEST(MiniSymbols, ThatInflateToMuchMoreAreDamage) {
  EXPECT_EQ(Open(FileWith(Xz(std::string(64 << 20, '\0')))).status().code(),
            absl::StatusCode::kDataLoss);
}

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
