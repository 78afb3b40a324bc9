/* The name that tells an uploader which program a profile belongs to.
 *
 * gmon files carry no build-id: read against the wrong binary they give wrong
 * names without a word. The file's name therefore carries it:
 *
 *     <program>.<build-id>.gmon.<pid>
 *
 *   program   the last component of the name the program was started by. It may
 *             itself contain dots: read the name from its right end.
 *   build-id  of the program's own ELF file, two lower-case hexadecimal digits a
 *             byte (40 digits for the sha1 that gprof.bazelrc asks the linker
 *             for), or GPROFHUB_UNKNOWN_BUILD_ID for a program without one.
 *   pid       in decimal, as the process saw it. Inside Bazel's sandbox pids
 *             start anew for every test, so it is unique in one directory only.
 *
 * Files of that name appear in $TEST_UNDECLARED_OUTPUTS_DIR, one for each
 * process that ends through exit() or a return from main(), and from there in
 * the test's outputs.zip, one for each shard and attempt.
 *
 * The writer is runtime/gmon/placement.c, the reader gprofhub's uploader.
 */
#ifndef GPROFHUB_RUNTIME_GMON_PLACEMENT_H_
#define GPROFHUB_RUNTIME_GMON_PLACEMENT_H_

/* Stands between the build-id and the pid, with a dot on either side. */
#define GPROFHUB_GMON_SUFFIX "gmon"

/* In the build-id's place when the program was linked without one. */
#define GPROFHUB_UNKNOWN_BUILD_ID "unknown"

#endif /* GPROFHUB_RUNTIME_GMON_PLACEMENT_H_ */
