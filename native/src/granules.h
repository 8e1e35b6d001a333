/* A table of SRAM granules for schedule.c: when each was last written and read. */
#ifndef LANESCOPE_GRANULES_H
#define LANESCOPE_GRANULES_H

#include <stdint.h>

#define NONE (-1)

/* Times of one granule. Empty slots of the table have key 0. */
typedef struct {
    uint64_t key;
    int64_t written;     /* its content can be read */
    int64_t read;        /* the last reader of this content is done */
    int64_t read_before; /* the same of the content before: the other buffer */
    int64_t path;        /* `written` on the critical path */
    int64_t node;        /* the instruction that wrote it there */
} ls_cell;

/* Open addressing, at most half full. */
typedef struct {
    ls_cell *cells;
    uint64_t mask;
    uint64_t used;
} ls_granules;

/* 0, or -2 for lack of memory. */
int32_t ls_granules_open(ls_granules *granules);
void ls_granules_close(ls_granules *granules);

/* The granule's cell, made when it is new; NULL for lack of memory. Valid until the next call. */
ls_cell *ls_granule(ls_granules *granules, int32_t memory, uint64_t granule);

#endif
