// What a person decides about this machine and its folders: settings, trust, consent.
import type { Consent } from "../../permission/consent.ts";
import type { SettingLine } from "../../settings/describe.ts";
import type { ResultPromise } from "./open.ts";

export type SettingsAccess = {
  /** Secrets are masked. */
  list(): ResultPromise<SettingLine[]>;
  /** Without a value it is unset. In the user's file, or in the project's. */
  set(
    key: string,
    value: string | undefined,
    where: { project?: boolean },
  ): ResultPromise<{ path: string; isSecret: boolean; needsRestart: boolean }>;
};

export type TrustAccess = {
  list(): ResultPromise<{ folder: string; at: string }[]>;
  /** The folder that the session or the command runs in, unless one is named. */
  grant(path?: string): ResultPromise<string>;
  revoke(path?: string): ResultPromise<{ folder: string; wasTrusted: boolean }>;
};

/** To send texts of this folder to an address off this machine. */
export type ConsentAccess = {
  list(): ResultPromise<{
    consents: Consent[];
    missing: { setting: string; origin: string }[];
    folder: ConsentFolder;
  }>;
  grant(address: string): ResultPromise<{ origin: string; isThisMachine: boolean; folder: ConsentFolder }>;
  revoke(address: string): ResultPromise<{ origin: string; wasGiven: boolean; folder: ConsentFolder }>;
};
export type ConsentFolder = { root: string; isTrusted: boolean };
