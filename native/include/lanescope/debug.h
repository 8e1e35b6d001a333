/* A build with -DLS_DEBUG stops where records would belong to nobody, and says who made them.
 *
 * It is dearer: every record looks who writes it. Without LS_DEBUG, and in GPU code, nothing of this is
 * there: such records are counted, and the ledger of the trace has them.
 */
#ifndef LANESCOPE_DEBUG_H
#define LANESCOPE_DEBUG_H

#if defined(LS_DEBUG) && !defined(LS_NO_SYSTEM_HEADERS) && !defined(__CUDACC__) && !defined(__HIPCC__)

#include "kinds.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Where a handle was opened, and which thread uses it. */
typedef struct {
    const char *file;
    uint64_t thread; /* of the first record; 0: there was none */
    uint64_t line;
} ls_debug_caller;

#define LS_DEBUG_CALLER 1

/* The call that opens a handle; record.h sets it. */
static __thread ls_debug_caller ls_debug_now __attribute__((unused));

/* ---- inside ---------------------------------------------------------------------------------- */

LS_FN void ls_debug_call(const char *file, uint64_t line)
{
    ls_debug_now.file = file;
    ls_debug_now.line = line;
}

LS_FN const char *ls_debug_kind(uint32_t kind)
{
    switch (kind) {
#define LS_KIND_CASE(constant, code, name, bytes, feature, owner, producer) \
    case constant: return #name;
        LS_RECORD_KINDS(LS_KIND_CASE)
#undef LS_KIND_CASE
    default: return "record";
    }
}

LS_SLOW void ls_debug_stop(const char *problem, ls_debug_caller caller, uint32_t kind, uint32_t owner)
{
    fprintf(stderr, "lanescope: %s:%llu: %s of number %u: %s (thread 0x%llx)\n",
            caller.file ? caller.file : "unknown file",
            (unsigned long long)caller.line, ls_debug_kind(kind),
            owner, problem, (unsigned long long)pthread_self());
    abort();
}

#define LS_DEBUG_STRAY(kind, owner) \
    ls_debug_stop("the region has no lane for this number", ls_debug_now, kind, owner)
#define LS_DEBUG_OPENED(w) ((w)->caller = ls_debug_now)
#define LS_DEBUG_INTRUDED(w)                                                                     \
    ls_debug_stop("a newer handle was opened on the lane of this one", (w)->caller, (w)->lane->kind, \
                  (w)->lane->owner)
#define LS_DEBUG_THREAD(w)                                                                       \
    do {                                                                                         \
        uint64_t ls_self = (uint64_t)pthread_self();                                             \
        if ((w)->caller.thread && (w)->caller.thread != ls_self)                                 \
            ls_debug_stop("a second thread records through this handle", (w)->caller,            \
                          (w)->lane->kind, (w)->lane->owner);                                    \
        (w)->caller.thread = ls_self;                                                            \
    } while (0)

#else

#define LS_DEBUG_STRAY(kind, owner) ((void)0)
#define LS_DEBUG_OPENED(w) ((void)0)
#define LS_DEBUG_INTRUDED(w) ((void)0)
#define LS_DEBUG_THREAD(w) ((void)0)

#endif

#endif
