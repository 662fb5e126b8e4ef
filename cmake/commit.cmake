# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Run at every build: writes OUTPUT, the header that names the commit of SOURCE, where that has changed.
# Without a repository (a release's archive) the commit is empty.
execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=* WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
configure_file(${SOURCE}/src/cli/commit.h.in ${OUTPUT} @ONLY)
