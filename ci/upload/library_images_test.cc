// A system library whose functions were called and counted: its symbols are read from its path at
// runtime, if the file there is still that build.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "ci/upload/testing/upload_fixture.h"
#include "profile/elf/read_image.h"
#include "profile/testing/sample_profile.h"

namespace gprofhub::ci {

namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint64_t kProgramAt = 0x10000000;
constexpr uint64_t kLibraryAt = 0x7f0000000000;

uint64_t AddressOf(const profile::SymbolTable& symbols, const std::string& name) {
  for (const profile::FunctionSymbol& symbol : symbols.functions) {
    if (symbol.name == name) return symbol.address;
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

gprofhub_module Module(const std::string& path, const std::string& build_id, uint64_t at,
                       const profile::SymbolTable& symbols) {
  gprofhub_module module = {};
  module.low = module.bias = at;
  module.high = at + symbols.text_high + 0x1000;
  module.text_low = symbols.text_low;
  module.text_high = symbols.text_high;
  module.state = 1;
  const std::string bytes = absl::HexStringToBytes(build_id);
  module.build_id_bytes = static_cast<uint32_t>(bytes.size());
  std::memcpy(module.build_id, bytes.data(), bytes.size());
  path.copy(module.path, sizeof module.path - 1);
  return module;
}

class LibraryImages : public UploadTest {
 protected:
  LibraryImages() {
    Dl_info found = {};
    EXPECT_NE(dladdr(reinterpret_cast<void*>(&fsync), &found), 0);
    library_ = found.dli_fname;
    const auto build_id = profile::ReadElfBuildId(library_);
    EXPECT_TRUE(build_id.ok()) << build_id.status();
    build_id_ = *build_id;
  }

  // A recording of the toy program whose main called fsync of a library with this build-id.
  std::string Recording(const std::string& build_id) const {
    const auto program = profile::ReadElfSymbols(Program());
    const auto library = profile::ReadElfSymbols(library_);
    EXPECT_TRUE(program.ok() && library.ok());
    profile::RecordingBuilder recording;
    std::strcpy(recording.header.program, Program().c_str());
    recording.Add(GPROFHUB_MODULES, std::vector<gprofhub_module>{
                                        Module(Program(), ProgramBuildId(), kProgramAt, *program),
                                        Module(library_, build_id, kLibraryAt, *library)});
    const uint64_t main = kProgramAt + AddressOf(*program, "main");
    const uint64_t fsync = kLibraryAt + AddressOf(*library, "fsync");
    recording.AddTable(GPROFHUB_ARCS, {{main + 4, main + 1, 1, 0}, {fsync, main + 9, 2, 0}});
    return recording.Bytes();
  }

  std::string library_, build_id_;
};

TEST_F(LibraryImages, AreReadWhereTheyRan) {
  AddAttempt("//a:t", {{"toy.7.gprofhub", Recording(build_id_)}});
  EXPECT_THAT(Upload().skipped, IsEmpty());
  ASSERT_THAT(headers_, SizeIs(1));
  std::vector<std::string> images;
  for (const auto& image : headers_[0].images()) images.push_back(image.build_id());
  EXPECT_THAT(images, testing::UnorderedElementsAre(ProgramBuildId(), build_id_));
}

TEST_F(LibraryImages, OfAnotherBuildAreNotTaken) {
  std::string other = build_id_;
  other[0] = other[0] == '0' ? '1' : '0';
  AddAttempt("//a:t", {{"toy.7.gprofhub", Recording(other)}});
  const UploadSummary summary = Upload();
  ASSERT_THAT(summary.skipped, SizeIs(1));
  EXPECT_THAT(summary.skipped[0], HasSubstr(other));
  ASSERT_THAT(headers_, SizeIs(1));
  EXPECT_EQ(headers_[0].images_size(), 1);
}

}  // namespace

}  // namespace gprofhub::ci
