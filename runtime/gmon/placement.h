/* File names that identify a profile's program for the uploader.
 *
 * gmon files contain no build-id: read with the wrong binary they give wrong names without an
 * error. The file's name therefore contains it:
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
 * These files are in $TEST_UNDECLARED_OUTPUTS_DIR, one for each process that ends through exit()
 * or a return from main(). Bazel puts them into the test's outputs.zip, one for each shard and
 * attempt.
 *
 * The writer is runtime/gmon/placement.c, the reader gprofhub's uploader. */
#ifndef GPROFHUB_RUNTIME_GMON_PLACEMENT_H_
#define GPROFHUB_RUNTIME_GMON_PLACEMENT_H_

/* Separates the build-id from the pid, with a dot on either side. */
#define GPROFHUB_GMON_SUFFIX "gmon"

/* Replaces the build-id if the program was linked without one. */
#define GPROFHUB_UNKNOWN_BUILD_ID "unknown"

#endif /* GPROFHUB_RUNTIME_GMON_PLACEMENT_H_ */
