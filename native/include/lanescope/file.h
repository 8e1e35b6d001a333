/* A region in a file that the host maps, too: for runtimes on this machine (Linux, POSIX).
 *
 * `lanescope collect -- PROGRAM` sets LANESCOPE_CAPTURE (a directory, in which every process makes a
 * directory with its region), LANESCOPE_FLAGS (what to record) and more (call_environment.h). Without
 * them, or with flags 0, there is no region, and every handle opened on it does nothing.
 *
 * A region belongs to one process. Its file is made for it, is never cut, and has its id in the header.
 */
#ifndef LANESCOPE_FILE_H
#define LANESCOPE_FILE_H

#include "call_environment.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#if !defined(_DEFAULT_SOURCE) && !defined(_GNU_SOURCE)
#error "lanescope/file.h needs POSIX and flock: compile with -std=gnu11 or define _GNU_SOURCE"
#endif

#include "clock.h"

/* ---- inside ---------------------------------------------------------------------------------- */

/* Is there room for this much? Asking first keeps a reservation that must fail from filling the disk
 * for everybody else until it has failed. */
LS_FN int ls_disk_has_room(int file, uint64_t bytes)
{
    struct statvfs disk;
    if (fstatvfs(file, &disk) != 0 || bytes / disk.f_frsize < disk.f_bavail)
        return 1;
    errno = ENOSPC;
    return 0;
}

/* A number that no other region has. */
LS_SLOW uint64_t ls_fresh_id(void)
{
    uint64_t id = 0;
    if (getentropy(&id, sizeof id) != 0)
        id = ls_read_ns(CLOCK_REALTIME) * 6364136223846793005u + (uint64_t)getpid();
    return id ? id : 1;
}

/* The regions of this process, for ls_after_fork. */
typedef struct ls_mapped {
    struct ls_mapped *next;
    uint8_t *region;
    size_t bytes;
    int file;
} ls_mapped;

static ls_mapped *ls_all_mapped __attribute__((unused));
static int ls_watches_forks __attribute__((unused));

/* A forked process has its parent's handles, and would write into its parent's buffers. So it gets a
 * copy of the region that nobody else sees, from which the host has left: its handles work on, wait for
 * nobody, and what they write is lost with the copy. It can make a region of its own. */
LS_SLOW void ls_after_fork(void)
{
#if !defined(__CUDA_ARCH__) /* these variables are the host's */
    for (ls_mapped *each = ls_all_mapped; each; each = each->next) {
        void *copy = mmap(each->region, each->bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, each->file, 0);
        if (copy != MAP_FAILED)
            ls_store_relaxed(&((ls_header *)each->region)->host_gone, 1);
        close(each->file); /* with the lock on it, which is the parent's */
    }
    ls_all_mapped = NULL;
#endif
}

