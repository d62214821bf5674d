// keys.json of the home, read once at the start.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FaceStart } from "../../runtime/client.ts";
import { type LoadedKeys, loadKeys } from "../key/load.ts";

export function loadKeyFile(face: FaceStart): LoadedKeys {
  let text: string | undefined;
  try {
    text = readFileSync(join(face.home, "keys.json"), "utf8");
  } catch {
    text = undefined; // there is none
  }
  return loadKeys(text);
}
