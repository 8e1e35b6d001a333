/* Sorting by whole numbers, for the library itself; native.h has what Python calls. */
#ifndef LS_SORT_H
#define LS_SORT_H

#include <stdint.h>

/* How many bits a value needs. */
unsigned ls_bits_of(uint64_t value);

/* Sorts `count` words by the bits from `shift` to `shift + width`, equal ones as they come; `spare`
 * is as large. Returns the one of the two that holds the result. */
uint64_t *ls_sort_words(int64_t count, uint64_t *words, uint64_t *spare, unsigned shift,
                        unsigned width);

typedef struct {
    uint64_t key;
    uint64_t index;
} ls_keyed;

/* The same where a key has a word of its own. */
ls_keyed *ls_sort_keyed(int64_t count, ls_keyed *words, ls_keyed *spare, unsigned width);

#endif
