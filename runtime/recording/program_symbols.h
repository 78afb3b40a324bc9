/* Finds a function of this program by its name in the source. */
#ifndef GPROFHUB_RUNTIME_RECORDING_PROGRAM_SYMBOLS_H_
#define GPROFHUB_RUNTIME_RECORDING_PROGRAM_SYMBOLS_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)

struct gh_function {
  uint64_t low; /* at run time */
  uint64_t bytes;
};

enum gh_found { GH_FOUND, GH_NOT_FOUND, GH_SEVERAL };

/* Searches `name` in the symbol table of `file`, the ELF file that the process executes; if that
 * is stripped, in the dynamic one. The file is trusted: the kernel has loaded it, and prevents
 * writes to it. Uses system calls only. */
enum gh_found gh_find_function(const char* file, const char* name, struct gh_function* function);

/* 1 if the symbol is that of a function called `name`: the same word, or, for a mangled one (the
 * Itanium C++ ABI, "External Names"), its qualified name without parameters, such as
 * Server::Serve, std::terminate or (anonymous namespace)::Run. Templates' instances and
 * constructors have no such name. Compilers' clones of a function for some of its callers
 * (.isra, .constprop) count as the function; its parts (.part, .cold) do not. */
int gh_symbol_names(const char* symbol, const char* name);

#pragma GCC visibility pop

#endif
