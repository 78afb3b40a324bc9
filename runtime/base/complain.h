/* What the runtime says on stderr: one line per subject and process. */
#ifndef GPROFHUB_RUNTIME_BASE_COMPLAIN_H_
#define GPROFHUB_RUNTIME_BASE_COMPLAIN_H_

#pragma GCC visibility push(hidden)

/* What a line is about. Each subject is complained of once. */
enum gh_subject {
  GH_RECORDING,     /* what is counted and kept while the program runs */
  GH_GMON,          /* the gmon files at its end */
  GH_DUMP,          /* copies of the recording that the program asks for */
  GH_LIBRARY_CALLS, /* what GPROFHUB_LIBRARY_CALLS does not count */
  GH_WAITING,       /* what GPROFHUB_WAITING does not record */
  GH_EVENTS,        /* what GPROFHUB_EVENTS does not count */
  GH_FALLEN_BACK,   /* which files are not counted in the text */
  GH_THREADS,       /* that threads share counters */
  GH_SUBJECTS
};

/* "gprofhub: PROGRAM: WHAT: DETAIL" and a line feed; nothing if the subject was
 * complained of before. The detail may be empty. Async-signal-safe. */
void gh_complain(enum gh_subject subject, const char* what, const char* detail);

/* Why a file cannot be made or written, in words. `error` is -errno. */
const char* gh_reason(long error);

#pragma GCC visibility pop

#endif
