// What the libraries use of musl's headers, as musl 1.2 declares it for x86_64. What musl doesn't have, such as
// PTHREAD_MUTEX_ADAPTIVE_NP, is missing here too.

typedef unsigned long size_t;
typedef long ssize_t;
typedef long off_t;
typedef long time_t;
typedef int pid_t;
typedef unsigned mode_t;
typedef unsigned uid_t;
typedef unsigned gid_t;
typedef unsigned long dev_t;
typedef unsigned long ino_t;
typedef unsigned long nlink_t;
typedef long blksize_t;
typedef long blkcnt_t;

// bits/alltypes.h, pthread.h
typedef struct __pthread *pthread_t;
typedef struct { unsigned __attr; } pthread_mutexattr_t;
typedef struct {
  union { int __i[10]; volatile int __vi[10]; volatile void *volatile __p[5]; } __u;
} pthread_mutex_t;

#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_DEFAULT 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_ERRORCHECK 2

pthread_t pthread_self(void);
int pthread_mutex_init(pthread_mutex_t *__restrict, const pthread_mutexattr_t *__restrict);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutexattr_init(pthread_mutexattr_t *);
int pthread_mutexattr_destroy(pthread_mutexattr_t *);
int pthread_mutexattr_settype(pthread_mutexattr_t *, int);

// errno.h
int *__errno_location(void);
#define ENOENT 2
#define EINTR 4
#define EEXIST 17
#define EINVAL 22

// fcntl.h
#define O_RDONLY 00
#define O_WRONLY 01
#define O_RDWR 02
#define O_CREAT 0100
#define O_EXCL 0200
#define O_NONBLOCK 04000
#define O_DIRECTORY 0200000
#define O_NOFOLLOW 0400000
#define O_CLOEXEC 02000000
struct flock {
  short l_type;
  short l_whence;
  off_t l_start;
  off_t l_len;
  pid_t l_pid;
};
int open(const char *, int, ...);

// stdio.h, string.h, unistd.h
int rename(const char *, const char *);
char *strerror(int);
int close(int);
int fsync(int);
int unlink(const char *);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);

// sys/file.h
#define LOCK_EX 2
#define LOCK_UN 8
int flock(int, int);

// sys/stat.h
#define S_IFMT 0170000
#define S_IFREG 0100000
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
struct stat {
  dev_t st_dev;
  ino_t st_ino;
  nlink_t st_nlink;
  mode_t st_mode;
  uid_t st_uid;
  gid_t st_gid;
  unsigned __pad0;
  dev_t st_rdev;
  off_t st_size;
  blksize_t st_blksize;
  blkcnt_t st_blocks;
  struct timespec st_atim;
  struct timespec st_mtim;
  struct timespec st_ctim;
  long __unused[3];
};
int fstat(int, struct stat *);
int lstat(const char *__restrict, struct stat *__restrict);
int mkdir(const char *, mode_t);
