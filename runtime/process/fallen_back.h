/* Files whose calls mcount counts although the toolchain puts counters into the text. */
#ifndef GPROFHUB_RUNTIME_PROCESS_FALLEN_BACK_H_
#define GPROFHUB_RUNTIME_PROCESS_FALLEN_BACK_H_

/* One line on stderr that names them, if there are any. Of the processes of a test under Bazel only
 * the test itself says it: what others write may be what the test looks at. */
__attribute__((visibility("hidden"))) void gh_say_what_fell_back(void);

#endif
