# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Flags that turn an error in the handling of hostile input into the end of the process instead of access to its memory, and flags
# that make the same sources compile to the same bytes in any folder. docs/reference/security.md; the test interop.secrets.binary checks the program.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # Checked bounds of the standard library, of the C library's copies, and of the stack.
  target_compile_options(weft_flags INTERFACE -D_GLIBCXX_ASSERTIONS -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
    -fstack-protector-strong -fstack-clash-protection)
  # Indirect calls and returns lead only to places that the compiler marked, where the processor checks it.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i.86)$")
    target_compile_options(weft_flags INTERFACE -fcf-protection=full)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    target_compile_options(weft_flags INTERFACE -mbranch-protection=standard)
  endif()
  target_compile_options(weft_flags INTERFACE -ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=./build)
endif()
# Position independent; tables of addresses are resolved at start and then read-only; no stack that can be executed.
target_link_options(weft_flags INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>
  -Wl,-z,relro,-z,now,-z,noexecstack)
