# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Language level, warnings, sanitizers and caches of all targets.
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
  # ccache may cache precompiled headers, because no source depends on __TIME__ or on the order of -D options.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

# Flags of all targets. weft_flags, the flags of programs that are installed, adds the hardening.
add_library(weft_base_flags INTERFACE)
add_library(weft_flags INTERFACE)
target_link_libraries(weft_flags INTERFACE weft_base_flags)
target_compile_options(weft_base_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror -fno-strict-aliasing)
# GCC 12 wrongly reports overlapping or unbounded copies in operations of std::string (GCC bug 105651).
target_compile_options(weft_base_flags INTERFACE "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>")
target_include_directories(weft_base_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
include(hardening)
set(WEFT_TIMEOUT_FACTOR 1)  # factor of the time limits of tests
if(WEFT_SANITIZE)
  set(WEFT_TIMEOUT_FACTOR 5)
  target_compile_options(weft_base_flags INTERFACE -fsanitize=${WEFT_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  # With sanitizers GCC 12 wrongly reports members of the standard library as uninitialized (GCC bug 105616).
  target_compile_options(weft_base_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(weft_base_flags INTERFACE -fsanitize=${WEFT_SANITIZE})
endif()
# The minimum heap size at which the compiler collects garbage, in KiB. With the default, collections take a tenth of
# its time.
target_compile_options(weft_base_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=786432>)
# ccache needs this flag to detect changes of precompiled headers.
target_compile_options(weft_base_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
