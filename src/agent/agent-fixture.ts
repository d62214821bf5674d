// For the tests of definition files: a project, a home and their files, real and in a folder of their own.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { trustFolder, trustForRun, trustState } from "../permission/trust.ts";
import { updateFile } from "../store/update-file.ts";
import type { Grounds } from "./file/places.ts";

export type TestGround = {
  base: string;
  put: (path: string, content: string | Buffer) => string;
  /** As under `--trust-folder`; the working folder relative to the base. */
  trusted: (cwd?: string) => Grounds;
  /** As the record of trust has it. */
  recorded: () => Promise<Grounds>;
  trust: () => Promise<void>;
  remove: () => void;
};

export function testGround(): TestGround {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "everlong-agents-")));
  const [everlongHome, root] = [join(base, "home"), join(base, "root")];
  const places = { everlongHome, userHome: join(base, "user") };
  mkdirSync(root);
  return {
    base,
    put(path, content) {
      mkdirSync(dirname(join(base, path)), { recursive: true });
      writeFileSync(join(base, path), content);
      return join(base, path);
    },
    trusted: (cwd = "root") => ({
      everlongHome,
      root,
      cwd: join(base, cwd),
      trust: trustForRun(root, join(base, cwd)),
    }),
    recorded: async () => ({ everlongHome, root, cwd: root, trust: await trustState(places, root) }),
    trust: async () => {
      await trustFolder(places, root, new Date(), (path, change) =>
        updateFile(path, change, { private: true, locks: join(base, "locks") }),
      );
    },
    remove: () => rmSync(base, { recursive: true }),
  };
}
