/* Exits with 0 if a shared object's own dlopen finds what is next to it:
 *
 *     caller OPENER NAME */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
  void* const opener = count == 3 ? dlopen(arguments[1], RTLD_NOW) : 0;
  void* (*opens)(const char*) = opener ? (void* (*)(const char*))dlsym(opener, "opens") : 0;
  if (opens && opens(arguments[2])) return 0;
  fprintf(stderr, "%s\n", dlerror());
  return 1;
}
