/* The runtime's messages on stderr: one line per subject and process. */
#ifndef GPROFHUB_RUNTIME_BASE_COMPLAIN_H_
#define GPROFHUB_RUNTIME_BASE_COMPLAIN_H_

#pragma GCC visibility push(hidden)

/* Subject of a message. Each subject is reported once. */
enum gh_subject {
  GH_RECORDING,     /* counting and recording */
  GH_GMON,          /* the gmon files at the program's end */
  GH_DUMP,          /* copies of the recording that the program requests */
  GH_LIBRARY_CALLS, /* functions that GPROFHUB_LIBRARY_CALLS does not count */
  GH_WAITING,       /* waiting that GPROFHUB_WAITING does not record */
  GH_EVENTS,        /* events that GPROFHUB_EVENTS does not count */
  GH_FALLEN_BACK,   /* files that are not counted in the text */
  GH_THREADS,       /* threads that share counters */
  GH_SUBJECTS
};

/* Remembers what stderr is. A program may close it, and open a file of its own by its number: that
 * one gets no message. */
void gh_complain_begin(void);

/* Prints "gprofhub: PROGRAM: WHAT: DETAIL" and a line feed, unless the subject was reported
 * before, or stderr is another file than at gh_complain_begin. The detail may be empty. No signal
 * of a failed write reaches the program. Async-signal-safe. */
void gh_complain(enum gh_subject subject, const char* what, const char* detail);

/* Reason why a file cannot be created or written. `error` is -errno. */
const char* gh_reason(long error);

#pragma GCC visibility pop

#endif
