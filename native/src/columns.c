/* Columns of numbers in one pass, where numpy would need several. */
#include "native.h"

int64_t ls_narrow(int64_t count, const int64_t *values, int64_t step, int32_t *out)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t value = values[i * step];
        int missing = value == INT64_MIN;
        if ((value > INT32_MAX || value <= INT32_MIN) && !missing)
            return i;
        out[i] = missing ? INT32_MIN : (int32_t)value;
    }
    return -1;
}
