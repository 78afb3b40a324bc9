#include "ci/upload/image_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/hash.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/testing/dwarf_builder.h"

namespace gprofhub::ci {

namespace {

namespace fs = std::filesystem;

constexpr char kBuildId[] = "abcdef01";

// A program with one function.
std::string Program(const std::string& function, const std::string& build_id) {
  profile::ElfBuilder builder;
  builder.Add({".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, "code"});
  const uint32_t names = builder.Add({".strtab", SHT_STRTAB, 0, 0, '\0' + function + '\0'});
  builder.Add({".symtab", SHT_SYMTAB, 0, 0, builder.Symbol(1, 0x1000, 1), names});
  if (!build_id.empty()) builder.Add(builder.BuildId(build_id));
  return builder.Bytes();
}

class Bundles : public ::testing::Test {
 protected:
  Bundles() : folder_(fs::path(::testing::TempDir()) / "bundles"), cache_(folder_ / "cache") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Bundles() override { fs::remove_all(folder_); }

  std::string Write(const std::string& bytes) const {
    const fs::path path = folder_ / "program";
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    return path;
  }

  std::string WriteProgram(const std::string& function = "f") const {
    return Write(Program(function, "\xab\xcd\xef\x01"));
  }

  // The name of the first function; or the error.
  static std::string FunctionOf(const absl::StatusOr<std::shared_ptr<const Image>>& image) {
    if (!image.ok()) return std::string(image.status().message());
    EXPECT_EQ((*image)->bundle_sha256, base::Sha256Hex((*image)->bundle));
    const auto decoded = profile::DecodeSymbolBundle((*image)->bundle);
    EXPECT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(decoded->build_id, (*image)->build_id);
    EXPECT_EQ(decoded->functions[0].name, (*image)->symbols.functions[0].name);
    return (*image)->symbols.functions[0].name;
  }

  std::vector<fs::path> Cached() const {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entry(cache_, error); entry != fs::directory_iterator(); ++entry) {
      files.push_back(entry->path());
    }
    return files;
  }

  const fs::path folder_, cache_;
};

TEST_F(Bundles, AreKnownByTheBuildId) {
  const auto image = ImageBundles(cache_).Load(WriteProgram(), "");
  EXPECT_EQ(FunctionOf(image), "f");
  EXPECT_EQ((*image)->build_id, kBuildId);
  ASSERT_EQ(Cached().size(), 1u);
  EXPECT_EQ(Cached()[0].filename().string().rfind(std::string(kBuildId) + ".", 0), 0u);
}

TEST_F(Bundles, OfAProgramWithoutBuildIdAreKnownByItsBytes) {
  const std::string bytes = Program("f", "");
  const auto image = ImageBundles(cache_).Load(Write(bytes), "");
  EXPECT_EQ(FunctionOf(image), "f");
  EXPECT_EQ((*image)->build_id, base::Sha256Hex(bytes).substr(0, 40));
}

TEST_F(Bundles, AreMadeOnce) {
  const std::string path = WriteProgram();
  ImageBundles bundles(cache_);
  const auto image = bundles.Load(path, kBuildId);
  EXPECT_EQ(FunctionOf(image), "f");
  fs::remove(path);
  fs::remove_all(cache_);
  const auto again = bundles.Load(path, kBuildId);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, *image);
}

TEST_F(Bundles, AreTakenFromTheCache) {
  const std::string path = WriteProgram();
  const auto image = ImageBundles(cache_).Load(path, kBuildId);
  ASSERT_TRUE(image.ok()) << image.status();
  fs::remove(path);
  const auto cached = ImageBundles(cache_).Load(path, kBuildId);
  EXPECT_EQ(FunctionOf(cached), "f");
  EXPECT_EQ((*cached)->bundle, (*image)->bundle);
}

TEST_F(Bundles, OfADamagedCacheAreMadeAnew) {
  ASSERT_TRUE(ImageBundles(cache_).Load(WriteProgram("old"), kBuildId).ok());
  ASSERT_EQ(Cached().size(), 1u);
  const fs::path cached = Cached()[0];
  const std::string path = WriteProgram("new");
  for (const uintmax_t size : {fs::file_size(cached) - 1, uintmax_t{64}, uintmax_t{0}}) {
    fs::resize_file(cached, size);
    EXPECT_EQ(FunctionOf(ImageBundles(cache_).Load(path, kBuildId)), "new") << size;
    EXPECT_GT(fs::file_size(cached), 64u);
  }
  std::fstream(cached, std::ios::in | std::ios::out | std::ios::binary).put('x');
  EXPECT_EQ(FunctionOf(ImageBundles(cache_).Load(path, kBuildId)), "new");
}

TEST_F(Bundles, OfAnotherBuildUnderTheNameAreMadeAnew) {
  ASSERT_TRUE(ImageBundles(cache_).Load(WriteProgram("old"), kBuildId).ok());
  ASSERT_EQ(Cached().size(), 1u);
  const std::string name = Cached()[0].filename();
  fs::rename(Cached()[0], cache_ / ("1234" + name.substr(name.find('.'))));
  EXPECT_EQ(FunctionOf(ImageBundles(cache_).Load(WriteProgram("new"), "1234")), "new");
}

TEST_F(Bundles, NeedNoCache) {
  EXPECT_EQ(FunctionOf(ImageBundles("").Load(WriteProgram(), "")), "f");
  std::ofstream(cache_.string()) << "a file in the folder's place";
  EXPECT_EQ(FunctionOf(ImageBundles(cache_).Load(WriteProgram(), "")), "f");
}

TEST_F(Bundles, OfWhatIsNoProgramAreAnError) {
  EXPECT_EQ(ImageBundles(cache_).Load(Write("text"), "").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ImageBundles(cache_).Load("/none", "").status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(Cached().empty());
}

TEST_F(Bundles, ThatTheBuildMadeAreFoundAmongItsFiles) {
  const auto made = ReadImage(WriteProgram(), kBuildId);
  ASSERT_TRUE(made.ok()) << made.status();
  const auto write = [this](const std::string& name, const std::string& bytes) {
    const fs::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  };
  const std::string bundle = write("bundle", made->bundle);
  const std::vector<std::string> files = {"/none", write("empty", ""), write("text", "text"),
                                          write("cut", made->bundle.substr(0, 20)), bundle};
  ImageBundles bundles(cache_);
  EXPECT_EQ(bundles.FindBuilt(files, "1234"), nullptr);
  const auto found = bundles.FindBuilt(files, kBuildId);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->bundle, made->bundle);
  EXPECT_EQ(found->bundle_sha256, made->bundle_sha256);
  EXPECT_EQ(found->build_id, kBuildId);
  ASSERT_EQ(found->symbols.functions.size(), 1u);
  EXPECT_EQ(found->symbols.functions[0].name, "f");
  fs::remove(bundle);
  EXPECT_EQ(bundles.FindBuilt(files, kBuildId), found) << "it is read once";
  EXPECT_TRUE(Cached().empty()) << "Bazel keeps it";
}

TEST_F(Bundles, OfOneImageHaveTheSameBytes) {
  const std::string path = WriteProgram();
  EXPECT_EQ(ReadImage(path, kBuildId)->bundle, ReadImage(path, kBuildId)->bundle);
}

TEST_F(Bundles, ThatWereNotUsedForLongAreRemoved) {
  const std::string path = WriteProgram();
  ImageBundles bundles(cache_);
  ASSERT_TRUE(bundles.Load(path, "").ok());
  const auto now = fs::file_time_type::clock::now();
  const fs::path other = cache_ / "other.1";
  std::ofstream(other.string()) << "unused";
  fs::last_write_time(other, now - std::chrono::hours(3));
  fs::last_write_time(Cached()[0], now - std::chrono::hours(3));
  fs::last_write_time(Cached()[1], now - std::chrono::hours(3));
  ASSERT_TRUE(ImageBundles(cache_).Load(path, kBuildId).ok());  // updates the time of last use
  bundles.RemoveUnused(now - std::chrono::hours(2));
  EXPECT_FALSE(fs::exists(other));
  EXPECT_EQ(Cached().size(), 1u);
  bundles.RemoveUnused(now + std::chrono::hours(2));
  EXPECT_TRUE(Cached().empty());
  ImageBundles("").RemoveUnused(now);
}

TEST(DefaultBundleFolders, AreThoseOfTheUsersCache) {
  EXPECT_EQ(DefaultBundleFolder({{"XDG_CACHE_HOME", "/cache"}, {"HOME", "/home/me"}}),
            "/cache/gprofhub/bundles");
  EXPECT_EQ(DefaultBundleFolder({{"XDG_CACHE_HOME", ""}, {"HOME", "/home/me"}}),
            "/home/me/.cache/gprofhub/bundles");
  EXPECT_EQ(DefaultBundleFolder({{"HOME", ""}}), "");
  EXPECT_EQ(DefaultBundleFolder({}), "");
}

using ::testing::HasSubstr;

class ImageSearches : public ::testing::Test {
 protected:
  ImageSearches() : folder_(fs::path(::testing::TempDir()) / "images") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~ImageSearches() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& bytes) const {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  // A program with the build-id of these bytes.
  std::string WriteProgram(const std::string& name, const std::string& id) const {
    profile::ElfBuilder builder;
    builder.Add(builder.BuildId(id));
    return Write(name, builder.Bytes());
  }

  std::string Find(const std::string& build_id, const TestAttempt& attempt,
                   const std::vector<std::string>& images = {}) const {
    const auto found = ImageSearch(images).FindByBuildId(build_id, "", attempt);
    if (found.ok()) return *found;
    EXPECT_EQ(found.status().code(), absl::StatusCode::kNotFound);
    return std::string(found.status().message());
  }

  static TestAttempt Attempt(const std::vector<std::string>& executables) {
    TestAttempt attempt;
    attempt.executables = executables;
    return attempt;
  }

  const fs::path folder_;
};

TEST_F(ImageSearches, FindTheUsersImagesFirst) {
  const std::string image = WriteProgram("image", "\x01\x02");
  const std::string test = WriteProgram("test", "\x01\x02");
  EXPECT_EQ(Find("0102", Attempt({test}), {image}), image);
  EXPECT_EQ(Find("0102", Attempt({test})), test);
}

TEST_F(ImageSearches, FindRunfilesOfAFolder) {
  const std::string test = WriteProgram("test", "\x01");
  const std::string library = WriteProgram("test.runfiles/main/lib/libx.so", "\x02");
  Write("test.runfiles/main/data", "no ELF file");
  Write("test.runfiles/main/damaged",
        "\x7f"
        "ELF and no more");
  EXPECT_EQ(Find("02", Attempt({test})), library);
}

TEST_F(ImageSearches, FindRunfilesOfAManifest) {
  const std::string test = Write("test", "#!/bin/sh");
  const std::string library = WriteProgram("elsewhere/a library.so", "\x02");
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  Write("test.runfiles_manifest", "main/empty \nmain/none\nmain/pipe " +
                                      (folder_ / "pipe").string() + "\nmain/gone /none/libx.so\n" +
                                      "main/libx.so " + library + "\n");
  EXPECT_EQ(Find("02", Attempt({test})), library);
}

TEST_F(ImageSearches, SayWhereTheyLooked) {
  const std::string test = WriteProgram("test", "\x01");
  Write("test.runfiles/data", "no ELF file");
  const std::string message = Find("02", Attempt({test}), {"/none/image"});
  EXPECT_THAT(message, HasSubstr("no file with build-id 02 found"));
  EXPECT_THAT(message, HasSubstr("(searched: the test's executable " + test +
                                 ", 1 runfiles and 1 --image files)"));
  EXPECT_THAT(Find("02", Attempt({})), HasSubstr("(searched: no executable of the test, 0 runfil"));
}

TEST_F(ImageSearches, RememberWhatTheyHaveRead) {
  const std::string test = WriteProgram("test", "\x01\x02");
  ImageSearch search({});
  ASSERT_TRUE(search.FindByBuildId("0102", "", Attempt({test})).ok());
  fs::remove(test);
  const auto again = search.FindByBuildId("0102", "", Attempt({test}));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, test);
}

TEST_F(ImageSearches, TheTestBinaryIsTheFirstExecutableThatIsAProgram) {
  const std::string script = Write("script", "#!/bin/sh");
  const std::string test = WriteProgram("test", "");
  const std::string image = WriteProgram("image", "\x01");
  ImageSearch search({image});
  const auto found = search.TestBinary(Attempt({"/none", script, test}));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, test);
}

TEST_F(ImageSearches, TheTestBinaryIsElseTheUsersOnlyImage) {
  const std::string script = Write("script", "#!/bin/sh");
  ImageSearch one({"/image"});
  EXPECT_EQ(one.TestBinary(Attempt({script})).value_or(""), "/image");
  ImageSearch two({"/image", "/other"});
  const absl::Status status = two.TestBinary(Attempt({script})).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr(script + " is missing or not an ELF file"));
  EXPECT_THAT(std::string(two.TestBinary(Attempt({})).status().message()),
              HasSubstr("the test has no executable on this machine; pass the program with"));
}

}  // namespace

}  // namespace gprofhub::ci
