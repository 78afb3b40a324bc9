#include <elf.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "profile/format/recording.h"

extern "C" {
#include "runtime/recording/modules.h"
}

namespace {

constexpr uint64_t kPage = GPROFHUB_PAGE_BYTES;
constexpr uint64_t kLinkedAt = 0x400000;

// Four pages that simulate a loaded ELF object: headers, notes at byte 1024, and code in the second
// page. The memory after it is not readable.
class LoadedObject {
 public:
  LoadedObject() {
    low_ = static_cast<char*>(
        mmap(nullptr, 5 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(low_ + 4 * kPage, kPage, PROT_NONE);
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    segments.push_back(Segment(PT_LOAD, PF_R, 0, kPage));
    segments.push_back(Segment(PT_LOAD, PF_R | PF_X, kPage + 16, 100));
    segments.push_back(Segment(PT_LOAD, PF_R | PF_W, 3 * kPage, 50));
  }
  LoadedObject(const LoadedObject&) = delete;
  ~LoadedObject() { munmap(low_, 5 * kPage); }

  static Elf64_Phdr Segment(uint32_t type, uint32_t flags, uint64_t at, uint64_t bytes) {
    Elf64_Phdr segment = {};
    segment.p_type = type;
    segment.p_flags = flags;
    segment.p_vaddr = kLinkedAt + at;
    segment.p_memsz = bytes;
    return segment;
  }

  void AddNotes(const std::string& notes) {
    std::memcpy(low_ + 1024, notes.data(), notes.size());
    segments.push_back(Segment(PT_NOTE, PF_R, 1024, notes.size()));
  }

  // Whether it is described, with the code in the second page or `code_page`.
  bool Describe(uint64_t code_page = 1) {
    if (header.e_phnum == 0) header.e_phnum = static_cast<uint16_t>(segments.size());
    std::memcpy(low_, &header, sizeof header);
    std::memcpy(low_ + sizeof header, segments.data(),
                std::min<size_t>(segments.size() * sizeof segments[0], 1024 - sizeof header));
    module = {};
    return gh_describe_elf(&module, Low(), Low() + code_page * kPage,
                           Low() + (code_page + 1) * kPage) != 0;
  }

  uint64_t Low() const { return reinterpret_cast<uint64_t>(low_); }

  std::string BuildId() const {
    return std::string(reinterpret_cast<const char*>(module.build_id), module.build_id_bytes);
  }

  Elf64_Ehdr header = {};
  std::vector<Elf64_Phdr> segments;
  gprofhub_module module = {};

 private:
  char* low_;
};

std::string Note(const std::string& name, uint32_t type, const std::string& content) {
  const Elf64_Nhdr header = {static_cast<Elf64_Word>(name.size()),
                             static_cast<Elf64_Word>(content.size()), type};
  std::string note(reinterpret_cast<const char*>(&header), sizeof header);
  note += name;
  note.resize((note.size() + 3) / 4 * 4);
  note += content;
  note.resize((note.size() + 3) / 4 * 4);
  return note;
}
const std::string kGnu("GNU\0", 4);

TEST(LoadedElfObject, SaysWhereItLies) {
  LoadedObject object;
  ASSERT_TRUE(object.Describe());
  EXPECT_EQ(object.module.low, object.Low());
  EXPECT_EQ(object.module.high, object.Low() + 4 * kPage);
  EXPECT_EQ(object.module.bias, object.Low() - kLinkedAt);
  EXPECT_EQ(object.module.text_low, kLinkedAt + kPage + 16);
  EXPECT_EQ(object.module.text_high, kLinkedAt + kPage + 116);
  EXPECT_EQ(object.BuildId(), "");
}

TEST(LoadedElfObject, HasItsBuildId) {
  LoadedObject object;
  object.AddNotes(Note("Linux", 1, "x") + Note(kGnu, NT_GNU_ABI_TAG, "tag") +
                  Note(kGnu, NT_GNU_BUILD_ID, "the build-id") + Note(kGnu, NT_GNU_BUILD_ID, "2"));
  ASSERT_TRUE(object.Describe());
  EXPECT_EQ(object.BuildId(), "the build-id");
}

TEST(LoadedElfObject, ALongBuildIdIsCut) {
  LoadedObject object;
  object.AddNotes(Note(kGnu, NT_GNU_BUILD_ID, std::string(64, 'i')));
  ASSERT_TRUE(object.Describe());
  EXPECT_EQ(object.BuildId(), std::string(32, 'i'));
}

TEST(LoadedElfObject, NotesThatEndBeyondTheirSegmentAreNone) {
  for (const size_t field : {offsetof(Elf64_Nhdr, n_namesz), offsetof(Elf64_Nhdr, n_descsz)}) {
    for (const uint32_t size : {17u, 0xfffffffcu, 0xffffffffu}) {
      std::string note = Note(kGnu, NT_GNU_BUILD_ID, "id");
      std::memcpy(&note[field], &size, sizeof size);
      LoadedObject object;
      object.AddNotes(note);
      ASSERT_TRUE(object.Describe());
      EXPECT_EQ(object.BuildId(), "") << field << " " << size;
    }
  }
}

TEST(LoadedElfObject, NotesThatCannotBeReadAreNone) {
  LoadedObject object;
  object.segments.push_back(LoadedObject::Segment(PT_NOTE, PF_R, 4 * kPage, 100));
  ASSERT_TRUE(object.Describe());
  EXPECT_EQ(object.BuildId(), "");
}

TEST(LoadedElfObject, IsNoneWhereItsCodeIsNotMapped) {
  LoadedObject object;
  EXPECT_FALSE(object.Describe(0));
  EXPECT_FALSE(object.Describe(2));
}

TEST(LoadedElfObject, IsNoneWithoutCode) {
  LoadedObject object;
  object.segments[1].p_flags = PF_R;
  EXPECT_FALSE(object.Describe());
}

TEST(LoadedElfObject, OtherFilesAreNone) {
  LoadedObject object;
  object.header.e_ident[3] = 'G';
  EXPECT_FALSE(object.Describe());
  gprofhub_module module = {};
  const uint64_t unreadable = object.Low() + 4 * kPage;
  EXPECT_FALSE(gh_describe_elf(&module, unreadable, unreadable, unreadable + kPage));
}

TEST(LoadedElfObject, HeadersThatLieOutsideAreNone) {
  for (const uint64_t offset : {4 * kPage - 8, uint64_t{1} << 40}) {
    LoadedObject object;
    object.header.e_phoff = offset;
    EXPECT_FALSE(object.Describe()) << offset;
  }
  LoadedObject many;
  many.header.e_phnum = 65;
  EXPECT_FALSE(many.Describe());
  LoadedObject other;
  other.header.e_phentsize = 32;
  EXPECT_FALSE(other.Describe());
}

TEST(LoadedElfObject, SegmentsThatWrapAroundAreNotItsEnd) {
  LoadedObject object;
  object.segments[2].p_memsz = UINT64_MAX;
  ASSERT_TRUE(object.Describe());
  EXPECT_EQ(object.module.high, object.Low() + 3 * kPage);
}

}  // namespace
