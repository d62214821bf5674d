// `/api/settings`, `/api/trust`, `/api/consents`: what is set, by whom, and what the user has allowed.
import * as z from "zod";
import { listOf } from "./list.ts";

const settingShape = z.object({
  key: z.string(),
  /** Secrets are masked. */
  value: z.unknown(),
  /** `default`, or the layer that it comes from: user, project, environment, flag. */
  source: z.string(),
  help: z.string(),
  /** Whether it takes effect only after a restart. */
  restart: z.boolean(),
  /** It is an on/off switch that can be changed here. */
  isSwitch: z.boolean(),
  /** What keeps it from being changed here, in words; null: nothing. */
  lockedBy: z.string().nullable(),
});
export type SettingShape = z.infer<typeof settingShape>;
export const settingList = listOf(settingShape);
/** `PUT /api/settings/{key} {value: true | false}`, `DELETE /api/settings/{key}` for the default. */
export const settingChanged = z.object({ setting: settingShape, needsRestart: z.boolean() });

/** `GET /api/trust`; `DELETE /api/trust {folder}`. Trust is given in a terminal only. */
export const trustList = listOf(z.object({ folder: z.string(), at: z.string() }));
export const trustRevoked = z.object({ folder: z.string(), wasTrusted: z.boolean() });

/** `GET /api/consents`; `DELETE /api/consents {root, origin}`. Consent is given in a terminal only. */
export const consentList = listOf(z.object({ root: z.string(), origin: z.string(), at: z.string() }));
export const consentRevoked = z.object({ root: z.string(), origin: z.string(), wasGiven: z.boolean() });
