// SPDX-License-Identifier: Apache-2.0
//
// Stands in for a Java on Windows: prints its arguments, each in brackets, and exits with FAKE_EXIT. Told -version it
// prints FAKE_VERSION and exits with FAKE_START.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <shellapi.h>

static int status(const char *name) {
  const char *value = getenv(name);
  return value ? atoi(value) : 0;
}

int main(void) {
  int count;
  wchar_t **arguments = CommandLineToArgvW(GetCommandLineW(), &count);
  for (int i = 1; i < count; i++) {
    char text[4096];
    WideCharToMultiByte(CP_UTF8, 0, arguments[i], -1, text, sizeof text, NULL, NULL);
    if (strcmp(text, "-version") == 0) {
      fprintf(stderr, "openjdk version \"%s\" 2024-01-01\n", getenv("FAKE_VERSION"));
      return status("FAKE_START");
    }
    printf("[%s]", text);
  }
  printf("\n");
  return status("FAKE_EXIT");
}
