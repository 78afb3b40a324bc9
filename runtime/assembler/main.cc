// An assembler that a compiler finds by -B: it inserts counters into the compiler's output and runs
// the real assembler on the result. An option that the real assembler does not see selects the
// kinds to count:
//
//     gcc -B<folder of this program> -dp -fno-ipa-ra -Wa,--gprofhub-count=calls ...
//
// "blocks" counts basic blocks, "calls+blocks" both. Without the option, and for hand-written
// assembly, it runs only the real assembler: the first `as` in PATH that is not this program.
//
// A file that was compiled with -pg has counters in the place of calls of mcount. If it cannot have
// counters, mcount counts, and the object says so, for a line in the test's log
// (runtime/process/entry_points.c). A file without -pg is then assembled unchanged, with a message
// on stderr.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/assembler/instrument.h"

namespace {

using gprofhub::CounterKinds;

constexpr const char* kOption = "--gprofhub-count=";

[[noreturn]] void Die(const std::string& message) {
  std::cerr << "gprofhub's assembler: " << message << std::endl;
  std::exit(1);
}

std::string RealPath(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) ? resolved : "";
}

std::string RealAssembler() {
  const std::string self = RealPath("/proc/self/exe");
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/as";
    if (access(candidate.c_str(), X_OK) == 0 && RealPath(candidate) != self) return candidate;
  }
  Die("no assembler (as) in PATH; install binutils");
}

CounterKinds ParseKinds(const std::string& list) {
  CounterKinds kinds;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, '+');) {
    if (name == "calls") {
      kinds.calls = true;
    } else if (name == "blocks") {
      kinds.blocks = true;
    } else {
      Die(std::string(kOption) + name + ": must be \"calls\", \"blocks\" or \"calls+blocks\"");
    }
  }
  return kinds;
}

bool TakesValue(const std::string& option) {
  for (const char* name :
       {"-o", "-I", "--defsym", "-defsym", "--debug-prefix-map", "--MD", "-MD"}) {
    if (option == name) return true;
  }
  return false;
}

struct CommandLine {
  CounterKinds kinds;
  std::vector<std::string> options;  // for the real assembler
  std::vector<std::string> inputs;   // none: standard input
};

CommandLine ParseArguments(int count, char** arguments) {
  CommandLine line;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument.rfind(kOption, 0) == 0) {
      line.kinds = ParseKinds(argument.substr(std::strlen(kOption)));
    } else if (argument == "-" || argument == "--") {
      // Standard input, as without a file name.
    } else if (argument[0] == '-') {
      line.options.push_back(argument);
      if (TakesValue(argument) && i + 1 < count) line.options.push_back(arguments[++i]);
    } else {
      line.inputs.push_back(argument);
    }
  }
  return line;
}

[[noreturn]] void Become(const std::vector<std::string>& options,
                         const std::vector<std::string>& inputs) {
  const std::string assembler = RealAssembler();
  std::vector<char*> arguments = {const_cast<char*>(assembler.c_str())};
  for (const std::string& option : options) arguments.push_back(const_cast<char*>(option.c_str()));
  for (const std::string& input : inputs) arguments.push_back(const_cast<char*>(input.c_str()));
  arguments.push_back(nullptr);
  execv(assembler.c_str(), arguments.data());
  Die("cannot start " + assembler + ": " + std::strerror(errno));
}

std::string ReadToEnd(int file, const std::string& name) {
  std::string text;
  for (std::vector<char> bytes(1 << 16);;) {
    const ssize_t got = read(file, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) Die("cannot read " + name);
    if (got == 0) return text;
    text.append(bytes.data(), static_cast<size_t>(got));
  }
}

// Reads the compiler's output. A file is mapped, because it has tens of megabytes with -g, and this
// program is its only reader.
class Input {
 public:
  explicit Input(const std::vector<std::string>& inputs) {
    const int file = inputs.empty() ? 0 : open(inputs[0].c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
        lseek(file, 0, SEEK_CUR) == 0) {
      const auto bytes = static_cast<size_t>(about.st_size);
      void* const at = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
      if (at != MAP_FAILED) {
        text_ = {static_cast<const char*>(at), bytes};
        return;
      }
    }
    read_ = ReadToEnd(file, inputs.empty() ? "its input" : inputs[0]);
    text_ = read_;
  }

  std::string_view text() const { return text_; }

 private:
  std::string read_;
  std::string_view text_;
};

// The quoted name of the source file, for messages. The compiler passes a temporary file.
std::string SourceOf(std::string_view text) {
  constexpr const char* kFile = "\t.file\t";
  const size_t at = text.find(kFile);
  if (at == std::string_view::npos) return "its input";
  const size_t start = at + std::strlen(kFile);
  return std::string(text.substr(start, text.find('\n', start) - start));
}

// What an object says of itself whose calls mcount counts.
std::string FellBack(std::string_view text, std::string_view why) {
  std::string said = SourceOf(text) + " (" + std::string(why) + ")";
  said.erase(std::remove_if(said.begin(), said.end(), [](char c) { return c == '"' || c == '\\'; }),
             said.end());
  return "\t.section\tgprofhub_fell_back,\"aR\",@progbits\n\t.string\t\"" + said + "\"\n";
}

// Runs the real assembler on `text`; returns its exit status.
int Assemble(std::string_view text, const std::vector<std::string>& options) {
  int ends[2];
  if (pipe(ends) != 0)
    Die(std::string("cannot create a pipe to the assembler: ") + std::strerror(errno));
  const pid_t child = fork();
  if (child < 0) Die(std::string("cannot start the assembler: ") + std::strerror(errno));
  if (child == 0) {
    dup2(ends[0], 0);
    close(ends[0]);
    close(ends[1]);
    Become(options, {"--"});
  }
  close(ends[0]);
  fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);  // fewer context switches; if refused, more
  std::signal(SIGPIPE, SIG_IGN);
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = write(ends[1], text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;  // it has ended, and reports the error itself
    done += static_cast<size_t>(written);
  }
  close(ends[1]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const CommandLine line = ParseArguments(count, arguments);
  if ((!line.kinds.calls && !line.kinds.blocks) || line.inputs.size() > 1) {
    Become(line.options, line.inputs.empty() ? std::vector<std::string>{"--"} : line.inputs);
  }
  const Input input(line.inputs);
  const std::string_view text = input.text();
  try {
    if (!gprofhub::IsCompilerOutput(text)) return Assemble(text, line.options);
    return Assemble(gprofhub::Instrument(text, line.kinds), line.options);
  } catch (const gprofhub::CannotInstrument& error) {
    if (gprofhub::UsesMcount(text)) {
      return Assemble(std::string(text) + FellBack(text, error.what()), line.options);
    }
    std::cerr << "gprofhub's assembler: " << SourceOf(text)
              << ": nothing is counted in this file: " << error.what() << std::endl;
    return Assemble(text, line.options);
  } catch (const gprofhub::OptionMissing& error) {
    Die(SourceOf(text) + ": " + error.what());
  }
}
