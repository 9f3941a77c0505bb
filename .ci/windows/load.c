// SPDX-License-Identifier: Apache-2.0
//
// Loads a library as JNA does: load.exe FLAGS FILE. Exits with what its function ask returns, or with 99 if it can't be
// loaded. With -DANSWER it is a library whose function answers, with -DASK one that asks that.

#include <stdlib.h>
#include <windows.h>

#if defined(ANSWER)
__declspec(dllexport) int answer(void) { return ANSWER; }
#elif defined(ASK)
__declspec(dllimport) int answer(void);
__declspec(dllexport) int ask(void) { return answer(); }
#else
int main(int count, char **arguments) {
  HMODULE library = count == 3 ? LoadLibraryExA(arguments[2], NULL, strtoul(arguments[1], NULL, 0)) : NULL;
  int (*ask)(void) = library ? (int (*)(void))(void *)GetProcAddress(library, "ask") : NULL;
  return ask ? ask() : 99;
}
#endif
