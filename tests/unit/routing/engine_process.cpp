// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A program that only runs engines from files, as the child process does.
#include "routing/plugin/engine_process.h"

int main(int argc, char** argv) { return weft::run_as_engine_process(argc, argv).value_or(2); }
