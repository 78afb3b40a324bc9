/* GPROFHUB_LIBRARY_CALLS=1: calls of functions of other objects that have no counters are
 * counted where they leave the caller's object, in its GOT. */
#ifndef GPROFHUB_RUNTIME_LIBRARY_CALLS_LIBRARY_CALLS_H_
#define GPROFHUB_RUNTIME_LIBRARY_CALLS_LIBRARY_CALLS_H_

/* Installs thunks (processor/library_thunks.h) in the GOTs of the program and of those of its
 * libraries whose own functions are counted. Once, when the process starts and has a recording. */
__attribute__((visibility("hidden"))) void gh_library_calls_begin(void);

#endif
