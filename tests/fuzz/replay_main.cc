// Runs a fuzz target without libFuzzer: every file of the corpus, then a given number of
// mutations of them. The mutations are the same on every machine, so a failure can be repeated.
// The input that fails is written to the test's outputs.

#include <zip.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr int kMutations = 4000;

// splitmix64.
class Random {
 public:
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  size_t Below(size_t limit) { return limit == 0 ? 0 : Next() % limit; }

 private:
  uint64_t state_ = 1;
};

// Changes one place: a bit, a byte, a number at its limits, a cut, an insertion
// or a piece of another input.
void Mutate(const std::vector<std::string>& corpus, Random& random, std::string& input) {
  const size_t at = random.Below(input.size());
  switch (random.Below(7)) {
    case 0:
      if (!input.empty()) input[at] = static_cast<char>(input[at] ^ (1 << random.Below(8)));
      break;
    case 1:
      if (!input.empty()) input[at] = static_cast<char>(random.Next());
      break;
    case 2: {
      static constexpr uint64_t kLimits[] = {0,          1,          0x7f,           0x80,
                                             0xffff,     0x7fffffff, 0x80000000,     0xffffffff,
                                             UINT64_MAX, INT64_MAX,  UINT64_MAX / 2, 0x100000000};
      const uint64_t value = kLimits[random.Below(std::size(kLimits))];
      const size_t width = size_t{1} << random.Below(4);
      for (size_t i = 0; i < width && at + i < input.size(); ++i) {
        input[at + i] = static_cast<char>(value >> (8 * i));
      }
      break;
    }
    case 3:
      input.resize(at);
      break;
    case 4:
      input.insert(at, 1 + random.Below(8), static_cast<char>(random.Next()));
      break;
    case 5:
      input.erase(at, 1 + random.Below(8));
      break;
    case 6: {
      const std::string& other = corpus[random.Below(corpus.size())];
      const size_t from = random.Below(other.size());
      input.replace(at, std::min<size_t>(16, input.size() - at),
                    other.substr(from, random.Below(64)));
      break;
    }
  }
}

// The files of the archive, in its order; none if it cannot be read.
std::vector<std::string> FilesOf(const char* path) {
  std::vector<std::string> files;
  zip_t* const archive = zip_open(path, ZIP_RDONLY | ZIP_CHECKCONS, nullptr);
  if (archive == nullptr) return files;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
    zip_stat_t about;
    zip_file_t* const file = zip_fopen_index(archive, static_cast<zip_uint64_t>(i), 0);
    if (file == nullptr || zip_stat_index(archive, static_cast<zip_uint64_t>(i), 0, &about) != 0) {
      std::fprintf(stderr, "%s: %s\n", path, zip_strerror(archive));
      std::exit(1);
    }
    std::string bytes(about.size, '\0');
    if (zip_fread(file, bytes.data(), about.size) != static_cast<zip_int64_t>(about.size)) {
      std::fprintf(stderr, "%s: %s is damaged\n", path, about.name);
      std::exit(1);
    }
    zip_fclose(file);
    files.push_back(std::move(bytes));
  }
  zip_discard(archive);
  return files;
}

void Run(const std::string& input) {
  // Kept until the next one, so that a crash leaves the input that caused it.
  if (const char* outputs = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR")) {
    std::ofstream(std::string(outputs) + "/last_input", std::ios::binary) << input;
  }
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  const int mutations = argc == 3 ? std::atoi(argv[2]) : kMutations;
  if (argc < 2 || argc > 3 || mutations < 0) {
    std::fprintf(stderr, "usage: %s CORPUS.zip [MUTATIONS]\n", argv[0]);
    return 2;
  }
  const std::vector<std::string> corpus = FilesOf(argv[1]);
  for (const std::string& input : corpus) Run(input);
  if (corpus.empty()) {
    std::fprintf(stderr, "%s: no input\n", argv[1]);
    return 1;
  }
  Random random;
  for (int i = 0; i < mutations; ++i) {
    std::string input = corpus[random.Below(corpus.size())];
    for (size_t changes = 1 + random.Below(4); changes > 0; --changes) {
      Mutate(corpus, random, input);
    }
    Run(input);
  }
  std::printf("%zu inputs and %d mutations ran\n", corpus.size(), mutations);
  return 0;
}
