#include "ci/upload/results/profile_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zip.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/file.h"
#include "ci/upload/results/output_names.h"
#include "ci/upload/testing/test_files.h"
#include "profile/codec/message.h"
#include "profile/recording/reader.h"
#include "profile/testing/sample_profile.h"
#include "profile/testing/shared_file.h"

namespace gprofhub::ci {

namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kBuildId[] = "0123456789abcdef0123456789abcdef01234567";

struct Entry {
  std::string name;
  std::string bytes;
};

std::string MakeZip(const std::string& test, const std::vector<Entry>& entries) {
  const std::string path = MakeTestFolder(test) + "/outputs.zip";
  int code = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  for (const Entry& entry : entries) {
    zip_source_t* source =
        zip_source_buffer(archive, entry.bytes.data(), entry.bytes.size(), /*freep=*/0);
    zip_file_add(archive, entry.name.c_str(), source, ZIP_FL_OVERWRITE);
  }
  EXPECT_EQ(zip_close(archive), 0);
  return path;
}

std::string ReadBytes(const std::string& path) { return *base::ReadFile(path, 1 << 30); }

TEST(ProfilesInZip, ArchiveMadeByBazelIsRead) {
  const auto found = ReadProfilesInZip(TestPath("testdata/outputs.zip"));
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_THAT(found->profiles, SizeIs(1));
  EXPECT_EQ(found->profiles[0].name, "gmon.14");
  EXPECT_EQ(found->profiles[0].bytes.size(), 2537u);
  EXPECT_EQ(found->profiles[0].bytes.substr(0, 4), "gmon");
}

TEST(ProfilesInZip, OtherFilesAreLeftAloneAndSubfoldersAreRead) {
  const auto found = ReadProfilesInZip(MakeZip(
      "others",
      {{"sub/gmon.7", "b"}, {"log.txt", "x"}, {std::string("a.") + kBuildId + ".gmon.1", "a"}}));
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_THAT(found->profiles, SizeIs(2));
  EXPECT_EQ(found->profiles[0].build_id, kBuildId);
  EXPECT_EQ(found->profiles[1].name, "sub/gmon.7");
  EXPECT_EQ(found->profiles[1].bytes, "b");
}

TEST(ProfilesInZip, NamesOutsideTheArchiveAreRefused) {
  for (const std::string name : {"/etc/gmon.1", "../gmon.1", "a/../../gmon.1", "a\ngmon.1"}) {
    const auto found = ReadProfilesInZip(MakeZip("unsafe", {{name, "x"}}));
    EXPECT_EQ(found.status().code(), absl::StatusCode::kInvalidArgument) << name;
  }
}

TEST(ProfilesInZip, BombIsNotInflated) {
  OutputLimits limits;
  limits.file_bytes = 1 << 20;
  const auto found = ReadProfilesInZip(
      MakeZip("bomb", {{"gmon.1", std::string(8 << 20, '\0')}, {"gmon.2", "x"}}), limits);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(found->profiles, SizeIs(1));
  ASSERT_THAT(found->problems, SizeIs(1));
  EXPECT_THAT(found->problems[0], HasSubstr("gmon.1 has 8388608 bytes"));
}

TEST(ProfilesInZip, EntryThatLiesAboutItsSizeIsLeftOut) {
  const std::string path = MakeZip("liar", {{"gmon.1", std::string(100'000, 'x')}});
  std::string bytes = ReadBytes(path);
  // The central directory's record of the uncompressed size: 24 bytes in.
  const size_t record = bytes.rfind("PK\x01\x02");
  ASSERT_NE(record, std::string::npos);
  bytes[record + 24] = 10;
  bytes[record + 25] = 0;
  bytes[record + 26] = 0;
  WriteTestFile(path, bytes);
  const auto found = ReadProfilesInZip(path);
  if (!found.ok()) return;  // some releases of libzip refuse the archive as a whole
  EXPECT_THAT(found->profiles, IsEmpty());
  EXPECT_THAT(found->problems, SizeIs(1));
}

TEST(ProfilesInZip, DamagedDataIsLeftOut) {
  const std::string path = MakeZip("damaged", {{"gmon.1", "abcdefgh"}});
  std::string bytes = ReadBytes(path);
  const size_t data = bytes.find("abcdefgh");
  ASSERT_NE(data, std::string::npos) << "stored without compression";
  bytes[data] = 'X';
  WriteTestFile(path, bytes);
  const auto found = ReadProfilesInZip(path);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(found->profiles, IsEmpty());
  ASSERT_THAT(found->problems, SizeIs(1));
  EXPECT_THAT(found->problems[0], HasSubstr("gmon.1"));
}

TEST(ProfilesInZip, EveryTruncationIsAnErrorOrAProblem) {
  const std::string bytes = ReadTestFile("outputs.zip");
  const std::string path = MakeTestFolder("truncated") + "/outputs.zip";
  for (size_t size = 0; size < bytes.size(); size += 7) {
    WriteTestFile(path, bytes.substr(0, size));
    const auto found = ReadProfilesInZip(path);
    EXPECT_TRUE(!found.ok() || found->profiles.empty()) << size;
  }
}

TEST(ProfilesInZip, AnyDamageGetsAnAnswer) {
  const std::string original = ReadTestFile("outputs.zip");
  const std::string path = MakeTestFolder("fuzz") + "/outputs.zip";
  std::mt19937 random(20211117);  // the same inputs in every run
  for (int round = 0; round < 1000; ++round) {
    std::string bytes = original;
    for (int i = 0; i < 4; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    WriteTestFile(path, bytes);
    const auto found = ReadProfilesInZip(path);
    if (!found.ok()) continue;
    for (const ProfileFile& profile : found->profiles) {
      EXPECT_TRUE(ParseProfileName(profile.name.substr(profile.name.rfind('/') + 1)).has_value());
      EXPECT_NE(profile.name.front(), '/');
    }
  }
}

TEST(ProfilesInZip, TotalAndNumberOfFilesAreLimited) {
  const std::string path = MakeZip("limits", {{"gmon.1", "12345"}, {"gmon.2", "12345"}});
  OutputLimits limits;
  limits.total_bytes = 9;
  EXPECT_EQ(ReadProfilesInZip(path, limits).status().code(), absl::StatusCode::kResourceExhausted);
  limits = {};
  limits.files = 1;
  EXPECT_EQ(ReadProfilesInZip(path, limits).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(ProfilesInZip, AbsentArchiveIsNotFound) {
  EXPECT_EQ(ReadProfilesInZip("/nonexistent/outputs.zip").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(ProfilesInFolder, ProfilesAreFoundAndLinksAreNotFollowed) {
  const std::string folder = MakeTestFolder("folder");
  WriteTestFile(folder + "/gmon.out", "a");
  WriteTestFile(folder + "/sub/gmon.3", "b");
  WriteTestFile(folder + "/readme", "c");
  std::filesystem::create_symlink("/etc/passwd", folder + "/gmon.4");
  const auto found = ReadProfilesInFolder(folder);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_THAT(found->profiles, SizeIs(2));
  EXPECT_EQ(found->profiles[0].name, "gmon.out");
  EXPECT_EQ(found->profiles[1].name, "sub/gmon.3");
}

TEST(ProfileFiles, AreReadAsInAnArchive) {
  const std::string folder = MakeTestFolder("files") + "/test.outputs";
  std::vector<Entry> entries;
  std::vector<OutputFile> files;
  for (const std::string& name :
       {std::string("sub/gmon.7"), std::string("gprofhub.cases/BM%2F8/gmon.out"),
        std::string("a.") + kBuildId + ".gmon.1", std::string("empty.gprofhub")}) {
    const std::string bytes = name[0] == 'e' ? "" : absl::StrCat("bytes of ", name);
    entries.push_back({name, bytes});
    const std::string path = absl::StrCat(folder, "/", name);
    files.push_back({name, path});
    WriteTestFile(path, bytes);
  }
  files.push_back({"log.txt", "/nonexistent/never read"});
  const auto found = ReadProfileFiles(files, OutputsHere());
  const auto archived = ReadProfilesInZip(MakeZip("files_zip", entries));
  ASSERT_TRUE(found.ok() && archived.ok()) << found.status();
  EXPECT_THAT(found->problems, IsEmpty());
  ASSERT_EQ(found->profiles.size(), archived->profiles.size());
  uint64_t total = 0;
  for (size_t i = 0; i < found->profiles.size(); ++i) {
    EXPECT_EQ(found->profiles[i].name, archived->profiles[i].name);
    EXPECT_EQ(found->profiles[i].build_id, archived->profiles[i].build_id);
    EXPECT_EQ(found->profiles[i].bytes, archived->profiles[i].bytes);
    total += found->profiles[i].bytes.size();
  }
  EXPECT_EQ(*ProfileBytesInFiles(files, OutputsHere()), total);
}

TEST(ProfileFiles, HostileNamesAndLinksAreProblemsAndNothingElseIsRead) {
  const std::string folder = MakeTestFolder("hostile_files") + "/test.outputs";
  WriteTestFile(folder + "/gmon.1", "good");
  WriteTestFile(folder + "/../secret/gmon.out", "secret");
  std::filesystem::create_symlink("../secret/gmon.out", folder + "/gmon.2");
  std::filesystem::create_directory_symlink("../secret", folder + "/sub");
  std::filesystem::create_directory(folder + "/gmon.3");
  std::vector<OutputFile> files = {{"gmon.1", folder + "/gmon.1"}};
  for (const std::string& name :
       {std::string("../secret/gmon.out"), std::string("/etc/gmon.out"),
        std::string("nul\0/gmon.4", 11), std::string("line\n/gmon.5"),
        std::string(5000, 'x') + "/gmon.6", std::string("gmon.1"), std::string("gmon.2"),
        std::string("sub/gmon.out"), std::string("gmon.3")}) {
    files.push_back({name, absl::StrCat(folder, "/", name)});
  }
  const auto found = ReadProfileFiles(files, OutputsHere());
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_THAT(found->profiles, SizeIs(1));
  EXPECT_EQ(found->profiles[0].bytes, "good");
  ASSERT_THAT(found->problems, SizeIs(9));
  EXPECT_THAT(found->problems[0], HasSubstr("not a plain relative path"));
  EXPECT_THAT(found->problems[5], HasSubstr("listed twice"));
  EXPECT_THAT(found->problems[7], HasSubstr("links are not followed"));
  EXPECT_THAT(found->problems[8], HasSubstr("not a regular file"));
}

TEST(ProfileFiles, LimitsHoldOverAllFilesBeforeTheFirstIsRead) {
  OutputAccess access;
  access.size = [](const OutputFile&) { return uint64_t{5}; };
  access.read = [](const OutputFile&, uint64_t) -> absl::StatusOr<std::string> {
    ADD_FAILURE() << "read";
    return std::string();
  };
  const std::vector<OutputFile> files = {{"gmon.1", "a"}, {"gmon.2", "b"}};
  OutputLimits limits;
  limits.total_bytes = 9;
  EXPECT_EQ(ReadProfileFiles(files, access, limits).status().code(),
            absl::StatusCode::kResourceExhausted);
  limits = {};
  limits.files = 1;
  EXPECT_EQ(ReadProfileFiles(files, access, limits).status().code(),
            absl::StatusCode::kResourceExhausted);
  limits = {};
  limits.file_bytes = 4;
  const auto found = ReadProfileFiles(files, access, limits);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(found->profiles, IsEmpty());
  ASSERT_THAT(found->problems, SizeIs(2));
  EXPECT_THAT(found->problems[0], HasSubstr("test.outputs/gmon.1 has 5 bytes"));
}

// One readable profile, and one of each kind that cannot be read. Returns their names.
std::vector<std::string> MakeUnreadable(const std::string& folder) {
  WriteTestFile(folder + "/gmon.77", "good");
  std::filesystem::create_directory(folder + "/gmon.1");
  std::filesystem::create_symlink("nowhere", folder + "/gmon.2");
  EXPECT_EQ(mkfifo((folder + "/gmon.3").c_str(), 0600), 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  // The folder's name may be too long for a socket's.
  const int here = open(folder.c_str(), O_DIRECTORY | O_CLOEXEC);
  absl::SNPrintF(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/gmon.4", here);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  close(fd);
  close(here);
  WriteTestFile(folder + "/gmon.5", "");
  EXPECT_EQ(truncate((folder + "/gmon.5").c_str(), 3LL << 30), 0);
  std::filesystem::create_symlink("gmon.77", folder + "/gmon.6");
  return {"gmon.1", "gmon.2", "gmon.3", "gmon.4", "gmon.5", "gmon.6"};
}

TEST(UnreadableProfiles, AreNamedAndLeftOutOfAFolder) {
  const std::string folder = MakeTestFolder("unreadable");
  const std::vector<std::string> names = MakeUnreadable(folder);
  const auto found = ReadProfilesInFolder(folder);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_THAT(found->profiles, SizeIs(1));
  EXPECT_EQ(found->profiles[0].bytes, "good");
  EXPECT_THAT(found->problems, SizeIs(names.size()));
  for (const std::string& name : names) {
    EXPECT_THAT(found->problems, Contains(HasSubstr(folder + "/" + name))) << name;
  }
}

TEST(UnreadableProfiles, AreNamedAndLeftOutOfFilesNamedByBazel) {
  const std::string folder = MakeTestFolder("unreadable_files");
  std::vector<OutputFile> files = {{"gmon.77", folder + "/gmon.77"},
                                   {"gmon.99", folder + "/gmon.99"}};
  for (const std::string& name : MakeUnreadable(folder)) {
    files.push_back({name, absl::StrCat(folder, "/", name)});
  }
  const auto found = ReadProfileFiles(files, OutputsHere());
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_THAT(found->profiles, SizeIs(1));
  EXPECT_EQ(found->profiles[0].bytes, "good");
  EXPECT_THAT(found->problems, SizeIs(files.size() - 1));
}

TEST(UnreadableProfiles, ThatVanishOrAreReplacedBeforeTheyAreReadAreLeftOut) {
  const std::string folder = MakeTestFolder("vanishing");
  for (const char* name : {"gmon.1", "gmon.2", "gmon.3"}) {
    WriteTestFile(folder + "/" + name, "bytes");
  }
  OutputAccess access = OutputsHere();
  access.read = [&, read = access.read](const OutputFile& file, uint64_t size) {
    if (file.name != "gmon.2") std::filesystem::remove(file.place);
    if (file.name == "gmon.3") {
      EXPECT_EQ(mkfifo(file.place.c_str(), 0600), 0);
    }
    return read(file, size);
  };
  const auto found = ReadProfileFiles({{"gmon.1", folder + "/gmon.1"},
                                       {"gmon.2", folder + "/gmon.2"},
                                       {"gmon.3", folder + "/gmon.3"}},
                                      access);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_THAT(found->profiles, SizeIs(1));
  EXPECT_EQ(found->profiles[0].name, "gmon.2");
  ASSERT_THAT(found->problems, SizeIs(2));
  EXPECT_THAT(found->problems[0], HasSubstr("gmon.1"));
  EXPECT_THAT(found->problems[1], HasSubstr("gmon.3: is a pipe"));
}

// Root may read everything, so the test gives that up.
TEST(UnreadableProfiles, WithoutPermissionAreNamedAndTheRestIsRead) {
  const std::string folder = MakeTestFolder("forbidden");
  WriteTestFile(folder + "/gmon.1", "good");
  WriteTestFile(folder + "/gmon.2", "secret");
  WriteTestFile(folder + "/sub/gmon.3", "secret");
  const auto outcome = [&] {
    chmod((folder + "/gmon.2").c_str(), 0);
    chmod((folder + "/sub").c_str(), 0);
    const auto found = ReadProfilesInFolder(folder);
    chmod((folder + "/sub").c_str(), 0700);
    return found.ok() && found->profiles.size() == 1 && found->problems.size() == 2 &&
           absl::StrContains(found->problems[0] + found->problems[1], "/sub: Permission denied") &&
           absl::StrContains(found->problems[0] + found->problems[1], "gmon.2: Permission denied");
  };
  if (geteuid() != 0) {
    EXPECT_TRUE(outcome());
    return;
  }
  const pid_t child = fork();
  if (child == 0) {
    // Not another user, who might not reach the folder: root without the right to ignore modes.
    __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[2] = {};
    _exit(syscall(SYS_capset, &header, none) == 0 && outcome() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(UnreadableProfiles, APipeInPlaceOfAnArchiveIsNotWaitedFor) {
  const std::string pipe = MakeTestFolder("pipe") + "/outputs.zip";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(std::string(ReadProfilesInZip(pipe).status().message()),
              HasSubstr("not a regular file"));
}

TEST(AsksForProfile, OnlyWhereBazelNamesNoOutputs) {
  TestAttempt attempt;
  attempt.cached = true;
  v1::UploadHeader header;
  header.mutable_execution()->set_test_binary_digest("build-id:ab");
  EXPECT_TRUE(AsksForProfile(attempt, header, false));
  attempt.names_outputs = true;
  EXPECT_FALSE(AsksForProfile(attempt, header, false)) << "none of them is a profile";
}

TEST(PackRecordings, RecordingIsPackedWithItsImages) {
  FoundProfiles found;
  found.profiles.push_back({"sub/program.7.gprofhub", "origin", "", profile::OrderlyRecording()});
  ASSERT_TRUE(PackRecordings(found).ok());
  ASSERT_EQ(found.profiles.size(), 1);
  const auto recording = profile::ReadRecording(profile::OrderlyRecording(), "recording");
  ASSERT_TRUE(recording.ok());
  const std::string program = profile::FindModule(*recording, "")->build_id;
  EXPECT_EQ(found.profiles[0].build_id, program);
  ASSERT_FALSE(found.profiles[0].images.empty());
  EXPECT_EQ(found.profiles[0].images[0].build_id, program);
  EXPECT_TRUE(found.profiles[0].images[0].is_wanted);
  const auto unpacked = profile::UnpackRecording(found.profiles[0].bytes, "packed");
  ASSERT_TRUE(unpacked.ok()) << unpacked.status();
  EXPECT_EQ(unpacked->stacks.size(), recording->stacks.size());
}

TEST(PackRecordings, GmonFileOfTheSameProcessIsDropped) {
  const auto recording = profile::ReadRecording(profile::OrderlyRecording(), "recording");
  ASSERT_TRUE(recording.ok());
  const std::string gmon = "sub/program." + profile::FindModule(*recording, "")->build_id +
                           ".gmon." + std::to_string(recording->pid);
  FoundProfiles found;
  found.profiles.push_back({gmon, "origin", "", "gmon bytes"});
  found.profiles.push_back({"sub/other.gmon.1", "origin", "", "gmon bytes"});
  found.profiles.push_back({"sub/program.7.gprofhub", "origin", "", profile::OrderlyRecording()});
  ASSERT_TRUE(PackRecordings(found).ok());
  ASSERT_EQ(found.profiles.size(), 2);
  EXPECT_EQ(found.profiles[0].name, "sub/other.gmon.1");
  EXPECT_EQ(found.profiles[1].name, "sub/program.7.gprofhub");
}

// Of a shared file each process is a recording of its own, and its case is in the name.
TEST(PackRecordings, SharedFileIsPackedByProcess) {
  profile::SharedFile shared;
  shared.Add(profile::OrderlyRecording(), 7);
  shared.Add(profile::OrderlyRecording(), 8, "BM_A%2F8");
  const uint64_t damaged = shared.Add(profile::OrderlyRecording(), 9);
  auto header = profile::LoadFrom<gprofhub_recording>(shared.bytes(), damaged);
  header.directory[0] = shared.bytes().size();
  profile::StoreIn(shared.bytes(), damaged, header);
  const std::string name = "processes.gprofhub";
  FoundProfiles found;
  found.profiles.push_back({name, "outputs/" + name, "", shared.bytes()});
  ASSERT_TRUE(PackRecordings(found).ok());
  ASSERT_EQ(found.profiles.size(), 2);
  EXPECT_THAT(found.profiles[0].name,
              testing::MatchesRegex("gprofhub.cases/BM_A%2F8/.*\\.8\\.gprofhub"));
  EXPECT_THAT(found.profiles[1].name, testing::MatchesRegex("[^/]*\\.7\\.gprofhub"));
  EXPECT_FALSE(found.profiles[1].images.empty());
  EXPECT_THAT(found.problems, testing::ElementsAre(testing::HasSubstr("outside the file")));
  const auto before = profile::ReadRecording(profile::OrderlyRecording(), "recording");
  const auto after = profile::UnpackRecording(found.profiles[1].bytes, "packed");
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(profile::FindModule(*after, "")->profile.arcs.size(),
            profile::FindModule(*before, "")->profile.arcs.size());
}

TEST(ReadProfilesInFolder, SharedFileHasTheLimitOfAllProfiles) {
  const std::string folder = testing::TempDir() + "/shared_limit";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/processes.gprofhub") << std::string(50, 'x');
  std::ofstream(folder + "/p.1.gprofhub") << std::string(50, 'x');
  OutputLimits limits;
  limits.file_bytes = 10;
  const auto found = ReadProfilesInFolder(folder, limits);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->profiles.size(), 1);
  EXPECT_EQ(found->profiles[0].name, "processes.gprofhub");
  EXPECT_EQ(found->problems.size(), 1);
}

TEST(PackRecordings, DamagedRecordingIsAProblem) {
  FoundProfiles found;
  found.profiles.push_back({"program.7.gprofhub", "origin", "", "gprofhub, cut"});
  ASSERT_TRUE(PackRecordings(found).ok());
  EXPECT_TRUE(found.profiles.empty());
  EXPECT_EQ(found.problems.size(), 1);
}

}  // namespace

}  // namespace gprofhub::ci
