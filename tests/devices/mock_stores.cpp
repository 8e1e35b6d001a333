/* Counts the stores of the cores. mock_core.cpp is compiled with -fsanitize=thread, so the compiler calls
 * these functions at every load and store. The sanitizer's own library is not linked.
 */
#include "mock_memory.h"

#define UNCOUNTED(bytes)                                                                          \
    void __tsan_read##bytes(void *) {}                                                            \
    void __tsan_unaligned_read##bytes(void *) {}
#define COUNTED(bytes)                                                                            \
    void __tsan_write##bytes(void *a) { mock_store(a); }                                          \
    void __tsan_unaligned_write##bytes(void *a) { mock_store(a); }

extern "C" {
UNCOUNTED(1)
UNCOUNTED(2)
UNCOUNTED(4)
UNCOUNTED(8)
UNCOUNTED(16)
COUNTED(1)
COUNTED(2)
COUNTED(4)
COUNTED(8)
COUNTED(16)
void __tsan_read_range(void *, unsigned long) {}
void __tsan_write_range(void *a, unsigned long) { mock_store(a); }
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_init() {}
}
