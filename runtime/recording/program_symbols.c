#include "runtime/recording/program_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/processor/machine.h"

/* Suffixes of a symbol's name when the compiler has cloned the function. */
static int is_clone(const char* suffix) {
  return gh_after(suffix, ".isra.") || gh_after(suffix, ".constprop.");
}

/* The end of the next part of a qualified name. */
static const char* end_of_part(const char* name) {
  while (*name && !(name[0] == ':' && name[1] == ':')) ++name;
  return name;
}

/* End of the source name at `at` (a length and as many characters) if it equals [name, end);
 * otherwise NULL. Its ABI tags, B and a source name each, are included. */
static const char* after_source_name(const char* at, const char* name, const char* end) {
  static const char kAnonymous[] = "(anonymous namespace)", kMangled[] = "_GLOBAL__N_1";
  uint64_t length;
  if (gh_after(name, kAnonymous) == end) {
    name = kMangled;
    end = kMangled + sizeof kMangled - 1;
  }
  if (!gh_take_number(&at, &length) || length != (uint64_t)(end - name)) return 0;
  for (; name != end; ++name, ++at) {
    if (*at != *name) return 0;
  }
  while (*at == 'B') {
    ++at;
    if (!gh_take_number(&at, &length)) return 0;
    for (; length > 0 && *at; --length) ++at;
  }
  return at;
}

/* `at` is after _Z. */
static int encodes(const char* at, const char* name) {
  const int nested = *at == 'N';
  if (nested) ++at;
  while (nested && (*at == 'r' || *at == 'V' || *at == 'K' || *at == 'R' || *at == 'O')) ++at;
  for (;;) {
    const char* const end = end_of_part(name);
    const char* const after_std = gh_after(at, "St");
    if (after_std && gh_after(name, "std") == end) {
      at = after_std;
      if (!nested && !*end) return 0;
    } else {
      if (*at == 'L') ++at; /* local to its file */
      at = after_source_name(at, name, end);
      if (!at) return 0;
      /* Parameters follow; a template's arguments would come before them. */
      if (!*end) return nested ? *at == 'E' : *at != 0 && *at != 'I';
      if (!nested) return 0;
    }
    name = end + 2;
  }
}

int gh_symbol_names(const char* symbol, const char* name) {
  const char* same = symbol;
  const char* rest = name;
  while (*same && *same == *rest) ++same, ++rest;
  if (*rest == 0 && (*same == 0 || is_clone(same))) return 1;
  const char* const mangled = gh_after(symbol, "_Z");
  if (!mangled) return 0;
  const char* suffix = mangled;
  while (*suffix && *suffix != '.') ++suffix;
  return (*suffix == 0 || is_clone(suffix)) && encodes(mangled, name);
}

/* The difference between addresses at run time and as linked, from the program headers, whose
 * address the kernel provides. */
static uint64_t bias_of(const char* file) {
  const Elf64_Ehdr* const header = (const Elf64_Ehdr*)file;
  const Elf64_Phdr* const segments = (const Elf64_Phdr*)(file + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i) {
    const Elf64_Phdr* const segment = &segments[i];
    if (segment->p_type != PT_LOAD || segment->p_offset > header->e_phoff ||
        header->e_phoff - segment->p_offset >= segment->p_filesz) {
      continue;
    }
    return gh_auxiliary(AT_PHDR) - (segment->p_vaddr + header->e_phoff - segment->p_offset);
  }
  return 0;
}

static enum gh_found find_in(const char* file, const Elf64_Shdr* sections, const Elf64_Shdr* table,
                             const char* name, struct gh_function* function) {
  const char* const names = file + sections[table->sh_link].sh_offset;
  const Elf64_Sym* symbol = (const Elf64_Sym*)(file + table->sh_offset);
  const Elf64_Sym* const end = symbol + table->sh_size / sizeof *symbol;
  function->bytes = 0;
  for (; symbol != end; ++symbol) {
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
        symbol->st_size == 0 || !gh_symbol_names(names + symbol->st_name, name)) {
      continue;
    }
    /* One function may have several symbols. */
    if (function->bytes && function->low != symbol->st_value) return GH_SEVERAL;
    function->low = symbol->st_value;
    function->bytes = symbol->st_size;
  }
  return function->bytes ? GH_FOUND : GH_NOT_FOUND;
}

static enum gh_found find(const char* file, uint64_t size, const char* name,
                          struct gh_function* function) {
  const Elf64_Ehdr* const header = (const Elf64_Ehdr*)file;
  const uint64_t sections_end = header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr);
  if (header->e_shoff == 0 || sections_end > size) return GH_NOT_FOUND;
  const Elf64_Shdr* const sections = (const Elf64_Shdr*)(file + header->e_shoff);
  for (uint32_t type = SHT_SYMTAB;; type = SHT_DYNSYM) {
    for (int i = 0; i < header->e_shnum; ++i) {
      if (sections[i].sh_type != type || sections[i].sh_offset + sections[i].sh_size > size) {
        continue;
      }
      const enum gh_found found = find_in(file, sections, &sections[i], name, function);
      function->low += bias_of(file);
      return found;
    }
    if (type == SHT_DYNSYM) return GH_NOT_FOUND;
  }
}

enum gh_found gh_find_function(const char* file, const char* name, struct gh_function* function) {
  const long fd = GH_OPEN(file, O_RDONLY | O_CLOEXEC, 0);
  if (GH_FAILED(fd)) return GH_NOT_FOUND;
  /* lseek returns the size without the kernel's struct stat, which differs by processor. */
  const long size = GH_CALL3(lseek, fd, 0, SEEK_END);
  long bytes = -1;
  if (size > (long)sizeof(Elf64_Ehdr)) {
    bytes = GH_CALL6(mmap, 0, size, PROT_READ, MAP_PRIVATE, fd, 0);
  }
  GH_CALL1(close, fd);
  if (size <= (long)sizeof(Elf64_Ehdr) || GH_FAILED(bytes)) return GH_NOT_FOUND;
  const enum gh_found found = find((const char*)bytes, (uint64_t)size, name, function);
  GH_CALL2(munmap, bytes, size);
  return found;
}
