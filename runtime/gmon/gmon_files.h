/* gmon.out files for GNU gprof, written by the process itself at its end
 * (profile/gmon/format.h). `gprofhub gmon` makes the same from a recording. */
#ifndef GPROFHUB_RUNTIME_GMON_GMON_FILES_H_
#define GPROFHUB_RUNTIME_GMON_GMON_FILES_H_

#pragma GCC visibility push(hidden)

/* One file per module that has counts or samples, the program's always. Names,
 * by how the directory was chosen (config.h):
 *
 *                     the program                      another module
 *   plain             gmon.out                         gmon.out.<module>
 *     MPI rank known  gmon.out.<rank>                  gmon.out.<module>.<rank>
 *     forked child    gmon.out.<pid>                   gmon.out.<module>.<pid>
 *   GMON_OUT_PREFIX   <prefix>.<pid>                   <prefix>.<module>.<pid>
 *   placed            <module>.<build-id>.gmon.<pid>   the same
 *
 * Files of that name are overwritten: the later one holds all of the earlier
 * one's counts. One that cannot be written is named on stderr, with the reason;
 * the process's first only. Call where the process has a recording. */
void gh_gmon_write(void);

/* In a forked child: it is not the process that gmon.out is expected of. */
void gh_gmon_after_fork(void);

#pragma GCC visibility pop

#endif
