// SPDX-License-Identifier: Apache-2.0
//
// Makes a fork server of any program with a C library: loaded before the program by LD_PRELOAD, it
// keeps main from being called and calls it in copies of the process instead, once for each request.
// A copy is spared what comes before main, which for a compiler is most of a short run: to load its
// libraries, to relocate them and to construct their global objects.
//
// Standard input has requests, standard output answers, both in the machine's own byte order:
//
//   request to run    int size of what follows, int id, int seconds, then strings, each with its NUL:
//                     work directory, file for standard output, file for standard error, TMPDIR,
//                     the arguments, the program's own name first
//   request to kill   int size, which is 4, int id
//   answer            int id, int status as waitpid tells it, or -1 if nothing was run
//
// The first answer, of id 0, says that the server is there. Each copy is the leader of a process group
// of its own, which ends with it, when it is to be killed, when its seconds are over, with the server,
// and at the end of standard input. Nothing but these happens in the server, which is why its copies are
// what a fresh process is.
//
// No header is included, so that a compiler without a C library's headers can compile this. The
// numbers are those of Linux on x86-64 and AArch64. Source: the manual pages of the functions.

typedef unsigned long size_t;
typedef long ssize_t;
typedef void (*handler)(int);
typedef int (*main_function)(int, char **, char **);
typedef int (*start_function)(main_function, int, char **, void *, void *, void *, void *);
struct pollfd {
  int descriptor;
  short events;
  short happened;
};
struct segment {
  unsigned type, flags;
  unsigned long offset, address, physical, size, memory, alignment;
};
struct object {
  unsigned long address;
  const char *name;
  const struct segment *segments;
  unsigned short count;
};

int alarm(unsigned);
int chdir(const char *);
int close(int);
int dl_iterate_phdr(int (*)(struct object *, size_t, void *), void *);
void *dlsym(void *, const char *);
int dup2(int, int);
void _exit(int) __attribute__((noreturn));
int fork(void);
void free(void *);
char *getenv(const char *);
int getppid(void);
int getpid(void);
int kill(int, int);
int madvise(void *, size_t, int);
void *malloc(size_t);
void *memcpy(void *, const void *, size_t);
void *mmap(void *, size_t, int, int, int, long);
int mprotect(void *, size_t, int);
void *mremap(void *, size_t, size_t, int, ...);
int munmap(void *, size_t);
int open(const char *, int, ...);
int pipe2(int[2], int);
int poll(struct pollfd *, unsigned long, int);
int prctl(int, ...);
ssize_t read(int, void *, size_t);
ssize_t readlink(const char *, char *, size_t);
int setenv(const char *, const char *, int);
int setpgid(int, int);
handler signal(int, handler);
char *strchr(const char *, int);
int strcmp(const char *, const char *);
size_t strlen(const char *);
int unsetenv(const char *);
int waitpid(int, int *, int);
ssize_t write(int, const void *, size_t);
extern char **environ;

enum { IN = 0, OUT = 1, ERROR = 2 };
enum { O_RDONLY = 0, O_WRONLY = 01, O_CREAT = 0100, O_APPEND = 02000 };
enum { O_NONBLOCK = 04000, O_CLOEXEC = 02000000 };
enum { POLLIN = 1, WNOHANG = 1, PR_SET_PDEATHSIG = 1 };
enum { SIGKILL = 9, SIGCHLD = 17 };
enum { PT_LOAD = 1, PF_X = 1, PF_W = 2 };
enum { PROT_READ = 1, PROT_WRITE = 2, PROT_EXEC = 4, MAP_PRIVATE = 2, MAP_ANONYMOUS = 0x20 };
enum { MREMAP_MAYMOVE = 1, MREMAP_FIXED = 2, MADV_HUGEPAGE = 14, HUGE = 1 << 21 };
enum { MOST = 1024, LARGEST = 1 << 24, CANNOT_BE_RUN = 126 };

static main_function program;
static struct {
  int id;
  int process;
} jobs[MOST];
static int running;
static int ended[2];

static int receive(void *bytes, size_t size) {
  char *next = bytes;
  while (size > 0) {
    ssize_t count = read(IN, next, size);
    if (count <= 0) {
      return 0;
    }
    next += count;
    size -= (size_t)count;
  }
  return 1;
}

static void answer(int id, int status) {
  int bytes[2] = {id, status};
  if (write(OUT, bytes, sizeof bytes) != sizeof bytes) {
    _exit(1);
  }
}

static void on_end_of_child(int number) {
  (void)number;
  ssize_t ignored = write(ended[1], "", 1);
  (void)ignored;
}

static void answer_for_the_ended(void) {
  char bytes[64];
  while (read(ended[0], bytes, sizeof bytes) > 0) {
  }
  int status;
  for (int process; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
    kill(-process, SIGKILL);
    for (int i = 0; i < running; i++) {
      if (jobs[i].process == process) {
        answer(jobs[i].id, status);
        jobs[i] = jobs[--running];
        break;
      }
    }
  }
}

static void kill_job(int id) {
  for (int i = 0; i < running; i++) {
    if (jobs[i].id == id) {
      kill(-jobs[i].process, SIGKILL);
    }
  }
}

static void stop(void) {
  while (running > 0) {
    kill(-jobs[--running].process, SIGKILL);
  }
  _exit(0);
}

static char *after(char *string) { return string + strlen(string) + 1; }

static void redirect(int descriptor, const char *file, int flags) {
  int opened = open(file, flags, 0600);
  if (opened < 0 || dup2(opened, descriptor) < 0) {
    _exit(CANNOT_BE_RUN);
  }
  close(opened);
}

