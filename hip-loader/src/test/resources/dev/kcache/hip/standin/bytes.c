// SPDX-License-Identifier: Apache-2.0
//
// The bytes of an image that a program gave: looked at through the operating system, so that the
// stand-in says what is wrong with an image instead of crashing where the caller's mistake is not to be
// told from its own.
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "standin.h"

enum { QUICK_LOOK = 256, LOOKS = 1024, SELDOM = 64 };

// The C library asks the system each time.
static pid_t self(void) {
  static _Atomic pid_t known;
  if (known == 0) known = getpid();
  return known;
}

size_t read_memory(const void *from, void *to, size_t size) {
  struct iovec local = {to, size}, remote = {(void *)from, size};
  ssize_t read = process_vm_readv(self(), &local, 1, &remote, 1, 0);
  return read < 0 ? 0 : (size_t)read;
}

size_t write_memory(void *to, const void *from, size_t size) {
  struct iovec local = {(void *)from, size}, remote = {to, size};
  ssize_t written = process_vm_writev(self(), &local, 1, &remote, 1, 0);
  return written < 0 ? 0 : (size_t)written;
}

void image_take(struct image *image, const unsigned char *given, size_t size) {
  if ((uintptr_t)given % PAGE != 0) count(IMAGE_UNALIGNED, 1);
  image->given = given;
  image->size = size;
  image->bytes = malloc(size);
  atomic_store(&image->window, 0);
  atomic_store(&image->looks, 0);
  if (image->bytes == NULL) abort();
}

void image_close(struct image *image) { free(image->bytes); }

// ---- the caller's bytes -------------------------------------------------------------------------

static bool same(const struct image *image, size_t from, size_t size) {
  unsigned char piece[PAGE];
  for (size_t done = 0; done < size;) {
    size_t length = size - done < sizeof piece ? size - done : sizeof piece;
    const size_t at = from + done;
    if (read_memory(image->given + at, piece, length) != length) return false;
    if (memcmp(piece, image->bytes + at, length) != 0) return false;
    done += length;
  }
  return true;
}

void image_check(struct image *image) {
  if (!same(image, 0, image->size)) count(IMAGE_CHANGED, 1);
}

// Each look is a call of the system: a kernel that is launched a million times is looked at seldom.
void image_check_quickly(struct image *image) {
  size_t looks = atomic_fetch_add(&image->looks, 1);
  if (looks >= LOOKS && looks % SELDOM != 0) return;
  size_t from = atomic_fetch_add(&image->window, QUICK_LOOK) % image->size;
  size_t left = image->size - from;
  if (!same(image, from, left < QUICK_LOOK ? left : QUICK_LOOK)) count(IMAGE_CHANGED, 1);
}
