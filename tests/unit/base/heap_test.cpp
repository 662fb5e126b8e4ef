#include "base/heap.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstring>
#include <memory>

namespace weft {
namespace {

long page_faults() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt;
}

long page_faults_of_a_request(std::size_t bytes) {
  const long before = page_faults();
  const std::unique_ptr<std::byte[]> memory(new std::byte[bytes]);
  std::memset(memory.get(), 1, bytes);
  return page_faults() - before;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Heap, RequestsAgainWithoutPageFaultsWhatWasFreed) {
  constexpr std::size_t kBytes = 8 << 20, kPages = kBytes / 4096;
  keep_freed_memory();
  page_faults_of_a_request(kBytes);
  EXPECT_LT(page_faults_of_a_request(kBytes), static_cast<long>(kPages / 10));
}
#endif

}  // namespace
}  // namespace weft
