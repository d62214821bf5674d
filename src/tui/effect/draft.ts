// Typing is never lost: the draft is written to the session's folder soon after the last key, and is there on a resume.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isRecord } from "../../base/json.ts";
import type { FaceStart } from "../../runtime/client.ts";
import type { EditorText, PasteMark } from "../editor/text.ts";

/** Well within the second in which a draft must be safe. */
const DELAY_MS = 300;

export type DraftFile = {
  /** To be called at every change of the editor. */
  save(text: EditorText): void;
  /** Writes at once what waits; resolves when it is on the disk. */
  flush(): Promise<void>;
};

/** Before the first message there is no session to come back to: the draft is the folder's. */
export const folderDraft = (face: FaceStart): string =>
  join(face.home, "drafts", `${createHash("sha256").update(face.root).digest("hex").slice(0, 16)}.json`);

export const sessionDraft = (dir: string): string => join(dir, "draft.json");

/** `path` is asked each time: after the first message it is another one. */
export function draftFile(path: () => string, onError: (error: unknown) => void): DraftFile {
  let timer: NodeJS.Timeout | undefined;
  let waiting: EditorText | undefined;
  // One after another, and never while keys wait: a disk may take longer than a key may.
  let written = Promise.resolve();
  let last = path();
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const draft = waiting;
    waiting = undefined;
    if (draft) {
      const [before, place] = [last, path()];
      last = place;
      // What was the folder's draft has been sent: it must not come back in the next session.
      if (before !== place) written = written.then(() => rm(before, { force: true })).catch(onError);
      written = written.then(() => write(place, draft)).catch(onError);
    }
    return written;
  };
  return {
    save(text) {
      waiting = text;
      timer ??= setTimeout(flush, DELAY_MS);
    },
    flush,
  };
}

async function write(path: string, { text, cursor, marks }: EditorText): Promise<void> {
  if (text === "") return rm(path, { force: true });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, JSON.stringify({ text, cursor, marks }), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

export function loadDraft(path: string): EditorText | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isRecord(value) || typeof value["text"] !== "string") return undefined;
    const marks = isRecord(value["marks"]) ? (value["marks"] as Record<string, PasteMark>) : {};
    const { text } = value as { text: string };
    const cursor = typeof value["cursor"] === "number" ? Math.min(value["cursor"], text.length) : text.length;
    return { text, cursor, marks };
  } catch {
    return undefined; // there is none
  }
}