// Makes this process what the request says; what is left to do is to call main.
static char **become(int server, unsigned seconds, char *strings, char *end) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != server) {
    _exit(CANNOT_BE_RUN);
  }
  signal(SIGCHLD, (handler)0);
  close(ended[0]);
  close(ended[1]);
  alarm(seconds);
  char *directory = strings, *output = after(directory), *error = after(output);
  char *temporary = after(error), *first = after(temporary);
  if (chdir(directory) != 0) {
    _exit(CANNOT_BE_RUN);
  }
  redirect(IN, "/dev/null", O_RDONLY);
  redirect(OUT, output, O_WRONLY | O_CREAT | O_APPEND);
  redirect(ERROR, error, O_WRONLY | O_CREAT | O_APPEND);
  setenv("TMPDIR", temporary, 1);
  size_t count = 0;
  for (char *word = first; word < end; word = after(word)) {
    count++;
  }
  char **words = malloc((count + 1) * sizeof(char *));
  if (!words) {
    _exit(CANNOT_BE_RUN);
  }
  for (char *word = first; word < end; word = after(word)) {
    *words++ = word;
  }
  *words = 0;
  return words - count;
}

// Whether the system has huge pages for who asks for them.
static int has_huge_pages(void) {
  char modes[64];
  int file = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
  ssize_t size = file < 0 ? 0 : read(file, modes, sizeof modes - 1);
  close(file);
  modes[size < 0 ? 0 : size] = 0;
  char *chosen = strchr(modes, '[');
  return chosen && chosen[1] != 'n';
}

// Puts what lies between two addresses, code, into huge pages. Where that can't be had, or nothing in
// memory may be run that does not come from a file, it stays what it is. Should the last step lose it,
// the server crashes before its first answer, and is done without.
static void move_to_huge_pages(char *begin, size_t size) {
  char *room = mmap(0, size + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == (char *)-1) {
    return;
  }
  size_t before = -(unsigned long)room & (HUGE - 1);
  char *copy = room + before;
  int made = 0;
  if (madvise(copy, size, MADV_HUGEPAGE) == 0) {
    memcpy(copy, begin, size);
    made = mprotect(copy, size, PROT_READ | PROT_EXEC) == 0 &&
           mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, begin) == begin;
  }
  munmap(room, before);
  munmap(made ? copy + size : copy, made ? HUGE - before : size + HUGE - before);
}

// A copy of the process begins without tables for pages of files: it met a fault for each 64 kB of
// code that it came to, and the processor missed them in its own table (TLB) later. Huge pages are
// few, and a copy has them from the beginning.
static int move_code(struct object *object, size_t size, void *nothing) {
  (void)size, (void)nothing;
  for (int i = 0; i < object->count; i++) {
    const struct segment *segment = &object->segments[i];
    if (segment->type == PT_LOAD && (segment->flags & (PF_X | PF_W)) == PF_X) {
      unsigned long begin = object->address + segment->address, end = begin + segment->memory;
      begin = (begin + HUGE - 1) & -HUGE;
      end &= -HUGE;
      if (begin < end) {
        move_to_huge_pages((char *)begin, end - begin);
      }
    }
  }
  return 0;
}

// Returns the arguments in a copy of the process, and nothing in the server.
static char **take_request(int server) {
  int size, id, seconds;
  if (!receive(&size, sizeof size) || size > LARGEST || !receive(&id, sizeof id)) {
    stop();
  }
  if (size == sizeof id) {
    kill_job(id);
    return 0;
  }
  size -= (int)(sizeof id + sizeof seconds);
  char *strings = size < 0 ? 0 : malloc((size_t)size + 1);
  if (!strings || !receive(&seconds, sizeof seconds) || !receive(strings, (size_t)size)) {
    stop();
  }
  strings[size] = 0;
  int process = running < MOST ? fork() : -1;
  if (process == 0) {
    return become(server, (unsigned)seconds, strings, strings + size);
  }
  free(strings);
  if (process < 0) {
    answer(id, -1);
  } else {
    setpgid(process, process);
    jobs[running].id = id;
    jobs[running++].process = process;
  }
  return 0;
}

static int serve(int count, char **arguments, char **environment) {
  (void)count, (void)arguments, (void)environment;
  unsetenv("LD_PRELOAD");
  unsetenv("LD_BIND_NOW");
  unsetenv("FORK_SERVER");
  setpgid(0, 0);
  if (pipe2(ended, O_CLOEXEC | O_NONBLOCK) != 0) {
    _exit(1);
  }
  signal(SIGCHLD, on_end_of_child);
  int server = getpid();
  if (has_huge_pages()) {
    dl_iterate_phdr(move_code, 0);
  }
  answer(0, 0);
  for (;;) {
    struct pollfd polled[2] = {{IN, POLLIN, 0}, {ended[0], POLLIN, 0}};
    if (poll(polled, 2, -1) < 0) {
      continue;
    }
    if (polled[1].happened) {
      answer_for_the_ended();
    }
    if (polled[0].happened) {
      char **words = take_request(server);
      if (words) {
        int given = 0;
        while (words[given]) {
          given++;
        }
        return program(given, words, environ);
      }
    }
  }
}

// Only the program that it is meant for: the variable may reach another one, such as a script's shell.
static int is_meant(void) {
  static char self[4096];
  const char *meant = getenv("FORK_SERVER");
  ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
  return meant && size > 0 && strcmp(self, meant) == 0;
}

// What the C library's start-up code calls with the address of main.
int __libc_start_main(main_function main, int count, char **arguments, void *initialise,
                      void *finish, void *loader_finish, void *stack_end) {
  void *next = (void *)-1;  // RTLD_NEXT
  start_function start = (start_function)dlsym(next, "__libc_start_main");
  program = main;
  return start(is_meant() ? serve : main, count, arguments, initialise, finish, loader_finish,
               stack_end);
}
