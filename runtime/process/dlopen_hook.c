/* Before an object is loaded again, its former addresses are released (modules.c). libc's dlopen
 * searches the directories of its caller, which it identifies by its return address. So it is
 * called by a jump: a call in tail position, which compilers translate so from -O1 on. */
#include <dlfcn.h>

#include "runtime/recording/modules.h"

/* Weak: a static program has no dlsym. */
extern void* dlsym(void* handle, const char* name) __attribute__((weak));

#if defined(__GLIBC__) && !defined(GPROFHUB_PRELOADED)
/* All that is left of libc's dlopen in a static program whose dlopen is this one. */
static void* load(const char* file, int mode) { return dlmopen(LM_ID_BASE, file, mode); }
#else
static void* load(const char* file, int mode) {
  (void)file;
  (void)mode;
  return 0;
}
#endif

__attribute__((visibility("default"))) void* dlopen(const char* file, int mode) {
  static void* (*next)(const char*, int);
  if (next == 0 && &dlsym != 0) *(void**)&next = dlsym(RTLD_NEXT, "dlopen");
  if (next == 0) next = load;
  if (file && !(mode & RTLD_NOLOAD)) gh_modules_expect(file);
  return next(file, mode);
}
