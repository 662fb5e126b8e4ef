// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The table of subcommands, from which `weft --help`, the completion scripts and the man pages are
// generated. Each subcommand is defined in the file of its name.
#pragma once

#include <array>

#include "cli/subcommand.h"

namespace weft::cli {

extern const Subcommand kSmSubcommand;
extern const Subcommand kRouteSubcommand;
extern const Subcommand kVerifySubcommand;
extern const Subcommand kCheckSubcommand;
extern const Subcommand kDoctorSubcommand;
extern const Subcommand kSimulateSubcommand;
extern const Subcommand kPlaceSubcommand;
extern const Subcommand kReportSubcommand;
extern const Subcommand kGenerateSubcommand;
extern const Subcommand kConvertSubcommand;
extern const Subcommand kExportSubcommand;
extern const Subcommand kPartitionSubcommand;
extern const Subcommand kEmulateSubcommand;
extern const Subcommand kEventsSubcommand;
extern const Subcommand kSetupSubcommand;
extern const Subcommand kSupportSubcommand;
extern const Subcommand kTopSubcommand;
extern const Subcommand kJobSubcommand;
extern const Subcommand kAlarmsSubcommand;
extern const Subcommand kFleetSubcommand;
extern const Subcommand kHandoverSubcommand;
extern const Subcommand kCompletionSubcommand;
extern const Subcommand kDiffSubcommand;

/// All subcommands, in the order of the help.
inline constexpr std::array kSubcommands{
    &kSmSubcommand,       &kRouteSubcommand,      &kVerifySubcommand,    &kCheckSubcommand,
    &kSimulateSubcommand, &kPlaceSubcommand,      &kReportSubcommand,    &kGenerateSubcommand,
    &kConvertSubcommand,  &kExportSubcommand,     &kPartitionSubcommand, &kEmulateSubcommand,
    &kEventsSubcommand,   &kTopSubcommand,        &kJobSubcommand,       &kAlarmsSubcommand,
    &kFleetSubcommand,    &kCompletionSubcommand, &kDiffSubcommand,      &kDoctorSubcommand,
    &kSupportSubcommand,  &kSetupSubcommand,      &kHandoverSubcommand};

}  // namespace weft::cli
