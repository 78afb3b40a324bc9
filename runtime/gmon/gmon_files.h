/* gmon.out files for GNU gprof, written by the process itself at its end
 * (profile/format/gmon.h). `gprofhub gmon` writes the same from a recording. */
#ifndef GPROFHUB_RUNTIME_GMON_GMON_FILES_H_
#define GPROFHUB_RUNTIME_GMON_GMON_FILES_H_

#pragma GCC visibility push(hidden)

/* Writes one file per module with counts or samples, and always the program's. Names, by the
 * kind of directory (config.h):
 *
 *                     the program                      another module
 *   plain             gmon.out                         gmon.out.<module>
 *     MPI rank known  gmon.out.<rank>                  gmon.out.<module>.<rank>
 *     forked child    gmon.out.<pid>                   gmon.out.<module>.<pid>
 *   GMON_OUT_PREFIX   <prefix>.<pid>                   <prefix>.<module>.<pid>
 *   placed            <module>.<build-id>.gmon.<pid>   the same
 *
 * Existing files are overwritten: the later one contains all counts of the earlier one. The
 * process's first failure is reported on stderr, with the file and the reason. The process must
 * have a recording. */
void gh_gmon_write(void);

/* In a forked child: gmon.out is not expected from it. */
void gh_gmon_after_fork(void);

#pragma GCC visibility pop

#endif
