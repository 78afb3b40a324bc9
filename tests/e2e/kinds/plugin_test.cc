// Loads a plugin out of the test's data. 3 calls of work() here, 21 of plugin_work() there.
#include <dlfcn.h>

#include <cstdio>

#include "work.h"

int main() {
  void* const plugin = dlopen("./plugin.so", RTLD_NOW);
  if (!plugin) {
    std::puts(dlerror());
    return 1;
  }
  auto* const run = reinterpret_cast<void (*)(int)>(dlsym(plugin, "run_plugin"));
  if (!run) return 1;
  work_times(3);
  run(21);
  dlclose(plugin);
}
