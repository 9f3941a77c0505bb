// SPDX-License-Identifier: Apache-2.0
//
// Which code objects a device takes: by processor, by features, by the version of the ABI.
#include <string.h>

#include "standin.h"

enum { ABI_V3 = 1, ABI_V4 = 2, ABI_V6 = 4 };

// By e_flags & 0xff.
static const char *const processors[256] = {
    [0x20] = "gfx600",  [0x21] = "gfx601",  [0x22] = "gfx700",  [0x23] = "gfx701",
    [0x24] = "gfx702",  [0x25] = "gfx703",  [0x26] = "gfx704",  [0x28] = "gfx801",
    [0x29] = "gfx802",  [0x2a] = "gfx803",  [0x2b] = "gfx810",  [0x2c] = "gfx900",
    [0x2d] = "gfx902",  [0x2e] = "gfx904",  [0x2f] = "gfx906",  [0x30] = "gfx908",
    [0x31] = "gfx909",  [0x32] = "gfx90c",  [0x33] = "gfx1010", [0x34] = "gfx1011",
    [0x35] = "gfx1012", [0x36] = "gfx1030", [0x37] = "gfx1031", [0x38] = "gfx1032",
    [0x39] = "gfx1033", [0x3a] = "gfx602",  [0x3b] = "gfx705",  [0x3c] = "gfx805",
    [0x3d] = "gfx1035", [0x3e] = "gfx1034", [0x3f] = "gfx90a",  [0x41] = "gfx1100",
    [0x42] = "gfx1013", [0x43] = "gfx1150", [0x44] = "gfx1103", [0x45] = "gfx1036",
    [0x46] = "gfx1101", [0x47] = "gfx1102", [0x48] = "gfx1200", [0x49] = "gfx1250",
    [0x4a] = "gfx1151", [0x4c] = "gfx942",  [0x4e] = "gfx1201", [0x4f] = "gfx950",
    [0x50] = "gfx1310", [0x55] = "gfx1152", [0x57] = "gfx1154", [0x58] = "gfx1153",
    [0x5a] = "gfx1251", [0x5c] = "gfx1172", [0x5d] = "gfx1170", [0x5e] = "gfx1171",
};

struct generic {
  unsigned mach;
  const char *name;
  const char *members;
};

static const struct generic generics[] = {
    {0x51, "gfx9-generic", "gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c"},
    {0x52, "gfx10-1-generic", "gfx1010 gfx1011 gfx1012 gfx1013"},
    {0x53, "gfx10-3-generic", "gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036"},
    {0x54, "gfx11-generic", "gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153"},
    {0x59, "gfx12-generic", "gfx1200 gfx1201"},
    {0x5b, "gfx12-5-generic", "gfx1250 gfx1251"},
    {0x5f, "gfx9-4-generic", "gfx942 gfx950"},
    {0x62, "gfx11-7-generic", "gfx1170 gfx1171 gfx1172"},
    {0x63, "gfx13-generic", "gfx1310"},
};

static bool has_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; (at = strstr(at, word)) != NULL; at++) {
    if (at[length] == ' ' || at[length] == '\0') return true;
  }
  return false;
}

// A feature that the code object sets must be the device's; one that it leaves open suits any.
static bool feature_suits(enum feature wanted, enum feature has) {
  return wanted == UNSUPPORTED || wanted == ANY || wanted == has;
}

static bool processor_suits(const char *processor, int abi, uint32_t flags) {
  unsigned mach = flags & 0xff;
  if (processors[mach] != NULL) return strcmp(processors[mach], processor) == 0;
  for (size_t i = 0; i < sizeof generics / sizeof *generics; i++) {
    bool versioned = abi >= ABI_V6 && flags >> 24 >= 1;
    if (generics[i].mach == mach) return versioned && has_word(generics[i].members, processor);
  }
  return false;
}

bool target_suits(const struct target *target, int abi, uint32_t flags) {
  int newest = STAND_IN_MAJOR == 5 ? ABI_V4 : ABI_V6;
  if (abi < ABI_V3 || abi > newest || !processor_suits(target->processor, abi, flags)) {
    return false;
  }
  if (abi == ABI_V3) {  // has one bit a feature, which means "on"
    return ((flags & 0x100) != 0) == (target->xnack == ON) &&
           ((flags & 0x200) != 0) == (target->sramecc == ON);
  }
  return feature_suits((enum feature)(flags >> 8 & 3), target->xnack) &&
         feature_suits((enum feature)(flags >> 10 & 3), target->sramecc);
}

bool target_suits_entry(const struct target *target, const char *id) {
  const char *separator = strstr(id, "-amdgcn-amd-amdhsa--");
  if (separator == NULL) return false;
  struct target entry = target_parse(separator + strlen("-amdgcn-amd-amdhsa--"));
  bool same = strcmp(entry.processor, target->processor) == 0;
  for (size_t i = 0; !same && i < sizeof generics / sizeof *generics; i++) {
    same = strcmp(generics[i].name, entry.processor) == 0 &&
           has_word(generics[i].members, target->processor);
  }
  return same && feature_suits(entry.sramecc, target->sramecc) &&
         feature_suits(entry.xnack, target->xnack);
}
