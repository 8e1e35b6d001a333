/* Registers of a core as its controller reaches them: two functions and what they need, no globals.
 *
 * An offset is in bytes from the core's own window. AICPU code makes the two functions from the mapped
 * window, tests from a stand-in that writes every access down.
 */
#ifndef LANESCOPE_REGISTERS_H
#define LANESCOPE_REGISTERS_H

#include "portable.h"

typedef struct {
    uint32_t (*read)(void *context, uint32_t offset);
    void (*write)(void *context, uint32_t offset, uint32_t value);
    void *context;
} ls_registers;

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* The value of a register. */
LS_FN uint32_t ls_read_register(const ls_registers *registers, uint32_t offset)
{
    return registers->read(registers->context, offset);
}

/* Sets a register. */
LS_FN void ls_write_register(const ls_registers *registers, uint32_t offset, uint32_t value)
{
    registers->write(registers->context, offset, value);
}

#endif
