// SPDX-License-Identifier: Apache-2.0
//
// How printf takes the integers of stdint.h; nothing here scans. In hiprtc 64 bits are a long long.
#pragma once

#include <stdint.h>

#ifdef __HIPCC_RTC__
#define __KCACHE_PRI64 "ll"
#else
#define __KCACHE_PRI64 "l"
#endif

#define PRId8 "hhd"
#define PRIi8 "hhi"
#define PRIu8 "hhu"
#define PRIo8 "hho"
#define PRIx8 "hhx"
#define PRIX8 "hhX"
#define PRIdLEAST8 "hhd"
#define PRIiLEAST8 "hhi"
#define PRIuLEAST8 "hhu"
#define PRIoLEAST8 "hho"
#define PRIxLEAST8 "hhx"
#define PRIXLEAST8 "hhX"
#define PRIdFAST8 "hhd"
#define PRIiFAST8 "hhi"
#define PRIuFAST8 "hhu"
#define PRIoFAST8 "hho"
#define PRIxFAST8 "hhx"
#define PRIXFAST8 "hhX"
#define PRId16 "hd"
#define PRIi16 "hi"
#define PRIu16 "hu"
#define PRIo16 "ho"
#define PRIx16 "hx"
#define PRIX16 "hX"
#define PRIdLEAST16 "hd"
#define PRIiLEAST16 "hi"
#define PRIuLEAST16 "hu"
#define PRIoLEAST16 "ho"
#define PRIxLEAST16 "hx"
#define PRIXLEAST16 "hX"
#define PRIdFAST16 "hd"
#define PRIiFAST16 "hi"
#define PRIuFAST16 "hu"
#define PRIoFAST16 "ho"
#define PRIxFAST16 "hx"
#define PRIXFAST16 "hX"
#define PRId32 "d"
#define PRIi32 "i"
#define PRIu32 "u"
#define PRIo32 "o"
#define PRIx32 "x"
#define PRIX32 "X"
#define PRIdLEAST32 "d"
#define PRIiLEAST32 "i"
#define PRIuLEAST32 "u"
#define PRIoLEAST32 "o"
#define PRIxLEAST32 "x"
#define PRIXLEAST32 "X"
#define PRIdFAST32 "d"
#define PRIiFAST32 "i"
#define PRIuFAST32 "u"
#define PRIoFAST32 "o"
#define PRIxFAST32 "x"
#define PRIXFAST32 "X"
#define PRId64 __KCACHE_PRI64 "d"
#define PRIi64 __KCACHE_PRI64 "i"
#define PRIu64 __KCACHE_PRI64 "u"
#define PRIo64 __KCACHE_PRI64 "o"
#define PRIx64 __KCACHE_PRI64 "x"
#define PRIX64 __KCACHE_PRI64 "X"
#define PRIdLEAST64 __KCACHE_PRI64 "d"
#define PRIiLEAST64 __KCACHE_PRI64 "i"
#define PRIuLEAST64 __KCACHE_PRI64 "u"
#define PRIoLEAST64 __KCACHE_PRI64 "o"
#define PRIxLEAST64 __KCACHE_PRI64 "x"
#define PRIXLEAST64 __KCACHE_PRI64 "X"
#define PRIdFAST64 __KCACHE_PRI64 "d"
#define PRIiFAST64 __KCACHE_PRI64 "i"
#define PRIuFAST64 __KCACHE_PRI64 "u"
#define PRIoFAST64 __KCACHE_PRI64 "o"
#define PRIxFAST64 __KCACHE_PRI64 "x"
#define PRIXFAST64 __KCACHE_PRI64 "X"
#define PRIdMAX __INTMAX_FMTd__
#define PRIdPTR __INTPTR_FMTd__
#define PRIiMAX __INTMAX_FMTi__
#define PRIiPTR __INTPTR_FMTi__
#define PRIuMAX __UINTMAX_FMTu__
#define PRIuPTR __UINTPTR_FMTu__
#define PRIoMAX __UINTMAX_FMTo__
#define PRIoPTR __UINTPTR_FMTo__
#define PRIxMAX __UINTMAX_FMTx__
#define PRIxPTR __UINTPTR_FMTx__
#define PRIXMAX __UINTMAX_FMTX__
#define PRIXPTR __UINTPTR_FMTX__
