/* Reserves an unloaded object's addresses, so that another object cannot take them and be
 * credited with its counts (modules.c, mark_unloaded). */
#include <dlfcn.h>

#include "runtime/process/threads.h"
#include "runtime/recording/modules.h"
#include "runtime/sampling/sampler.h"

/* Weak: a static program has no dlsym, and POSIX lets dlclose leave the object
 * where it is. */
extern void* dlsym(void* handle, const char* name) __attribute__((weak));

__attribute__((visibility("default"))) int dlclose(void* handle) {
  static int (*next)(void*);
  if (&dlsym != 0 && next == 0) *(void**)&next = dlsym(RTLD_NEXT, "dlclose");
  if (next == 0) return 0;
  if (gh_process_ready()) gh_sampler_take(gh_thread_self());
  gh_modules_refresh(0);
  const int result = next(handle);
  gh_modules_refresh(1);
  return result;
}
