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
// and at the end of standard input. Nothing but these happens in the server, which is why a new copy is
// what a fresh process is.
//
// The main of a tool of LLVM can be called again, so its copy waits for the next request: what it built
// on first use is there then, and so is its memory. A main that does not return or has taken much memory is
// its copy's last.
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

int alarm(unsigned);
int chdir(const char *);
int close(int);
void *dlsym(void *, const char *);
int dup2(int, int);
void _exit(int) __attribute__((noreturn));
void exit(int) __attribute__((noreturn));
int fflush(void *);
int fork(void);
void free(void *);
char *getenv(const char *);
int getppid(void);
int getpid(void);
int getrusage(int, long *);
int kill(int, int);
void *malloc(size_t);
int open(const char *, int, ...);
int pipe2(int[2], int);
int poll(struct pollfd *, unsigned long, int);
int prctl(int, ...);
ssize_t read(int, void *, size_t);
ssize_t readlink(const char *, char *, size_t);
int setenv(const char *, const char *, int);
int setpgid(int, int);
handler signal(int, handler);
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
enum { SIGKILL = 9, SIGPIPE = 13, SIGCHLD = 17 };
enum { MOST = 1024, LARGEST = 1 << 24, CANNOT_BE_RUN = 126, NOTHING = 0 };
// The fields of struct rusage as longs, and which of them is the most memory so far, in kB.
enum { RUSAGE_SELF = 0, RUSAGE_FIELDS = 18, MOST_MEMORY = 4, MUCH_MEMORY = 256 << 10 };

#define NEXT ((void *)-1)  // RTLD_NEXT

static main_function program;
static struct copy {
  int process;
  int id;        // of the request it runs, or NOTHING: it waits for the next one
  int requests;  // the end of a pipe that it reads from
} copies[MOST];
static int count_of_copies;
// What a copy says of a request when it can take another one, the status as waitpid would tell it.
struct finish {
  int process, status;
};
static int ended[2], finished[2];
static int can_run_again;

// What the tools of LLVM have in main, for as long as that runs: an llvm::InitLLVM. Its own destructor
// forgets the options of the command line for good, and its constructor has a process that crashes print
// the stack of a main that may be over. A main that gets to the destructor can be called again.
void _ZN4llvm8InitLLVMC1ERiRPPKcb(void) {}
void _ZN4llvm8InitLLVMC2ERiRPPKcb(void) {}
void _ZN4llvm8InitLLVMD1Ev(void) { can_run_again = 1; }
void _ZN4llvm8InitLLVMD2Ev(void) { can_run_again = 1; }

// llvm::outs(), which is written at the end of a process, and what writes it at once. None of them is
// there if this is not a tool of LLVM, or has LLVM in itself.
static void *(*llvm_output)(void);
static void (*write_llvm_output)(void *);

static int is_llvm(void) { return llvm_output && write_llvm_output; }

static int receive(int descriptor, void *bytes, size_t size) {
  char *next = bytes;
  while (size > 0) {
    ssize_t count = read(descriptor, next, size);
    if (count <= 0) {
      return 0;
    }
    next += count;
    size -= (size_t)count;
  }
  return 1;
}

