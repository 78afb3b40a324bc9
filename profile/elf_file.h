// An opened ELF file: what reading symbols and reading lines share.
#pragma once

#include <gelf.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gprofhub {

// Owns a file descriptor, if any.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor();
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

struct ElfCloser {
  void operator()(Elf* elf) const { elf_end(elf); }
};

struct ElfSection {
  Elf_Scn* handle = nullptr;  // owned by the file
  std::string name;
  GElf_Shdr header;
};

// A linked ELF file (an executable or a shared library) whose section table
// lies within the file.
struct ElfFile {
  std::string path;    // for messages
  FileDescriptor fd;   // outlives `elf`
  std::string memory;  // outlives `elf`; empty for a file on disk
  std::unique_ptr<Elf, ElfCloser> elf;
  GElf_Ehdr header;
  std::vector<ElfSection> sections;  // by section index
};

// Errors as ReadElfSymbols documents them.
absl::StatusOr<std::unique_ptr<ElfFile>> OpenElfFile(const std::string& path);
absl::StatusOr<std::unique_ptr<ElfFile>> OpenElfBytes(std::string bytes, const std::string& name);

// Lower-case hexadecimal; empty if there is none.
std::string BuildIdOf(const ElfFile& file);

// "x86_64", "aarch64", …; "elf-machine-N" for one without a name here.
std::string ArchitectureOf(const ElfFile& file);

}  // namespace gprofhub
