// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Selects a mutant, and records the mutants that could change the result of each test. WEFT_MUTANT
// is the number of the mutant, WEFT_MUTANTS_NOTED the file of the record. A line of the record is
// the name of a test ("-" outside of tests, "Suite.*" in the set-up of a suite), the processor time
// of the test in milliseconds, and the numbers of mutants. Processes that a test forks record in
// the same memory.
#include "mutant_selection.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#ifdef WEFT_MUTANTS_GTEST
#include <gtest/gtest.h>
#endif

namespace weft_mutants {
namespace {
constexpr int kNumbers = 1 << 16;
unsigned char before_main[kNumbers];
std::FILE* record = nullptr;
}  // namespace

int selected = 0;
volatile unsigned char* noted = before_main;

namespace {

// Runs before the initializers of all other sources.
__attribute__((constructor(101))) void prepare() {
  if (const char* text = std::getenv("WEFT_MUTANT")) selected = std::atoi(text);
  const char* path = std::getenv("WEFT_MUTANTS_NOTED");
  if (!path) return;
  record = std::fopen(path, "we");
  void* memory = mmap(nullptr, kNumbers, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!record || memory == MAP_FAILED) std::abort();
  noted = static_cast<unsigned char*>(memory);
  unsetenv("WEFT_MUTANTS_NOTED");  // programs that a test starts do not write a record
}

void write_record(const std::string& test, long time_ms) {
  if (!record) return;
  std::fprintf(record, "%s %ld", test.empty() ? "-" : test.c_str(), time_ms);
  for (int number = 0; number < kNumbers; ++number) {
    if (noted[number]) std::fprintf(record, " %d", number);
    noted[number] = 0;
  }
  std::fprintf(record, "\n");
  std::fflush(record);
}

#ifdef WEFT_MUTANTS_GTEST
class Recorder : public testing::EmptyTestEventListener {
  void OnTestSuiteStart(const testing::TestSuite& suite) override {
    write_record("", 0);
    suite_ = suite.name();
  }
  void OnTestStart(const testing::TestInfo&) override {
    write_record(suite_ + ".*", 0);
    begin_ = std::clock();
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    write_record(suite_ + "." + test.name(), (std::clock() - begin_) * 1000 / CLOCKS_PER_SEC);
  }
  void OnTestSuiteEnd(const testing::TestSuite&) override { write_record(suite_ + ".*", 0); }
  void OnTestProgramEnd(const testing::UnitTest&) override { write_record("", 0); }
  std::string suite_;
  std::clock_t begin_ = 0;
};

const bool appended = [] {
  if (record) testing::UnitTest::GetInstance()->listeners().Append(new Recorder);
  return true;
}();
#else
__attribute__((destructor)) void finish() { write_record("", 0); }
#endif

}  // namespace
}  // namespace weft_mutants
