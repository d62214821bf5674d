// What is typed is kept for the place it belongs to: the folder until the first message, then the session.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { emptyEditor } from "../editor/edit.ts";
import { draftFile } from "./draft.ts";

it("F38 a draft that was sent as the first message does not come back in the next session of its folder", async () => {
  const base = mkdtempSync(join(tmpdir(), "everlong-draft-"));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const [ofFolder, ofSession] = [join(base, "folder.json"), join(base, "session.json")];
  let path = ofFolder;
  const draft = draftFile(
    () => path,
    (error) => {
      throw error;
    },
  );
  draft.save({ ...emptyEditor, text: "first message" });
  await draft.flush();
  expect(existsSync(ofFolder)).toBe(true);
  path = ofSession;
  draft.save({ ...emptyEditor, text: "" });
  await draft.flush();
  expect([existsSync(ofFolder), existsSync(ofSession)]).toEqual([false, false]);
  draft.save({ ...emptyEditor, text: "second" });
  await draft.flush();
  expect(readFileSync(ofSession, "utf8")).toContain("second");
});
