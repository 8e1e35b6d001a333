/* Loaded before the C library (LD_PRELOAD): lets the N-th call of some kinds fail, and writes down calls.
 *
 * Only calls about files below one folder count; memory counts where liblanescope.so or numpy asks for
 * it. Python arms it with faults_arm(), a program with LANESCOPE_FAULTS="KINDS AT ERRNO STICKY FOLDER".
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN = 1, WRITE = 2, SYNC = 4, RENAME = 8, GROW = 16, MKDIR = 32, MAP = 64, OWN_MEMORY = 128,
       NUMPY_MEMORY = 256, REMOVE = 512 };
#define SHORT (-1) /* in place of an errno: a write takes half of what it is given */

static char folder[PATH_MAX];
static int kinds, problem, sticky, journal = -1;
static long at, calls[16]; /* by kind: the number of its bit */
static uintptr_t own[2], numpy[2];

/* Where calls for memory come from; `program` says that the program has lanescope's headers in it. */
static int find_memory(struct dl_phdr_info *info, size_t size, void *program)
{
    (void)size;
    int has_headers = program && info->dlpi_name[0] == 0;
    uintptr_t *range = has_headers || strstr(info->dlpi_name, "liblanescope.so") ? own
                       : strstr(info->dlpi_name, "_multiarray_umath")            ? numpy
                                                                                 : NULL;
    for (int i = 0; range && i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            range[0] = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            range[1] = range[0] + info->dlpi_phdr[i].p_memsz;
        }
    return 0;
}

/* From now on the `nth` call of these kinds fails; with `sticky` all after it, too. 0: none fails. */
void faults_arm(const char *below, int which, long nth, int error, int stays)
{
    snprintf(folder, sizeof folder, "%s", below);
    dl_iterate_phdr(find_memory, NULL);
    problem = error, sticky = stays, at = nth;
    memset(calls, 0, sizeof calls);
    __atomic_store_n(&kinds, which, __ATOMIC_SEQ_CST);
}

/* Writes every call that changes a file below `below` into the open file `handle`; -1 ends that. */
void faults_journal(const char *below, int handle)
{
    snprintf(folder, sizeof folder, "%s", below);
    journal = handle;
}

long faults_calls(int kind)
{
    return __atomic_load_n(&calls[__builtin_ctz((unsigned)kind)], __ATOMIC_SEQ_CST);
}

__attribute__((constructor)) static void from_environment(void)
{
    char below[PATH_MAX];
    int which, error, stays;
    long nth;
    const char *text = getenv("LANESCOPE_FAULTS");
    if (text && sscanf(text, "%d %ld %d %d %4095s", &which, &nth, &error, &stays, below) == 5)
        faults_arm(below, which, nth, error, stays), dl_iterate_phdr(find_memory, &kinds);
}

static int counts(int kind)
{
    if (!(__atomic_load_n(&kinds, __ATOMIC_RELAXED) & kind))
        return 0;
    long call = __atomic_add_fetch(&calls[__builtin_ctz((unsigned)kind)], 1, __ATOMIC_SEQ_CST);
    return at && (call == at || (sticky && call > at));
}

static int fails(int kind)
{
    if (!counts(kind))
        return 0;
    errno = problem;
    return 1;
}

static int path_of(int handle, char *path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = 0;
    return length > 0;
}

/* The absolute path of what a call names; 0: it is not below the folder, or nobody asks. */
static int named(int directory, const char *name, char *path)
{
    char base[PATH_MAX] = "";
    if ((!kinds && journal < 0) || !name)
        return 0;
    if (name[0] != '/' && directory == AT_FDCWD && !getcwd(base, sizeof base))
        return 0;
    if (name[0] != '/' && directory != AT_FDCWD && !path_of(directory, base))
        return 0;
    snprintf(path, PATH_MAX, "%.*s%s%s", PATH_MAX / 2, base, name[0] == '/' ? "" : "/", name);
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int ours(int handle, char *path)
{
    char found[PATH_MAX];
    return handle >= 0 && (kinds || journal >= 0) && path_of(handle, found) && named(AT_FDCWD, found, path);
}

/* One entry: "WHAT\0PATH\0OTHER\0OFFSET\0BYTES\0" and that many bytes. */
static void note(const char *what, const char *path, const char *other, long offset, const void *data,
                 size_t bytes)
{
    if (journal < 0)
        return;
    char head[3 * PATH_MAX];
    int length = snprintf(head, sizeof head, "%s%c%s%c%s%c%ld%c%zu%c", what, 0, path, 0, other, 0, offset,
                          0, bytes, 0);
    struct iovec parts[] = {{head, (size_t)length}, {(void *)data, bytes}};
    syscall(SYS_writev, journal, parts, 2); /* one call: entries of two threads do not mix */
}

static int open_at(int directory, const char *name, int flags, mode_t mode)
{
    char path[PATH_MAX];
    int mine = named(directory, name, path);
    if (mine && fails(OPEN))
        return -1;
    int handle = (int)syscall(SYS_openat, directory, name, flags | O_LARGEFILE, mode);
    if (mine && handle >= 0 && (flags & (O_CREAT | O_TRUNC)) && (flags & O_TMPFILE) != O_TMPFILE)
        note(flags & O_TRUNC ? "empty" : "create", path, "", 0, NULL, 0);
    return handle;
}

#define MODE_OF(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list list; \
        va_start(list, flags); \
        mode = va_arg(list, mode_t); \
        va_end(list); \
    }

