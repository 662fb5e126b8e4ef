// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/vendor/assumptions.h"

#include <array>

namespace weft {
namespace {

// Signs that several rows share.
constexpr std::string_view kArDiffers =
    "warning: `answer differs from the request: the switch uses its linear forwarding table`, or a "
    "MAD status in its place";
constexpr std::string_view kWrongPorts =
    "no warning: the port counters show packets at ports outside the groups in the dump "
    "`weft.ar`";
constexpr std::string_view kNoRerouting =
    "no warning: packets are lost between the failure of a link and the next sweep, although "
    "`weft_adaptive_notifying_switches` counts the switch";
constexpr std::string_view kNotFound =
    "no warning: `weft_congestion_dcqcn_devices` or `weft_congestion_programmable_ports` is lower "
    "than the number of such devices";
constexpr std::string_view kVportRefusal =
    "warning: `VPortInfo of vport N of PORT` with the status, or vports that stay in INIT in "
    "`/api/v1/vports`";
constexpr std::string_view kCcDiffers =
    "warning once for each device, with the MAD status, or the difference between the Set and its "
    "answer";
constexpr std::string_view kNotApplied =
    "warning: `does not apply the setting`, or a MAD status; the switch is queried again in the "
    "first heavy sweep or incremental discovery after 1 minute";
constexpr std::string_view kKeyRefusal =
    "warning once for each port: `no answer with any of N possible keys`, or a MAD status of "
    "KeyInfo";

constexpr std::string_view kNoUse = "none yet: Weft does not use the attribute";

constexpr std::string_view kAdaptive = "ib/adaptive_unconfirmed.h";
constexpr std::string_view kPrivate = "ib/vendor/private_lfts_unconfirmed.h";
constexpr std::string_view kVports = "ib/vendor/vports_unconfirmed.h";
constexpr std::string_view kPlanes = "ib/vendor/planes_unconfirmed.h";
constexpr std::string_view kRecovery = "ib/vendor/port_recovery_unconfirmed.h";
constexpr std::string_view kSharp = "ib/vendor/sharp_unconfirmed.h";
constexpr std::string_view kSwitchSettings = "ib/vendor/switch_settings_unconfirmed.h";
constexpr std::string_view kQos = "ib/vendor/qos_settings_unconfirmed.h";
constexpr std::string_view kRouters = "ib/vendor/routers_unconfirmed.h";
constexpr std::string_view kKeys = "ib/gmps/class_keys_unconfirmed.h";
constexpr std::string_view kDcqcn = "ib/gmps/dcqcn_unconfirmed.h";
constexpr std::string_view kPpcc = "ib/gmps/ppcc_unconfirmed.h";

constexpr std::array kAssumptions{
    Assumption{"ARGroupTable 0xFF21", "number of a group",
               "group 0 stays empty, so group g of the routes has number g + 1", "adaptive routing",
               kWrongPorts, kAdaptive, "group_number|usable_groups"},
    Assumption{"ARGroupTable 0xFF21", "sub-groups of a group",
               "group g with n sub-groups consists of the sub-groups g n to g n + n - 1, also in "
               "RNSubGroupDirectionTable",
               "weights of sub-groups (`hbf_weights`)", kWrongPorts, kAdaptive,
               "Group g with n sub-groups consists of|group_blocks"},
    Assumption{"ARGroupTable 0xFF21", "order of sub-groups",
               "without weights, the second sub-group is used only if no port of the first is "
               "usable; with weights, each gets its share",
               "weights of sub-groups, pFRN policies", kWrongPorts, kAdaptive,
               "Without weights, a switch selects among the ports"},
    Assumption{"ARGroupTable 0xFF21", "bit of a port",
               "port p is bit 255 - p from the most significant bit of its group",
               "adaptive routing", kWrongPorts, kAdaptive, "bit_of_port"},
    Assumption{"ARGroupTable 0xFF21", "attribute modifier",
               "the block, of group table 0 of private table 0", "adaptive routing", kArDiffers,
               kAdaptive, "group_table_modifier|block_of_group_table"},
    Assumption{"AdaptiveRoutingInfo 0xFF20", "active sub-groups",
               "the field has the number of active sub-groups minus 1", "adaptive routing",
               "warning: `the number of sub-groups is unchanged`", kAdaptive,
               "active_sub_groups|sub_groups_of"},
    Assumption{"AdaptiveRoutingInfo 0xFF20", "capacity for other settings",
               "a Get with modifier 1 and the settings as data returns the group capacity for "
               "these settings",
               "number of groups of an engine",
               "no warning: a switch that ignores the modifier returns its current capacity, and "
               "may then refuse groups: `the highest group number is N, expected M`",
               kAdaptive, "kCapacityForSettings"},
    Assumption{"AdaptiveRoutingInfo 0xFF20", "string width",
               "a width of n bits permits 2^n strings, string 0 included",
               "fault notifications (FRN)", kArDiffers, kAdaptive, "strings_of_width"},
    Assumption{"AdaptiveRoutingInfo 0xFF20", "received notifications",
               "a Set clears the notifications that the switch received, and the switch checks its "
               "ports again",
               "fault notifications (FRN)", kNoRerouting, kAdaptive,
               "clears the notifications that a switch has received"},
    Assumption{"AdaptiveRoutingInfo 0xFF20", "SLs and transports",
               "entries with state 3 use HBF on all SLs, other entries on the SLs of the mask; "
               "packets of excluded SLs and transports use the default port",
               "`ar_sl_mask`, `ar_transport_mask`, `hbf_sl_mask`",
               "no warning: packets of an excluded SL arrive in another order than they were sent",
               kAdaptive, "selects by hash on all SLs"},
    Assumption{"WHBFConfig 0xFF25", "weights",
               "weights are relative, with any sum; Weft writes a sum of 64",
               "weights of sub-groups (`hbf_weights`)", kArDiffers, kAdaptive, "kWeightSum"},
    Assumption{"WHBFConfig 0xFF25", "attribute modifier", "the block of 16 groups",
               "weights of sub-groups (`hbf_weights`)", kArDiffers, kAdaptive,
               "weights_modifier|block_of_weights"},
    Assumption{"ARGroupTableCopy 0xFFBD", "attribute modifier", "the group to copy",
               "adaptive routing with `enable_ar_group_copy`", kArDiffers, kAdaptive,
               "group_copy_modifier|source_of_group_copy"},
    Assumption{"ARGroupTableCopy 0xFFBD", "order of a range", "the last group has the higher bits",
               "adaptive routing with `enable_ar_group_copy`", kArDiffers, kAdaptive,
               "kFirstOfCopyBit|kLastOfCopyBit"},
    Assumption{"AR forwarding table 0xFF23", "attribute modifier",
               "the block in the lowest 16 bits, the private table in bits 16 to 23",
               "adaptive routing, private tables (`dfp2`, `kdor-hc`, `kdor-ghc`)", kArDiffers,
               kAdaptive,
               "forwarding_table_modifier|block_of_forwarding_table|plft_of_forwarding_table"},
    Assumption{"RN tables 0xFFB8, 0xFFB9, 0xFFBA, 0xFFBC", "attribute modifier",
               "the block, of private table 0", "fault notifications (FRN)", kArDiffers, kAdaptive,
               "notification_modifier|block_of_notifications"},
    Assumption{"RNXmitPortMask 0xFFBC", "order of the ports of a byte",
               "the even port has the high nibble, as in other tables", "fault notifications (FRN)",
               kNoRerouting, kAdaptive,
               "whether the high nibble in RNXmitPortMask is for the even port"},
    Assumption{
        "RNRcvString 0xFFB9", "meaning of a notification",
        "it has the number of a group; a switch sends it when the last usable port of the group "
        "goes down, and a receiver removes the port from its group of that number, or forwards it",
        "fault notifications (FRN)", kNoRerouting, kAdaptive,
        "A notification carries the number of a group"},
    Assumption{"HBFConfig 0xFF24", "attribute modifier", "bit 31 addresses all ports of the switch",
               "hash-based forwarding",
               "warning: `hash-based forwarding is disabled at this switch`", kAdaptive,
               "kHbfOfAllPorts"},
    Assumption{"HBFConfig 0xFF24", "fields of a capability",
               "the destination QP of BTH, and the fields of DCETH, need the capability of that "
               "name; the other fields need none",
               "hash-based forwarding (`hbf_hash_fields`)",
               "warning: `hash-based forwarding is disabled at this switch`, with the fields found "
               "and expected",
               kAdaptive, "supported_hash_fields"},
    Assumption{"pFRNConfig 0xFF61", "attribute modifier", "0",
               "persistent fault notifications (pFRN)",
               "warning: `pFRN is disabled at this switch`", kAdaptive, "kPfrnOfSwitch"},
    Assumption{"GeneralInfo 0xFF17", "switches that answer",
               "SwitchX, Switch-IB, Switch-IB 2, Quantum, Quantum-2 and Quantum-3, by device id",
               "all features that GeneralInfo announces",
               "no warning: `weft_adaptive_switches` does not count the switch; "
               "`additional_gi_supporting_devices` adds its device id",
               kAdaptive, "may_support_general_info"},
    Assumption{"PortInfo", "switches with adaptive routing",
               "all announce system image GUIDs in CapabilityMask of port 0",
               "adaptive routing as default engine",
               "no warning: `weft_adaptive_switches` does not count the switch until an adaptive "
               "engine is configured",
               kAdaptive, "kCapabilitiesWithAdaptive"},
    Assumption{"PrivateLFTInfo 0xFF10", "mode in use",
               "modes are numbered from 1; 0 disables private tables",
               "private tables (`dfp2`, `kdor-hc`, `kdor-ghc`)",
               "warning: `the mode of private tables is unchanged`", kPrivate, "mode_number"},
    Assumption{"PrivateLFTDef 0xFF11", "byte 0",
               "the flag \"force sub-group 0\" is the highest bit, the bank has the other bits",
               "private tables (`dfp2`, `kdor-hc`, `kdor-ghc`)", kArDiffers, kPrivate,
               "kForceSubGroupBits|kBankBits"},
    Assumption{"PrivateLFTDef 0xFF11", "attribute modifier", "the block of 16 private tables",
               "private tables (`dfp2`, `kdor-hc`, `kdor-ghc`)", kArDiffers, kPrivate,
               "definition_modifier|block_of_definition"},
    Assumption{"PrivateLFTMap 0xFF12", "attribute modifier",
               "the private table in bits 16 to 23, the block of 256 ports in the lowest bits",
               "private tables (`dfp2`, `kdor-hc`, `kdor-ghc`)", kArDiffers, kPrivate,
               "map_modifier|plft_of_map|port_block_of_map"},
    Assumption{
        "PrivateLFTMap 0xFF12", "bit of a port",
        "port p is bit 255 - p from the most significant bit of the mask, as in the group table",
        "private tables (`dfp2`, `kdor-hc`, `kdor-ghc`)",
        "no warning: the port counters show packets on channels that no path of the verified "
        "routes has",
        kPrivate, "bit_of_port"},
    Assumption{"PortSLToPrivateLFTMap 0xFF14", "attribute modifier",
               "the block of four ports, beginning with port 0",
               "private tables (`dfp2`, `kdor-hc`, `kdor-ghc`)", kArDiffers, kPrivate,
               "sl_map_modifier|block_of_sl_map"},
    Assumption{"Private tables", "when a switch uses them",
               "while a mode is in use and adaptive routing is enabled; a packet uses the table of "
               "its ingress port and SL; all tables use one group table",
               "private tables (`dfp2`, `kdor-hc`, `kdor-ghc`)",
               "no warning: the port counters show packets on channels that no path of the "
               "verified routes has",
               kPrivate, "A switch selects the pLFT of a packet by PortSLToPrivateLFTMap"},
    Assumption{"VPortInfo 0xFFB1, VNodeInfo 0xFFB2, VNodeDescription 0xFFB4", "attribute modifier",
               "the vport index", "virtual ports", kVportRefusal, kVports,
               "they contain the vport index and the block|vport_modifier|vport_of_modifier"},
    Assumption{
        "VPortState 0xFFB3", "attribute modifier", "the block of 128 vports",
        "more than 128 virtual ports of a port",
        "no warning: `/api/v1/vports` lacks vports with an index from 128, or has them twice",
        kVports, "state_modifier|block_of_state_modifier"},
    Assumption{"VPortGUIDInfo 0xFFB5, P_Key table 0xFFB6", "attribute modifier",
               "the vport index in bits 16 to 31, the block in the lowest 16 bits",
               "P_Keys and alias GUIDs of virtual ports",
               "warning: `P_Keys of vport N (GUID) of port GUID` with the status, or aliases of "
               "another vport in `/api/v1/vports`",
               kVports, "table_modifier|TableModifier|read_table_modifier"},
    Assumption{"VirtualizationInfo 0xFFB0", "state change",
               "a Set with the bit clears it; a Set without the bit keeps it",
               "detection of changes by light sweeps",
               "no warning: the light sweeps send VPortState to each CA with virtualization (log "
               "with `-D 0x04`)",
               kVports, "clears the bit, as PortStateChange of SwitchInfo"},
    Assumption{"VPortInfo 0xFFB1", "effect of a Set",
               "it changes state, ClientReregister and LID; state 0 keeps the state; INIT changes "
               "to ACTIVE directly",
               "virtual ports", "warning: `answers with state S, expected ACTIVE`", kVports,
               "A Set of VPortInfo changes the state"},
    Assumption{"P_Key table 0xFFB6", "table of the CA port",
               "it applies to all vports of the port and has all their P_Keys; the table of a "
               "vport limits that vport",
               "P_Keys of virtual ports",
               "trap 257 or 1257 (P_Key violation) in the log although the partition of the "
               "virtual machine has the GUID",
               kVports, "The P_Key table of a CA port applies to the port and all its vports"},
    Assumption{"VNodeInfo 0xFFB2", "partition cap 0", "the vport has 32 P_Keys",
               "P_Keys of virtual ports",
               "warning: `P_Keys of vport N (GUID) of port GUID` with the status", kVports,
               "kPartitionCap"},
    Assumption{"traps 1257 and 1258", "place of the vport index",
               "bytes 50 and 51 of the details, behind the GIDs", "texts of the traps",
               "no warning: the log names another vport, or a vport that the CA port lacks",
               kVports, "kVportOfBadKeyAt"},
    Assumption{
        "HierarchyInfo 0x001E", "level of a selector",
        "level n of block b has the selector with number 13 b + n", "planes, positions of ports",
        "warning: `expected the same plane`, or slots and cages in `/api/v1/node/GUID` that differ "
        "from the labels of the device",
        kPlanes,
        "Assumed: level n of block b has the selector|kLevels|block_of_selector|level_of_selector"},
    Assumption{"HierarchyInfo 0x001E", "number of a template", "its GUID",
               "planes, positions of ports",
               "no warning: `/api/v1/aports` is empty, and a plane has no port", kPlanes,
               "template_number"},
    Assumption{"HierarchyInfo 0x001E", "ports of a switch",
               "if port 0 announces HierarchyInfo, all ports of the switch answer it", "planes",
               "warning: `HierarchyInfo: SWITCH port N` with the status", kPlanes,
               "If port 0 of a switch announces HierarchyInfo"},
    Assumption{"EndPortPlaneFilterConfig 0xFF54", "elements",
               "element n is the LID of the CA's own port in plane n + 1; 0: no port",
               "none yet: Weft does not write plane filters", "none", kPlanes,
               "EndPortPlaneFilter: element n is"},
    Assumption{"umad device `smi`", "port numbers",
               "the device has the plane ports by the numbers of NodeInfo, so that the first hop "
               "of a directed path is the number of a umad port",
               "a manager on a CA with planes",
               "warning: timeouts of NodeInfo for the peer switch of a plane", kPlanes,
               "A device for SMPs only (smi1) has the plane ports"},
    Assumption{"ExtendedPortInfo 0xFF90", "state of FNM links",
               "an FNM link carries directed-route SMPs in INIT, and needs no other state",
               "planes", "no warning: switches of other planes do not answer over FNM links",
               kPlanes, "an FNM link carries"},
    Assumption{"ExtendedPortInfo 0xFF90", "ends of FNM links",
               "a link between switches is an FNM link if one of its ports has an FNM bit",
               "planes",
               "no warning: `/api/v1/links` lists a link of another kind with `kind` `fnm`",
               kPlanes, "A link between switches is an FNM link"},
    Assumption{"NodeInfo 0x0011", "ASICs of a switch system",
               "the switch nodes with one system image GUID are the ASICs of an FNM ring", "planes",
               "warning: `FNM ring of system` `is not closed`", kPlanes,
               "The switch nodes of a system are its ASICs"},
    Assumption{
        "CA with planes", "LIDs and GUIDs",
        "each plane port has its own LID; ports that announce HierarchyInfo may have one port GUID",
        "planes",
        "warning: `expected at one port: only the LID of one port is kept`; with `exit_on_fatal` "
        "the manager ends",
        kPlanes, "Each port of a planarized CA has a LID of its own|may_share_guid"},
    Assumption{"ProfilesConfig 0xFF73", "default profile",
               "profile 0 belongs to ports without a configured profile",
               "fast recovery, port recovery policies",
               "no warning: ports without a profile use other thresholds than the default of "
               "`fast_recovery_conf_file`",
               kRecovery, "kProfile"},
    Assumption{"CreditWatchdogConfig 0xFF71, PortRecoveryPolicyConfig 0xFFDA", "attribute modifier",
               "the profile in the lowest bits, as in BERConfig",
               "fast recovery, port recovery policies", kNotApplied, kRecovery, "profile_modifier"},
    Assumption{"ExtendedPortInfo 0xFF90", "report of a recovery",
               "a Set with the bit clears the report; a Set without the bit keeps it",
               "event `port_recovered`",
               "the event `port_recovered` of a port is repeated after each reading, although no "
               "trap 1320 arrives",
               kRecovery, "kClearsPortRecovered"},
    Assumption{
        "ProfilesConfig 0xFF73, BERConfig 0xFF72", "support",
        "a switch that announces GeneralInfo bit 52 or 76 has ProfilesConfig, accepts thresholds "
        "that it reported, and returns the defaults of a type for bit 31 of the modifier",
        "fast recovery, port recovery policies", kNotApplied, kRecovery,
        "supports ProfilesConfig for this feature"},
    Assumption{"ExtendedPortInfo 0xFF90", "port with the SHARP setting", "port 0 of the switch",
               "`sharp_enabled`", kNotApplied, kSharp, "kPortOfSwitch"},
    Assumption{"ExtendedPortInfo 0xFF90", "byte 3", "a Set of SHARP needs no bit of the byte",
               "`sharp_enabled`", kNotApplied, kSharp, "a Set of SHARP needs no bit of this byte"},
    Assumption{"GeneralInfo 0xFF17", "switches with SHARP",
               "Switch-IB 2, Quantum, Quantum-2 and Quantum-3, by device id", "`sharp_enabled`",
               "no warning: `additional_gi_supporting_devices` adds a device id", kSharp,
               "may_have_sharp"},
    Assumption{"ExtendedSwitchInfo 0xFF92", "byte 4",
               "bits 0 to 3: window, reset trigger, set trigger, request delay can be set", kNoUse,
               "none", kSwitchSettings,
               "kSetsWindow|kSetsResetTrigger|kSetsSetTrigger|kSetsRequestDelay|Bits of byte 4"},
    Assumption{"SLtoVLMappingTable 0x0017", "masks of ports",
               "port p is bit p of the mask as a number", kNoUse, "none", kQos, "bit_of_port"},
    Assumption{"RouterInfo 0xFFD0", "number of subnets", "8 bits", kNoUse, "none", kRouters,
               "kSubnetsBits"},
    Assumption{"AdjSiteLocal 0xFFD2", "pFRN",
               "bit 15 of bytes 4-5 of an entry, the highest AR group in the lowest 12 bits",
               kNoUse, "none", kRouters, "kPfrnBit"},
    Assumption{"RouterLID 0xFFD6", "bit of a LID", "LID n is bit n of the block as a number",
               kNoUse, "none", kRouters, "bit_of_lid"},
    Assumption{"ClassPortInfo of 0x0A, 0x0C", "form",
               "version 1; the layout of the specification after the key; a port answers "
               "ClassPortInfo with any key",
               "keys of the VS and N2N classes",
               "no warning: no port of the class gets a key (`vs_key_enable 2`: the log has no `VS "
               "key` of the port)",
               kKeys, "Classes 0x0A and 0x0C have version 1"},
    Assumption{"ClassPortInfo of 0x0A, 0x0C, 0x21", "ports with keys",
               "class 0x0A: bit 8 of CapabilityMask announces KeyInfo; 0x21 and 0x0C: each port "
               "that answers; only switches have class 0x0C",
               "keys of the CC, VS and N2N classes", kKeyRefusal, kKeys,
               "Bit 8 of CapabilityMask in ClassPortInfo of class 0x0A announces KeyInfo"},
    Assumption{"KeyInfo 0x000F", "lease",
               "the protection ends when the lease has passed after a MAD with a wrong key, unless "
               "a MAD with the right key arrives before",
               "recovery from unknown keys", kKeyRefusal, kKeys,
               "the protection ends after a MAD with a wrong key"},
    Assumption{"NeighborsInfo 0x0010", "entries",
               "any order, each neighbor once; unused entries are zeros", "pFRN between switches",
               "warning: `NeighborsInfo: status S`", kKeys,
               "NeighborsInfo lists neighbors in any order"},
    Assumption{
        "Attributes 0xFF09, 0xFF10 of class 0x21", "attribute modifier",
        "the port of the switch in the lowest bits; the other attributes of DCQCN have modifier 0",
        "DCQCN", kCcDiffers, kDcqcn, "port_modifier|kPortMask"},
    Assumption{"SL map 0xFF10", "ports",
               "each port of a switch has a map; an SL with profile 0 has no profile", "DCQCN",
               kCcDiffers, kDcqcn, "A switch has an SL map for each port"},
    Assumption{"Profiles 0xFF09", "VL mask",
               "a Set applies to the VLs of its mask; a Get returns the mask of the last Set",
               "DCQCN", kCcDiffers, kDcqcn,
               "A Set of the profiles of a port applies to the VLs of its VL mask"},
    Assumption{"Attributes 0xFF08, 0xFF21, 0xFF22", "width and unit of fields",
               "32 bits for the least rate, the rate at the first CNP and the monitor period; 8 "
               "bits without a stated width; rates in Mb/s",
               "DCQCN", kCcDiffers, kDcqcn, "are 32 bits wide"},
    Assumption{"Notification point 0xFF22", "bits 5.0 and 5.1",
               "they select the SLs of bytes 7 and 6; without them these bytes have no effect",
               "DCQCN", "no warning: the counters show CNPs on another SL than configured", kDcqcn,
               "The bits 5.0 and 5.1 of FF22 select"},
    Assumption{"Enhanced congestion info 0xFF00", "devices without DCQCN",
               "they do not announce DCQCN there, and may refuse the attribute or stay silent; bit "
               "44 of GeneralInfo is not read",
               "DCQCN", kNotFound, kDcqcn, "A device without DCQCN does not announce it"},
    Assumption{"Attributes 0xFF24, 0xFF25 of class 0x21", "attribute modifier",
               "the slot in the lowest bits, port 0 for the port with the LID of the request",
               "programmable congestion control", kCcDiffers, kPpcc, "slot_modifier|kSlotMask"},
    Assumption{"Attributes 0xFF24, 0xFF25 of class 0x21", "length of a content",
               "the number of its entries", "programmable congestion control", kCcDiffers, kPpcc,
               "length_of_list"},
    Assumption{"Algorithm configuration 0xFF24", "Get and Set",
               "a Get of any slot returns the list of algorithms, entry n for slot n, id 0 for an "
               "empty slot; a Set writes the bits of byte 0 except the status, and the SLs",
               "programmable congestion control",
               "warning once for each port: `found no algorithm NAME`", kPpcc,
               "returns the list of algorithms"},
    Assumption{"Algorithm configuration 0xFF24", "an SL of two slots",
               "a Set that gives an SL to a second slot is refused, so the SL is removed from the "
               "first slot before",
               "programmable congestion control", kCcDiffers, kPpcc,
               "A Set that gives an SL to a second slot is refused"},
    Assumption{"Algorithm parameters 0xFF25", "order",
               "the order of the description of the algorithm; the values after the last parameter "
               "stay as read",
               "programmable congestion control", kCcDiffers, kPpcc,
               "An algorithm has the parameters in the order of its description"},
    Assumption{"Enhanced congestion info 0xFF00", "devices without programmable congestion control",
               "they do not announce it there, and may refuse the attribute or stay silent",
               "programmable congestion control", kNotFound, kPpcc,
               "A device without programmable congestion control does not announce it"},
    Assumption{"RNSubGroupDirectionTable 0xFFBA", "sub-group without notifications",
               "direction 0xFF", "fault notifications (FRN)", kArDiffers, "ib/rn_string.h",
               "kRnNoDirection"},
    Assumption{"Device profiles", "features of a generation",
               "devices of a generation have the features of the earlier generation; "
               "[devices](devices.md) marks these cells as *assumed*",
               "emulated devices, `weft check`",
               "none in a fabric of devices, because the manager reads GeneralInfo; the emulator "
               "and `weft check` use the table",
               "emulator/devices/device_profiles.cpp", "kAssumed|kGuess"},
};

}  // namespace

std::span<const Assumption> assumptions() { return kAssumptions; }

}  // namespace weft