/* Remembers a region for as long as the process lives; 0: no memory. */
LS_SLOW int ls_watch_forks(uint8_t *region, size_t bytes, int file)
{
    ls_mapped *mapped = (ls_mapped *)malloc(sizeof *mapped);
    if (!mapped)
        return 0;
    mapped->region = region;
    mapped->bytes = bytes;
    mapped->file = file;
#if !defined(__CUDA_ARCH__)
    mapped->next = __atomic_load_n(&ls_all_mapped, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&ls_all_mapped, &mapped->next, mapped, 1, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
    if (!__atomic_exchange_n(&ls_watches_forks, 1, __ATOMIC_RELAXED))
        pthread_atfork(NULL, NULL, ls_after_fork);
#endif
    return 1;
}

/* Gives the draft its name, unless that is taken. Some file systems have no links. */
LS_FN int ls_name_draft(const char *draft, const char *path)
{
    if (link(draft, path) == 0)
        return unlink(draft) == 0;
    return errno != EEXIST && access(path, F_OK) != 0 && rename(draft, path) == 0;
}

/* Lays a region out in an open file of its own and maps it. */
LS_SLOW uint8_t *ls_region_map(int file, const ls_config *config, uint64_t bytes, uint64_t id)
{
    if (!ls_disk_has_room(file, bytes) || (errno = posix_fallocate(file, 0, (off_t)bytes)) != 0)
        return NULL;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        return NULL;
    uint8_t *region = (uint8_t *)memory;
    ls_header *header = (ls_header *)memory;
    flock(file, LOCK_SH | LOCK_NB); /* the open file stays: it says "in use" */
    ls_region_init(region, config);
    ls_anchor_clock(region);
    header->region_id = id;
    header->process = (uint64_t)getpid();
    return region;
}

LS_SLOW uint8_t *ls_region_make(const char *path, const ls_config *config, uint64_t id)
{
    uint64_t bytes = ls_region_bytes(config);
    size_t room = strlen(path) + 32;
    char *draft = bytes ? (char *)malloc(room) : NULL;
    if (!draft)
        return NULL;
    snprintf(draft, room, "%s.%016llx", path, (unsigned long long)id);
    int file = open(draft, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    uint8_t *region = file >= 0 ? ls_region_map(file, config, bytes, id) : NULL;
    int named = region && ls_name_draft(draft, path);
    if (file >= 0 && !(named && ls_watch_forks(region, bytes, file))) {
        int problem = errno;
        unlink(named ? path : draft);
        if (region)
            munmap(region, bytes);
        close(file);
        region = NULL;
        errno = problem;
    }
    free(draft);
    return region;
}

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* Makes the file, as large as the configuration needs, and maps it; NULL: errno says why not, and a
 * file that is there already is EEXIST. The space is taken from the disk at once, so that a full disk
 * shows here and not as a SIGBUS. The file appears under its name only when it is whole, and nobody
 * but the caller's user may read it. */
LS_SLOW uint8_t *ls_region_create(const char *path, const ls_config *config)
{
    return ls_region_make(path, config, ls_fresh_id());
}

/* ---- inside ---------------------------------------------------------------------------------- */

/* Makes CAPTURE/PROCESS-ID/region: a directory of its own for this process and this call. A program
 * that becomes another one keeps its process number, so the ID tells the two apart. */
LS_SLOW uint8_t *ls_region_of_process(const char *capture, const ls_config *config)
{
    size_t room = strlen(capture) + 64;
    char *path = (char *)malloc(room);
    if (!path)
        return NULL;
    uint64_t id = ls_fresh_id();
    int length = snprintf(path, room, "%s/%ld-%016llx", capture, (long)getpid(),
                          (unsigned long long)id);
    uint8_t *region = NULL;
    if (mkdir(path, 0700) == 0) {
        memcpy(path + length, "/region", 8);
        region = ls_region_make(path, config, id);
        path[length] = 0;
        if (!region)
            rmdir(path);
    }
    free(path);
    return region;
}

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* How long a host may show no sign of life, in milliseconds. It shows one every 50: a host that the
 * machine did not let run for a while is not lost, and a program whose host was killed goes on before
 * anybody takes it for dead. */
#define LS_HOST_LOST_MS 800u

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* The same for what somebody asks for by a pointer; a rate of the clock that is 0 is measured. NULL where
 * nothing is to be recorded, and where `call` cannot be used; see ls_call_check. */
LS_SLOW uint8_t *ls_region_from_call(const ls_call_config *call, ls_config config)
{
    if (ls_call_check(call) != LS_CALL_OK || !call->capture[0] || !call->flags)
        return NULL;
    ls_call_apply(call, &config);
    if (config.clock_hz == 0)
        config.clock_hz = ls_measure_clock_hz();
    if (config.host_lost_cycles == 0)
        config.host_lost_cycles = config.clock_hz / 1000 * LS_HOST_LOST_MS;
    return ls_region_of_process(call->capture, &config);
}

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* What the environment asks for: a new region, or NULL where nothing is to be recorded. Every process
 * has one of its own, also those that the program starts or becomes. A process that was forked without
 * another call of this records nothing; see ls_after_fork. */
LS_SLOW uint8_t *ls_region_from_environment(ls_config config)
{
    ls_call_config call = ls_call_from_environment();
    return ls_region_from_call(&call, config);
}

/* Tells the host that recording has begun; NULL is fine. */
LS_SLOW void ls_region_running(uint8_t *region)
{
    if (region)
        ls_store_release(&((ls_header *)region)->state, LS_RUNNING);
}

#endif
