// Settings, trust and consent for the dashboard: everything can be seen, switches moved, permissions only taken back.
import { commandUsage, type Failure, refusal } from "../../base/failure.ts";
import { fail, ok } from "../../base/result.ts";
import { listConsents } from "../../permission/consent.ts";
import { listTrusted, revokeTrust } from "../../permission/trust.ts";
import type { SettingShape } from "../../schema/api/settings.ts";
import { listSettings, type SettingLine } from "../../settings/describe.ts";
import { settingsTable } from "../../settings/table.ts";
import { takeBackConsent } from "../consent-revocation.ts";
import { changeInHome } from "../home-file.ts";
import { storedSettings } from "../settings-access.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";

export function settingOperations({ paths, userHome }: Workspace) {
  const update = changeInHome(paths.home);
  const all = async () => {
    const workspace = await openWorkspace(); // as the files are now, not as they were at the start
    return workspace.ok ? ok(listSettings(workspace.value.settings).map(shapeOf)) : workspace;
  };
  return {
    async settings() {
      const items = await all();
      return items.ok ? ok({ items: items.value }) : items;
    },
    /** Undefined: back to the default. */
    async setSetting(key: string, value: boolean | undefined) {
      const before = await all();
      if (!before.ok) return before;
      const setting = before.value.find((one) => one.key === key);
      if (!setting) return fail(unknownSetting(key));
      if (!setting.isSwitch) return fail(notHere(key));
      if (setting.lockedBy !== null) return fail(locked(key, setting.lockedBy));
      const written = await storedSettings.set(key, value === undefined ? undefined : String(value), {});
      if (!written.ok) return written;
      const after = await all();
      if (!after.ok) return after;
      return ok({
        setting: after.value.find((one) => one.key === key) ?? setting,
        needsRestart: written.value.needsRestart,
      });
    },
    async trusted() {
      const items = await listTrusted(paths.home);
      return items.ok ? ok({ items: items.value }) : items;
    },
    async revokeTrust(folder: string) {
      const was = await revokeTrust({ everlongHome: paths.home, userHome }, folder, update);
      return was.ok ? ok({ folder, wasTrusted: was.value }) : was;
    },
    async consents() {
      const items = await listConsents(paths.home);
      return items.ok ? ok({ items: items.value }) : items;
    },
    async revokeConsent(root: string, origin: string) {
      const revoked = await takeBackConsent(paths.home, root, { origin, server: origin });
      return revoked.ok ? ok({ root, origin, wasGiven: revoked.value.wasGiven }) : revoked;
    },
  };
}

const ROWS = new Map<string, (typeof settingsTable)[number]>(settingsTable.map((row) => [row.key, row]));

function shapeOf({ key, value, source, help, restart }: SettingLine): SettingShape {
  const row = ROWS.get(key);
  const isSwitch = row?.type === "boolean" && row.scope !== "environment";
  return { key, value, source, help, restart, isSwitch, lockedBy: lockOf(source) };
}

/** What is set more strongly than the user's file cannot be changed by it. */
function lockOf(source: string): string | null {
  if (/^(default|user)\b/.test(source)) return null;
  if (/^project/.test(source)) return "the project's settings file";
  if (/^flag/.test(source)) return "a flag of this gateway";
  return `the environment (${source})`;
}

const unknownSetting = (key: string): Failure => ({
  ...refusal("setting_not_found", `Unknown setting: ${key.slice(0, 80)}.`, "The list of settings has them all."),
});
const notHere = (key: string): Failure =>
  commandUsage(`${key} is not a switch.`, `Change it in a terminal: everlong settings set ${key} VALUE.`);
const locked = (key: string, by: string): Failure => ({
  ...refusal("setting_locked", `${key} is set by ${by}, which wins over the settings file.`, "Change it there."),
});
