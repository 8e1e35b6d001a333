/* A region in a file that the host maps, too: for runtimes on this machine (Linux, POSIX).
 *
 * `lanescope collect -- PROGRAM` sets LANESCOPE_REGION (where to make the file) and
 * LANESCOPE_FLAGS (what to record). Without them, or with flags 0, there is no region, and every
 * handle opened on it does nothing.
 */
#ifndef LANESCOPE_FILE_H
#define LANESCOPE_FILE_H

#include "region.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#if !defined(_DEFAULT_SOURCE) && !defined(_GNU_SOURCE)
#error "lanescope/file.h needs POSIX and flock: compile with -std=gnu11 or define _GNU_SOURCE"
#endif

/* ---- inside ---------------------------------------------------------------------------------- */

LS_FN uint64_t ls_read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* Rate of LS_CLOCK(), measured against the system's clock for 20 ms. */
LS_SLOW uint64_t ls_measure_clock_hz(void)
{
    uint64_t ns0 = ls_read_ns(CLOCK_MONOTONIC), cycles0 = LS_CLOCK(), ns1;
    do
        ns1 = ls_read_ns(CLOCK_MONOTONIC);
    while (ns1 - ns0 < 20000000u);
    uint64_t cycles = LS_CLOCK() - cycles0;
    return (uint64_t)((double)cycles * 1e9 / (double)(ns1 - ns0) + 0.5);
}

/* Reads the device's counter and the time of day together; the tightest of several tries. */
LS_SLOW void ls_anchor_clock(uint8_t *region)
{
    ls_header *header = (ls_header *)region;
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 16; i++) {
        uint64_t before = LS_CLOCK(), ns = ls_read_ns(CLOCK_REALTIME), width = LS_CLOCK() - before;
        if (width >= best)
            continue;
        best = width;
        header->clock_cycles = before + width / 2;
        header->clock_unix_ns = ns;
        header->clock_error_ns = width * 500000000u / header->clock_hz + 1;
    }
}

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

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* Makes the file, as large as the configuration needs, and maps it; NULL: errno says why not. The
 * space is taken from the disk at once, so that a full disk shows here and not as a SIGBUS. The
 * file appears under its name only when it is whole. */
LS_SLOW uint8_t *ls_region_create(const char *path, const ls_config *config)
{
    uint64_t bytes = ls_region_bytes(config);
    size_t length = strlen(path);
    char *draft = bytes ? (char *)malloc(length + 7) : NULL;
    if (!draft)
        return NULL;
    memcpy(draft, path, length);
    memcpy(draft + length, ".draft", 7);
    uint8_t *region = NULL;
    int file = open(draft, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0 && ls_disk_has_room(file, bytes)
        && (errno = posix_fallocate(file, 0, (off_t)bytes)) == 0) {
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory != MAP_FAILED) {
            region = (uint8_t *)memory;
            flock(file, LOCK_SH | LOCK_NB); /* the open file stays: it says "in use" */
            ls_region_init(region, config);
            ls_anchor_clock(region);
            if (rename(draft, path) != 0) {
                munmap(region, bytes);
                region = NULL;
            }
        }
    }
    if (!region) {
        if (file >= 0)
            close(file);
        unlink(draft);
    }
    free(draft);
    return region;
}

/* What the environment asks for: a new region, or NULL where nothing is to be recorded. */
LS_SLOW uint8_t *ls_region_from_environment(ls_config config)
{
    const char *path = getenv("LANESCOPE_REGION"), *flags = getenv("LANESCOPE_FLAGS");
    const char *on_full = getenv("LANESCOPE_ON_FULL");
    if (!path || !flags)
        return NULL;
    config.flags = strtoull(flags, NULL, 0);
    if (on_full)
        config.on_full = strcmp(on_full, "drop") == 0 ? LS_DROP : LS_BLOCK;
    if (config.clock_hz == 0)
        config.clock_hz = ls_measure_clock_hz();
    if (config.host_lost_cycles == 0)
        config.host_lost_cycles = 30 * config.clock_hz;
    return ls_region_create(path, &config);
}

LS_SLOW void ls_region_running(uint8_t *region)
{
    if (region)
        ls_store_release(&((ls_header *)region)->state, LS_RUNNING);
}

/* After every handle was closed: the host may read to the end and go. */
LS_SLOW void ls_region_stopped(uint8_t *region)
{
    if (!region)
        return;
    ls_header *header = (ls_header *)region;
    header->stop_cycles = LS_CLOCK();
    header->stop_unix_ns = ls_read_ns(CLOCK_REALTIME);
    ls_store_release(&header->state, LS_STOPPED);
}

#endif
