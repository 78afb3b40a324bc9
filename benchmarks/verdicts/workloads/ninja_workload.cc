// Workload of Ninja: manifests and dependency files in memory, read, checked for what is dirty,
// and built without commands. The argument is how often.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "build.h"
#include "depfile_parser.h"
#include "disk_interface.h"
#include "graph.h"
#include "json.h"
#include "manifest_parser.h"
#include "state.h"
#include "status.h"

namespace {

const int kLibraries = 12, kSources = 20, kHeaders = 60;
unsigned seed = 1;

unsigned RandomBelow(unsigned n) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % n;
}

class FilesInMemory : public DiskInterface {
 public:
  TimeStamp Stat(const std::string& path, std::string*) const override {
    const auto found = files_.find(path);
    return found == files_.end() ? 0 : found->second.first;
  }
  bool MakeDir(const std::string&) override { return true; }
  bool WriteFile(const std::string& path, const std::string& text) override {
    files_[path] = {++now_, text};
    return true;
  }
  Status ReadFile(const std::string& path, std::string* text, std::string* error) override {
    const auto found = files_.find(path);
    if (found == files_.end()) return *error = "missing", NotFound;
    *text = found->second.second;
    return Okay;
  }
  int RemoveFile(const std::string& path) override { return files_.erase(path) ? 0 : 1; }

 private:
  TimeStamp now_ = 1;
  std::map<std::string, std::pair<TimeStamp, std::string>> files_;
};

std::string Manifest(FilesInMemory* files) {
  std::string text =
      "cflags = -O2 -Wall\nbuilddir = out\npool links\n  depth = 2\n"
      "rule cc\n  command = gcc $cflags -MD -MF $out.d -c $in -o $out\n  depfile = $out.d\n"
      "  description = CC $out\nrule ar\n  command = ar rcs $out $in\n"
      "rule link\n  command = gcc -o $out @$out.rsp\n  rspfile = $out.rsp\n"
      "  rspfile_content = $in_newline\n  pool = links\n";
  for (int library = 0; library < kLibraries; ++library) {
    const std::string folder = "lib" + std::to_string(library);
    std::string objects;
    for (int source = 0; source < kSources; ++source) {
      const std::string name = folder + "/file" + std::to_string(source);
      files->WriteFile(name + ".c", "");
      files->WriteFile("out/" + name + ".o", "");
      std::string needed = "out/" + name + ".o: " + name + ".c";
      for (int header = 0; header < 12; ++header) {
        needed += " \\\n  include/../include/h" + std::to_string(RandomBelow(kHeaders)) + ".h";
      }
      files->WriteFile("out/" + name + ".o.d", needed + "\n");
      text += "build $builddir/" + name + ".o: cc " + name + ".c | include/./h" +
              std::to_string(RandomBelow(kHeaders)) + ".h\n";
      if (source % 4 == 0) text += "  cflags = -O3 $cflags -I" + folder + "$:x\n";
      objects += " out/" + name + ".o";
    }
    text += "build out/" + folder + ".a: ar" + objects + "\n";
    text += "build out/app" + std::to_string(library) + ": link out/" + folder + ".a || out/" +
            folder + ".a\n";
  }
  text += "build all: phony";
  for (int library = 0; library < kLibraries; ++library)
    text += " out/app" + std::to_string(library);
  return text + "\ndefault all\n";
}

unsigned long Round() {
  FilesInMemory files;
  for (int header = 0; header < kHeaders; ++header)
    files.WriteFile("include/h" + std::to_string(header) + ".h", "");
  const std::string manifest = Manifest(&files);
  for (int header = 0; header < 2; ++header)
    files.WriteFile("include/h" + std::to_string(RandomBelow(kHeaders)) + ".h", "");

  State state;
  std::string error;
  ManifestParser parser(&state, &files);
  if (!parser.ParseTest(manifest, &error)) std::exit(2);
  BuildConfig config;
  config.verbosity = BuildConfig::QUIET;
  config.dry_run = true;
  StatusPrinter status(config);
  Builder builder(&state, config, nullptr, nullptr, &files, &status, 0);
  for (Node* node : state.DefaultNodes(&error))
    if (!builder.AddTarget(node, &error)) std::exit(3);
  if (!builder.AlreadyUpToDate() && !builder.Build(&error)) std::exit(4);
  unsigned long sum = manifest.size();
  for (Edge* edge : state.edges_) {
    sum += EncodeJSONString(edge->EvaluateCommand(true)).size() + edge->inputs_.size();
    sum += edge->outputs_ready();
  }
  if (state.SpellcheckNode("out/lib0/file1.oo") != nullptr) ++sum;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  unsigned long sum = 0;
  for (int round = 0; round < rounds; ++round) sum += Round();
  std::printf("%lu\n", sum);
  return 0;
}