int open(const char *name, int flags, ...) { MODE_OF(flags) return open_at(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE_OF(flags) return open_at(AT_FDCWD, name, flags, mode); }
int openat(int d, const char *name, int flags, ...) { MODE_OF(flags) return open_at(d, name, flags, mode); }
int openat64(int d, const char *name, int flags, ...) { MODE_OF(flags) return open_at(d, name, flags, mode); }
int __open_2(const char *name, int flags) { return open_at(AT_FDCWD, name, flags, 0); }
int __open64_2(const char *name, int flags) { return open_at(AT_FDCWD, name, flags, 0); }
int __openat_2(int d, const char *name, int flags) { return open_at(d, name, flags, 0); }
int __openat64_2(int d, const char *name, int flags) { return open_at(d, name, flags, 0); }
int creat(const char *name, mode_t mode) { return open_at(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *name, mode_t mode) { return creat(name, mode); }

DIR *opendir(const char *name)
{
    char path[PATH_MAX];
    if (named(AT_FDCWD, name, path) && fails(OPEN))
        return NULL;
    int handle = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return handle < 0 ? NULL : fdopendir(handle);
}

/* What is left of a write: nothing (-1, errno says why), a part, or all of it. */
static ssize_t admitted(int handle, size_t bytes, char *path)
{
    if (!ours(handle, path)) {
        path[0] = 0;
        return (ssize_t)bytes;
    }
    if (!counts(WRITE))
        return (ssize_t)bytes;
    if (problem == SHORT)
        return (ssize_t)(bytes > 1 ? bytes / 2 : bytes);
    errno = problem;
    return -1;
}

static void note_write(const char *path, long offset, const void *data, ssize_t bytes)
{
    if (path[0] && bytes > 0)
        note("write", path, "", offset, data, (size_t)bytes);
}

ssize_t write(int handle, const void *data, size_t bytes)
{
    char path[PATH_MAX];
    ssize_t some = admitted(handle, bytes, path);
    if (some < 0)
        return -1;
    long offset = path[0] ? syscall(SYS_lseek, handle, 0L, SEEK_CUR) : 0;
    ssize_t done = syscall(SYS_write, handle, data, (size_t)some);
    note_write(path, offset, data, done);
    return done;
}

ssize_t pwrite(int handle, const void *data, size_t bytes, off_t offset)
{
    char path[PATH_MAX];
    ssize_t some = admitted(handle, bytes, path);
    if (some < 0)
        return -1;
    ssize_t done = syscall(SYS_pwrite64, handle, data, (size_t)some, offset);
    note_write(path, offset, data, done);
    return done;
}
ssize_t pwrite64(int handle, const void *data, size_t bytes, off64_t offset)
{
    return pwrite(handle, data, bytes, offset);
}

/* As separate writes: a caller sees what a short writev does. */
ssize_t writev(int handle, const struct iovec *parts, int count)
{
    char path[PATH_MAX];
    size_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += parts[i].iov_len;
    ssize_t some = admitted(handle, bytes, path), all = 0;
    if (some < 0)
        return -1;
    if (!path[0])
        return syscall(SYS_writev, handle, parts, count);
    for (int i = 0; i < count && all < some; i++) {
        size_t want = parts[i].iov_len < (size_t)(some - all) ? parts[i].iov_len : (size_t)(some - all);
        long offset = syscall(SYS_lseek, handle, 0L, SEEK_CUR);
        ssize_t done = syscall(SYS_write, handle, parts[i].iov_base, want);
        if (done < 0)
            return all ? all : -1;
        note_write(path, offset, parts[i].iov_base, done);
        all += done;
    }
    return all;
}

static int sync_of(int handle, long call)
{
    char path[PATH_MAX];
    int mine = ours(handle, path);
    if (mine && fails(SYNC))
        return -1;
    int done = (int)syscall(call, handle);
    if (mine && done == 0)
        note("sync", path, "", 0, NULL, 0);
    return done;
}
int fsync(int handle) { return sync_of(handle, SYS_fsync); }
int fdatasync(int handle) { return sync_of(handle, SYS_fdatasync); }

int renameat2(int from, const char *one, int to, const char *other, unsigned flags)
{
    char old[PATH_MAX], new[PATH_MAX];
    int mine = named(to, other, new) && named(from, one, old);
    if (mine && fails(RENAME))
        return -1;
    int done = (int)syscall(SYS_renameat2, from, one, to, other, flags);
    if (mine && done == 0)
        note(flags ? "exchange" : "rename", old, new, 0, NULL, 0);
    return done;
}
int linkat(int from, const char *one, int to, const char *other, int flags)
{
    char path[PATH_MAX];
    if (named(to, other, path) && fails(RENAME))
        return -1;
    return (int)syscall(SYS_linkat, from, one, to, other, flags);
}
int link(const char *one, const char *other) { return linkat(AT_FDCWD, one, AT_FDCWD, other, 0); }
int renameat(int from, const char *one, int to, const char *other) { return renameat2(from, one, to, other, 0); }
int rename(const char *one, const char *other) { return renameat2(AT_FDCWD, one, AT_FDCWD, other, 0); }

int ftruncate(int handle, off_t bytes)
{
    char path[PATH_MAX];
    int mine = ours(handle, path);
    if (mine && fails(GROW))
        return -1;
    int done = (int)syscall(SYS_ftruncate, handle, bytes);
    if (mine && done == 0)
        note("cut", path, "", bytes, NULL, 0);
    return done;
}
int ftruncate64(int handle, off64_t bytes) { return ftruncate(handle, bytes); }

int posix_fallocate(int handle, off_t offset, off_t bytes)
{
    char path[PATH_MAX];
    if (ours(handle, path) && counts(GROW))
        return problem;
    return syscall(SYS_fallocate, handle, 0, offset, bytes) == 0 ? 0 : errno;
}
int posix_fallocate64(int handle, off64_t offset, off64_t bytes) { return posix_fallocate(handle, offset, bytes); }

int mkdirat(int directory, const char *name, mode_t mode)
{
    char path[PATH_MAX];
    int mine = named(directory, name, path);
    if (mine && fails(MKDIR))
        return -1;
    int done = (int)syscall(SYS_mkdirat, directory, name, mode);
    if (mine && done == 0)
        note("mkdir", path, "", 0, NULL, 0);
    return done;
}
int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

int unlinkat(int directory, const char *name, int flags)
{
    char path[PATH_MAX];
    int mine = named(directory, name, path);
    if (mine && fails(REMOVE))
        return -1;
    int done = (int)syscall(SYS_unlinkat, directory, name, flags);
    if (mine && done == 0)
        note("remove", path, "", 0, NULL, 0);
    return done;
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }

void *mmap(void *where, size_t bytes, int protection, int flags, int handle, off_t offset)
{
    char path[PATH_MAX];
    if (ours(handle, path) && fails(MAP))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, where, bytes, protection, flags, handle, offset);
}
void *mmap64(void *where, size_t bytes, int protection, int flags, int handle, off64_t offset)
{
    return mmap(where, bytes, protection, flags, handle, offset);
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

/* Arrays, and not what numpy needs to work on them: it and pyarrow crash where they do not get that. */
#define SMALLEST_ARRAY 8192u

static int starved(void *caller, size_t bytes)
{
    uintptr_t from = (uintptr_t)caller;
    return (own[0] <= from && from < own[1] && fails(OWN_MEMORY)) ||
           (bytes >= SMALLEST_ARRAY && numpy[0] <= from && from < numpy[1] && fails(NUMPY_MEMORY));
}
#define STARVED(bytes) (kinds && starved(__builtin_return_address(0), (bytes)))

void *malloc(size_t bytes) { return STARVED(bytes) ? NULL : __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return STARVED(count * bytes) ? NULL : __libc_calloc(count, bytes); }
void *realloc(void *old, size_t bytes) { return STARVED(bytes) ? NULL : __libc_realloc(old, bytes); }
void *aligned_alloc(size_t line, size_t bytes) { return STARVED(bytes) ? NULL : __libc_memalign(line, bytes); }
