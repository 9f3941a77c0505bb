// SPDX-License-Identifier: Apache-2.0
//
// Runs one kernel on the host, a thread of its grid after the other: reads the launch from stdin and
// writes the result's memory to stdout. Compiled behind a file that includes the kernels.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

int64_t read_number() {
  int64_t number;
  if (std::fread(&number, sizeof number, 1, stdin) != 1) fail("the launch is too short");
  return number;
}

// Some bytes that start at a chosen distance from a 16-byte boundary.
class Memory {
 public:
  Memory() {
    size_ = read_number();
    const int64_t shift = read_number();
    storage_.resize(size_ + 32);
    start_ = storage_.data();
    while (reinterpret_cast<uintptr_t>(start_) % 16 != static_cast<uintptr_t>(shift)) ++start_;
    if (std::fread(start_, 1, size_, stdin) != static_cast<size_t>(size_)) fail("memory is too short");
  }

  char* at(int64_t offset) { return start_ + offset; }
  void write() const { std::fwrite(start_, 1, size_, stdout); }

 private:
  int64_t size_;
  std::vector<char> storage_;
  char* start_;
};

template <class Launch>
void each_thread(int64_t first_block, int64_t end_block, Launch launch) {
  for (int64_t block = first_block; block < end_block; ++block) {
    for (unsigned thread = 0; thread < blockDim.x; ++thread) {
      blockIdx.x = static_cast<unsigned>(block);
      threadIdx.x = thread;
      launch();
    }
  }
}

}  // namespace

int main() {
  std::string name(read_number(), ' ');
  if (std::fread(name.data(), 1, name.size(), stdin) != name.size()) fail("the name is too short");
  void* kernel = dlsym(RTLD_DEFAULT, name.c_str());
  if (kernel == nullptr) fail("there is no kernel " + name);

  gridDim.x = static_cast<unsigned>(read_number());
  blockDim.x = static_cast<unsigned>(read_number());
  const int64_t first_block = read_number();
  const int64_t end_block = read_number();
  // Where the kernel's own view of a memory starts, in bytes from the memory.
  const int64_t left_offset = read_number();
  const int64_t right_offset = read_number();
  const int64_t out_offset = read_number();
  const bool in_place = read_number() != 0;
  Memory left, right, separate;
  Memory& out = in_place ? left : separate;

  if (read_number() == 0) {
    const int64_t count = read_number();
    auto contiguous = reinterpret_cast<void (*)(int64_t, void*, void*, void*)>(kernel);
    each_thread(first_block, end_block, [&] {
      contiguous(count, left.at(left_offset), right.at(right_offset), out.at(out_offset));
    });
  } else {
    kcache::StridedPair operands = {};
    static_assert(sizeof operands == 208);
    if (std::fread(&operands, sizeof operands, 1, stdin) != 1) fail("the operands are too short");
    auto strided =
        reinterpret_cast<void (*)(kcache::StridedPair, void*, void*, void*)>(kernel);
    each_thread(first_block, end_block, [&] {
      strided(operands, left.at(left_offset), right.at(right_offset), out.at(out_offset));
    });
  }
  out.write();
}