static int give(int descriptor, const void *bytes, size_t size) {
  const char *next = bytes;
  while (size > 0) {
    ssize_t count = write(descriptor, next, size);
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

static struct copy *copy_of_process(int process) {
  for (int i = 0; i < count_of_copies; i++) {
    if (copies[i].process == process) {
      return &copies[i];
    }
  }
  return 0;
}

static struct copy *copy_that_runs(int id) {
  for (int i = 0; i < count_of_copies; i++) {
    if (copies[i].id == id) {
      return &copies[i];
    }
  }
  return 0;
}

static void answer_for_the_finished(void) {
  struct finish finish;
  while (read(finished[0], &finish, sizeof finish) == sizeof finish) {
    struct copy *copy = copy_of_process(finish.process);
    if (copy) {
      answer(copy->id, finish.status);
      copy->id = NOTHING;
    }
  }
}

static void answer_for_the_ended(void) {
  char bytes[64];
  while (read(ended[0], bytes, sizeof bytes) > 0) {
  }
  int status;
  for (int process; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
    kill(-process, SIGKILL);
    struct copy *copy = copy_of_process(process);
    if (copy) {
      if (copy->id != NOTHING) {
        answer(copy->id, status);
      }
      close(copy->requests);
      *copy = copies[--count_of_copies];
    }
  }
}

static void kill_job(int id) {
  struct copy *copy = copy_that_runs(id);
  if (copy) {
    kill(-copy->process, SIGKILL);
  }
}

static void stop(void) {
  while (count_of_copies > 0) {
    kill(-copies[--count_of_copies].process, SIGKILL);
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

// Makes this process a copy that ends with the server.
static void leave(int server) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != server) {
    _exit(CANNOT_BE_RUN);
  }
  signal(SIGCHLD, (handler)0);
  signal(SIGPIPE, (handler)0);
  close(ended[0]);
  close(ended[1]);
  close(finished[0]);
  for (int i = 0; i < count_of_copies; i++) {
    close(copies[i].requests);
  }
  redirect(IN, "/dev/null", O_RDONLY);
}

// Makes this process what a request says and returns the arguments: what is left to do is to call main.
static char **become(unsigned seconds, char *strings, char *end) {
  alarm(seconds);
  char *directory = strings, *output = after(directory), *error = after(output);
  char *temporary = after(error), *first = after(temporary);
  if (chdir(directory) != 0) {
    _exit(CANNOT_BE_RUN);
  }
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
  char **next = words;
  for (char *word = first; word < end; word = after(word)) {
    // Without it, clang leaves its memory to the next request and not to the end of the process.
    if (!is_llvm() || strcmp(word, "-disable-free") != 0) {
      *next++ = word;
    }
  }
  *next = 0;
  return words;
}

static int call(char **words) {
  int count = 0;
  while (words[count]) {
    count++;
  }
  return program(count, words, environ);
}

static int has_much_memory(void) {
  long usage[RUSAGE_FIELDS];
  return getrusage(RUSAGE_SELF, usage) != 0 || usage[MOST_MEMORY] > MUCH_MEMORY;
}

// Nothing may be written to its files any more once it is told that they are complete.
static void complete(void) {
  alarm(0);
  fflush(0);
  write_llvm_output(llvm_output());
  redirect(OUT, "/dev/null", O_WRONLY);
  redirect(ERROR, "/dev/null", O_WRONLY);
}

// Runs a request, and each that follows for as long as main can be called again. Returns the status of
// the last. The words of none are freed, since a tool may keep them.
static int run(int requests, unsigned seconds, char *strings, size_t size) {
  for (;;) {
    can_run_again = 0;
    int status = call(become(seconds, strings, strings + size));
    if (!can_run_again || !is_llvm() || has_much_memory()) {
      return status;
    }
    complete();
    struct finish finish = {getpid(), (status & 0xff) << 8};
    if (!give(finished[1], &finish, sizeof finish) || !receive(requests, &size, sizeof size) ||
        !receive(requests, &seconds, sizeof seconds) || !(strings = malloc(size + 1)) ||
        !receive(requests, strings, size)) {
      _exit(CANNOT_BE_RUN);
    }
    strings[size] = 0;
  }
}

// Whether a copy that waits has got the request. One that has died meanwhile is told of soon.
static int is_taken(int id, unsigned seconds, const char *strings, size_t size) {
  struct copy *copy = copy_that_runs(NOTHING);
  if (!copy || !give(copy->requests, &size, sizeof size) ||
      !give(copy->requests, &seconds, sizeof seconds) || !give(copy->requests, strings, size)) {
    return 0;
  }
  copy->id = id;
  return 1;
}

// Has a new copy run the request.
static void start(int server, int id, unsigned seconds, char *strings, size_t size) {
  int requests[2];
  if (count_of_copies == MOST || pipe2(requests, O_CLOEXEC) != 0) {
    answer(id, -1);
    return;
  }
  int process = fork();
  if (process == 0) {
    close(requests[1]);
    leave(server);
    exit(run(requests[0], seconds, strings, size));
  }
  close(requests[0]);
  if (process < 0) {
    close(requests[1]);
    answer(id, -1);
    return;
  }
  setpgid(process, process);
  copies[count_of_copies++] = (struct copy){process, id, requests[1]};
}

static void take_request(int server) {
  int size, id, seconds;
  if (!receive(IN, &size, sizeof size) || size > LARGEST || !receive(IN, &id, sizeof id)) {
    stop();
  }
  if (size == sizeof id) {
    kill_job(id);
    return;
  }
  size -= (int)(sizeof id + sizeof seconds);
  char *strings = size < 0 ? 0 : malloc((size_t)size + 1);
  if (!strings || !receive(IN, &seconds, sizeof seconds) || !receive(IN, strings, (size_t)size)) {
    stop();
  }
  strings[size] = 0;
  if (!is_taken(id, (unsigned)seconds, strings, (size_t)size)) {
    start(server, id, (unsigned)seconds, strings, (size_t)size);
  }
  free(strings);
}

static int serve(int count, char **arguments, char **environment) {
  (void)count, (void)arguments, (void)environment;
  unsetenv("LD_PRELOAD");
  unsetenv("LD_BIND_NOW");
  unsetenv("FORK_SERVER");
  setpgid(0, 0);
  if (pipe2(ended, O_CLOEXEC | O_NONBLOCK) != 0 || pipe2(finished, O_CLOEXEC | O_NONBLOCK) != 0) {
    _exit(1);
  }
  signal(SIGCHLD, on_end_of_child);
  signal(SIGPIPE, (handler)1);  // SIG_IGN
  llvm_output = (void *(*)(void))dlsym(NEXT, "_ZN4llvm4outsEv");
  write_llvm_output =
      (void (*)(void *))dlsym(NEXT, "_ZN4llvm11raw_ostream14flush_nonemptyEv");
  if (is_llvm()) {
    // Otherwise lld's main ends the process instead of cleaning up and returning.
    setenv("LLD_IN_TEST", "1", 1);
  }
  int server = getpid();
  answer(0, 0);
  for (;;) {
    struct pollfd polled[3] = {{IN, POLLIN, 0}, {finished[0], POLLIN, 0}, {ended[0], POLLIN, 0}};
    if (poll(polled, 3, -1) < 0) {
      continue;
    }
    // First, since a copy that finished may have ended by now.
    answer_for_the_finished();
    if (polled[2].happened) {
      answer_for_the_ended();
    }
    if (polled[0].happened) {
      take_request(server);
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
  start_function start = (start_function)dlsym(NEXT, "__libc_start_main");
  program = main;
  return start(is_meant() ? serve : main, count, arguments, initialise, finish, loader_finish,
               stack_end);
}
