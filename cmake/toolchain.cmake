# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Language level, warnings, sanitizers and caches: what every target of the tree shares.
option(WEFT_TESTS "Build tests and benchmarks" ON)
option(WEFT_FUZZ "Build the libFuzzer targets (clang only)" OFF)
set(WEFT_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, e.g. address,undefined")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers are safe to cache where nothing depends on __TIME__ and on the order of -D options.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

add_library(weft_flags INTERFACE)
target_compile_options(weft_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror -fno-strict-aliasing)
# GCC 12 reports overlapping or endless copies in plain operations of std::string (its bug 105651).
target_compile_options(weft_flags INTERFACE "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>")
target_include_directories(weft_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
include(hardening)
set(WEFT_TIMEOUT_FACTOR 1)  # of tests
if(WEFT_SANITIZE)
  set(WEFT_TIMEOUT_FACTOR 5)
  target_compile_options(weft_flags INTERFACE -fsanitize=${WEFT_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  # With sanitizers GCC 12 takes members of the standard library for uninitialized (its bug 105616).
  target_compile_options(weft_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(weft_flags INTERFACE -fsanitize=${WEFT_SANITIZE})
endif()
# The compiler uses memory before it looks for garbage: collections took a tenth of its time.
target_compile_options(weft_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=786432>)
# ccache sees what a precompiled header stands for.
target_compile_options(weft_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
