// SPDX-License-Identifier: Apache-2.0
//
// What Windows makes of command lines and jobs, for WineArgumentsTest.
//
//   arguments.exe lines IN OUT   for each line of IN: its words by CommandLineToArgvW, and those that main gets in
//                                a process that was created with it
//   arguments.exe job            puts a process into a job as JobObject does, closes it, and waits for the end of
//                                that process and of its child
#include <windows.h>
#include <shellapi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

// Otherwise MinGW's runtime, not Windows, replaces words with * by names of files.
int _dowildcard = 0;

// What JobObject.java has as numbers.
_Static_assert(sizeof(JOBOBJECT_EXTENDED_LIMIT_INFORMATION) == 144, "SIZE");
_Static_assert(offsetof(JOBOBJECT_EXTENDED_LIMIT_INFORMATION, BasicLimitInformation.LimitFlags) == 16, "FLAGS");
_Static_assert(JobObjectExtendedLimitInformation == 9, "EXTENDED_LIMITS");
_Static_assert(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE == 0x2000, "KILL_ON_JOB_CLOSE");
_Static_assert((PROCESS_TERMINATE | PROCESS_SET_QUOTA) == 0x0101, "ACCESS");

static void print(FILE *out, int count, wchar_t **words) {
  for (int i = 0; i < count; i++) {
    char text[8192];
    WideCharToMultiByte(CP_UTF8, 0, words[i], -1, text, sizeof text, NULL, NULL);
    fprintf(out, "%s%c", text, 0x1f);
  }
  fputc('\n', out);
}

static HANDLE start(wchar_t *line) {
  wchar_t self[MAX_PATH];
  GetModuleFileNameW(NULL, self, MAX_PATH);
  STARTUPINFOW startup = {.cb = sizeof startup};
  PROCESS_INFORMATION process;
  if (!CreateProcessW(self, line, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &process)) {
    fprintf(stderr, "CreateProcessW: %lu\n", GetLastError());
    exit(1);
  }
  CloseHandle(process.hThread);
  return process.hProcess;
}

static int lines(const wchar_t *from, const wchar_t *to) {
  FILE *in = _wfopen(from, L"rb");
  char text[8192];
  SetEnvironmentVariableW(L"ARGUMENTS_OUT", to);
  while (fgets(text, sizeof text, in)) {
    text[strcspn(text, "\n")] = 0;
    wchar_t line[8192];
    MultiByteToWideChar(CP_UTF8, 0, text, -1, line, 8192);
    int count;
    wchar_t **words = CommandLineToArgvW(line, &count);
    FILE *out = _wfopen(to, L"ab");
    print(out, count, words);
    fclose(out);
    LocalFree(words);
    HANDLE child = start(line);
    WaitForSingleObject(child, INFINITE);
    CloseHandle(child);
  }
  return 0;
}

static int job(void) {
  HANDLE job = CreateJobObjectW(NULL, NULL);
  char limits[144] = {[17] = 0x20};
  wchar_t line[] = L"x parent";
  HANDLE parent = start(line);
  HANDLE opened = OpenProcess(0x0101, FALSE, GetProcessId(parent));
  HANDLE ready = CreateEventW(NULL, TRUE, FALSE, L"kcache-arguments-ready");
  if (!SetInformationJobObject(job, 9, limits, sizeof limits) || !AssignProcessToJobObject(job, opened)) return 2;
  SetEvent(ready);
  HANDLE born = CreateEventW(NULL, TRUE, FALSE, L"kcache-arguments-born");
  if (WaitForSingleObject(born, 20000)) return 3;
  // The child holds this mutex until it dies.
  HANDLE mutex = CreateMutexW(NULL, FALSE, L"kcache-arguments-child");
  if (WaitForSingleObject(mutex, 0) != WAIT_TIMEOUT) return 4;
  CloseHandle(opened);
  CloseHandle(job);
  if (WaitForSingleObject(parent, 20000)) return 5;
  return WaitForSingleObject(mutex, 20000) == WAIT_ABANDONED ? 0 : 6;
}

// A process of the job: waits until it is in it, and starts a child.
static int parent(void) {
  WaitForSingleObject(CreateEventW(NULL, TRUE, FALSE, L"kcache-arguments-ready"), 20000);
  wchar_t line[] = L"x child";
  start(line);
  Sleep(60000);
  return 0;
}

static int child(void) {
  WaitForSingleObject(CreateMutexW(NULL, FALSE, L"kcache-arguments-child"), INFINITE);
  SetEvent(CreateEventW(NULL, TRUE, FALSE, L"kcache-arguments-born"));
  Sleep(60000);
  return 0;
}

int wmain(int count, wchar_t **words) {
  const wchar_t *to = _wgetenv(L"ARGUMENTS_OUT");
  if (to) {
    FILE *out = _wfopen(to, L"ab");
    print(out, count, words);
    return fclose(out);
  }
  if (count == 4 && !wcscmp(words[1], L"lines")) return lines(words[2], words[3]);
  if (count == 2 && !wcscmp(words[1], L"job")) return job();
  if (count == 2 && !wcscmp(words[1], L"parent")) return parent();
  if (count == 2 && !wcscmp(words[1], L"child")) return child();
  return 9;
}
