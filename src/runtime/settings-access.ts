// Settings as people read and change them.
import { join } from "node:path";
import { fail, ok } from "../base/result.ts";
import { listSettings } from "../settings/describe.ts";
import { projectFile, userFile } from "../settings/load.ts";
import { writeSetting } from "../settings/write.ts";
import { updateFile } from "../store/update-file.ts";
import { refuseInToolShell } from "./tool-shell.ts";
import { checkRule, openWorkspace } from "./workspace.ts";

export const storedSettings = {
  /** Secrets are masked. */
  async list() {
    const workspace = await openWorkspace();
    return workspace.ok ? ok(listSettings(workspace.value.settings)) : workspace;
  },

  /** Without a value it is unset. It stands in the user's file, or in the project's. */
  async set(key: string, value: string | undefined, { project = false }: { project?: boolean }) {
    const workspace = await openWorkspace();
    if (!workspace.ok) return workspace;
    const { paths, root, env } = workspace.value;
    const refused = refuseInToolShell(env, "change settings");
    if (refused) return fail(refused);
    const path = project ? projectFile(root) : userFile(paths.home);
    const written = await writeSetting(
      {
        path,
        layer: project ? "project" : "user",
        key,
        ...(value === undefined ? {} : { text: value }),
        checkRule,
      },
      (file, change) => updateFile(file, change, { private: !project, locks: join(paths.home, "locks") }),
    );
    if (!written.ok) return written;
    const { secret = false, restart = false } = written.value;
    const isOfModel = /^(model|providers?\.|limits\.|offline$|permissions\.)/.test(key);
    return ok({ path, isSecret: secret, needsRestart: restart || isOfModel });
  },
};

export type SettingsAccess = typeof storedSettings;
