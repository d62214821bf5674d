// All checks, in the order in which they are shown; what others are made from is mended before them.

import {
  consentCheck,
  embeddingsCheck,
  hooksCheck,
  mcpCheck,
  providerCheck,
  settingsCheck,
  trustCheck,
  trustedFilesCheck,
} from "./check/configuration.ts";
import { clockCheck, diskCheck, homeCheck, locksCheck, modesCheck, secretsCheck } from "./check/home.ts";
import { journalCheck, sessionDatabasesCheck } from "./check/journal.ts";
import { layoutCheck } from "./check/layout.ts";
import { leftoversCheck, logsCheck } from "./check/logs.ts";
import { gitCheck, nodeCheck, packageCheck, ripgrepCheck } from "./check/program.ts";
import { breakersCheck, failuresCheck, gatewayCheck, processesCheck, queuesCheck } from "./check/running.ts";
import { sandboxCheck } from "./check/sandbox.ts";
import { lagCheck, searchCheck, storeCheck, walCheck } from "./check/store.ts";
import { terminalCheck } from "./check/terminal.ts";
import type { DoctorCheck } from "./check.ts";

export const doctorChecks: readonly DoctorCheck[] = [
  ...[nodeCheck, packageCheck, gitCheck, ripgrepCheck, sandboxCheck, terminalCheck, clockCheck],
  ...[homeCheck, layoutCheck, diskCheck, secretsCheck, modesCheck, locksCheck],
  ...[logsCheck, storeCheck, journalCheck, walCheck, searchCheck, lagCheck, sessionDatabasesCheck, leftoversCheck],
  ...[settingsCheck, providerCheck, embeddingsCheck, mcpCheck, hooksCheck],
  ...[trustCheck, trustedFilesCheck, consentCheck],
  ...[gatewayCheck, breakersCheck, processesCheck, queuesCheck, failuresCheck],
];
