// A file that may not be there yet: its text, or nothing.
import { readFileSync } from "node:fs";

export function readOptional(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // not written yet
  }
}
