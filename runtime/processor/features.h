/* The processor that executes the program, as its own instructions and the kernel describe it. */
#ifndef GPROFHUB_RUNTIME_PROCESSOR_FEATURES_H_
#define GPROFHUB_RUNTIME_PROCESSOR_FEATURES_H_

#pragma GCC visibility push(hidden)

enum { GH_PROCESSOR_NAME_BYTES = 96 };

/* "x86_64" or "aarch64". */
extern const char gh_architecture[];

/* Vendor and model, terminated; empty if unknown. */
void gh_processor_name(char name[GH_PROCESSOR_NAME_BYTES]);

/* Calls `visit` with the name of each feature that the processor has, and that the kernel lets
 * programs use: those by which libc chooses between variants of a function. Slow: an instruction
 * may trap into a hypervisor. */
void gh_processor_features(void (*visit)(void* context, const char* name), void* context);

/* Name of the emulator that the processor claims to be; NULL: none. */
const char* gh_processor_emulator(void);

#pragma GCC visibility pop

#endif
