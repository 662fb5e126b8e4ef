# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs in every build: writes OUTPUT, the header with the commit of SOURCE, if the commit has changed. Without a
# repository, for example in the archive of a release, the commit is empty.
execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=* WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
configure_file(${SOURCE}/src/cli/commit.h.in ${OUTPUT} @ONLY)
