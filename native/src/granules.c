/* The table of granules: a hash from (memory, granule) to its times. */
#include "granules.h"

#include <stdlib.h>

#define FIRST_SIZE 4096u

int32_t ls_granules_open(ls_granules *t)
{
    *t = (ls_granules){.mask = FIRST_SIZE - 1};
    t->cells = calloc(FIRST_SIZE, sizeof *t->cells);
    return t->cells == NULL ? -2 : 0;
}

void ls_granules_close(ls_granules *t)
{
    free(t->cells);
}

static uint64_t mixed(uint64_t key)
{
    key *= 0x9e3779b97f4a7c15u;
    return key ^ (key >> 29);
}

static ls_cell *slot_of(const ls_granules *t, uint64_t key)
{
    uint64_t at = mixed(key) & t->mask;
    while (t->cells[at].key != 0 && t->cells[at].key != key)
        at = (at + 1) & t->mask;
    return &t->cells[at];
}

static int32_t grow(ls_granules *t)
{
    ls_granules bigger = {.mask = t->mask * 2 + 1, .used = t->used};
    bigger.cells = calloc(bigger.mask + 1, sizeof *bigger.cells);
    if (bigger.cells == NULL)
        return -2;
    for (uint64_t k = 0; k <= t->mask; k++)
        if (t->cells[k].key != 0)
            *slot_of(&bigger, t->cells[k].key) = t->cells[k];
    free(t->cells);
    *t = bigger;
    return 0;
}

ls_cell *ls_granule(ls_granules *t, int32_t memory, uint64_t granule)
{
    uint64_t key = ((uint64_t)(memory + 1) << 40) | (granule & 0xffffffffffu);
    ls_cell *found = slot_of(t, key);
    if (found->key != 0)
        return found;
    if (t->used * 2 > t->mask) {
        if (grow(t) != 0)
            return NULL;
        found = slot_of(t, key);
    }
    t->used++;
    *found = (ls_cell){.key = key, .node = NONE};
    return found;
}
