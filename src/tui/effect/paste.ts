// A paste too large for an editor: saved in the session's folder, named in the text.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { App } from "../loop/app.ts";

export async function savePaste(app: App, text: string): Promise<void> {
  const { dir } = await app.client();
  const folder = join(dir, "files");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `paste-${createHash("sha256").update(text).digest("hex").slice(0, 12)}.txt`);
  writeFileSync(path, text, { mode: 0o600 });
  app.dispatch({ type: "insert", text: `@${path} ` });
  app.say(`The paste of ${Math.round(Buffer.byteLength(text) / 1024 / 1024)} MB was saved to ${path}.`);
}
