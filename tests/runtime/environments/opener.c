/* A shared object that opens others: they are searched for where it says. */
#include <dlfcn.h>

void* opens(const char* name) { return dlopen(name, RTLD_NOW); }
