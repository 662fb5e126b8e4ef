# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Two kinds of flags. With the hardening flags, many errors in the handling of hostile input end the process instead of giving
# access to its memory. With the prefix maps, the same sources compile to the same bytes in any folder. See
# docs/reference/security.md; the test interop.secrets.binary checks the program.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # Bounds checks in the standard library, in the copy functions of the C library, and on the stack.
  target_compile_options(weft_flags INTERFACE -D_GLIBCXX_ASSERTIONS -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
    -fstack-protector-strong -fstack-clash-protection)
  # If the processor supports it: the targets of indirect calls and jumps must be marked by the compiler, and return addresses
  # are checked by a shadow stack (x86) or a signature (ARM).
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i.86)$")
    target_compile_options(weft_flags INTERFACE -fcf-protection=full)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    target_compile_options(weft_flags INTERFACE -mbranch-protection=standard)
  endif()
  target_compile_options(weft_flags INTERFACE -ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=./build)
endif()
# Position-independent code; relocations are resolved at start and then read-only; the stack is not executable.
target_link_options(weft_flags INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>
  -Wl,-z,relro,-z,now,-z,noexecstack)
