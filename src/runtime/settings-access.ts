// Settings as people read and change them.
import { join } from "node:path";
import { fail, ok } from "../base/result.ts";
import { parseRule } from "../permission/rule.ts";
import { listSettings } from "../settings/describe.ts";
import { projectFile, userFile } from "../settings/load.ts";
import { writeSetting } from "../settings/write.ts";
import { updateFile } from "../store/update-file.ts";
import type { SettingsAccess } from "./client/decision.ts";
import { refuseInToolShell } from "./tool-shell.ts";
import { openWorkspace } from "./workspace.ts";

export const storedSettings: SettingsAccess = {
  async list() {
    const workspace = await openWorkspace();
    return workspace.ok ? ok(listSettings(workspace.value.settings)) : workspace;
  },

  async set(key, value, { project = false }) {
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
        checkRule: (text) => {
          const rule = parseRule(text);
          return rule.ok ? undefined : rule.error;
        },
      },
      (file, change) => updateFile(file, change, { private: !project, locks: join(paths.home, "locks") }),
    );
    if (!written.ok) return written;
    const { secret = false, restart = false } = written.value;
    const isOfModel = /^(model|providers?\.|limits\.|offline$|permissions\.)/.test(key);
    return ok({ path, isSecret: secret, needsRestart: restart || isOfModel });
  },
};
