// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// replay TARGET FILE|FOLDER... runs a fuzz target over files, or over the files of folders, without
// libFuzzer. In this way every build repeats past failures. The name of each input is printed
// before the run, so that after a crash the last name is the name of the input that caused it.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz_target.h"

namespace weft {

std::map<std::string_view, FuzzTarget>& fuzz_targets() {
  static std::map<std::string_view, FuzzTarget> targets;
  return targets;
}

}  // namespace weft

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(int count, char** names) {
  std::vector<fs::path> files;
  for (int i = 0; i < count; ++i) {
    if (!fs::is_directory(names[i])) {
      files.emplace_back(names[i]);
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(names[i]))
      if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  const auto target = argc < 2 ? weft::fuzz_targets().end() : weft::fuzz_targets().find(argv[1]);
  if (target == weft::fuzz_targets().end()) {
    std::fprintf(stderr, "expected a target as the first argument, one of:");
    for (const auto& [name, run] : weft::fuzz_targets())
      std::fprintf(stderr, " %s", std::string(name).c_str());
    std::fputs("\n", stderr);
    return 2;
  }
  const std::vector<fs::path> files = files_of(argc - 2, argv + 2);
  if (files.empty()) {
    std::fputs(
        "the arguments after the target: expected files or folders with files, found no files\n",
        stderr);
    return 2;
  }
  for (const fs::path& file : files) {
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    std::ifstream in(file, std::ios::binary);
    if (!in) {
      std::fprintf(stderr, "cannot read %s\n", file.c_str());
      return 2;
    }
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    target->second(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  return 0;
}
