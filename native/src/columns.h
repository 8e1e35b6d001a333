/* Columns of numbers in one pass, where numpy would need several (columns.c). */
#ifndef LANESCOPE_COLUMNS_H
#define LANESCOPE_COLUMNS_H

/* Writes values[0], values[step], values[2 * step], … as numbers of 32 bits. INT64_MIN, which stands for a missing
 * value, becomes INT32_MIN. Returns the number of the first one that does not fit, or -1. */
LS_EXPORT int64_t ls_narrow(int64_t count, const int64_t *values, int64_t step, int32_t *out);

#endif
