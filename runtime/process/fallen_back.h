/* Files whose calls mcount counts although the toolchain inserts counters into the text. */
#ifndef GPROFHUB_RUNTIME_PROCESS_FALLEN_BACK_H_
#define GPROFHUB_RUNTIME_PROCESS_FALLEN_BACK_H_

/* Prints one line on stderr that names them, if there are any. Under Bazel only the test's own
 * process prints it, because the test may check the output of other processes. */
__attribute__((visibility("hidden"))) void gh_say_what_fell_back(void);

#endif
