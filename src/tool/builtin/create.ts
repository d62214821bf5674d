// create: a new file, whole or not at all.
import * as z from "zod";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, failure, success, type Tool } from "../contract.ts";
import { promptDiff, unifiedDiff } from "../diff.ts";
import { createText, type EditorFiles, isThere } from "../editor.ts";
import type { Ledger } from "../ledger.ts";
import { hashOf } from "../snapshot.ts";
import { absolutePath, shownPath, targetOf } from "../target.ts";
import description from "./create.md";
import { fileLane } from "./edit.ts";

const input = z.strictObject({
  path: z.string().min(1).describe("The file to create."),
  file_text: z.string().describe("Its whole content."),
});

const NEXT = "Nothing was changed. Use view, then edit.";

/** `files`: those that an editor has. */
export function createTool({ ledger, files }: { ledger: Ledger; files?: EditorFiles | undefined }): Tool {
  return defineTool({
    ...ownTool("create"),
    description,
    input,
    planMode: true,
    permissions: ({ path }, { cwd }) => [{ kind: "write", path: absolutePath(path, cwd) }],
    async foresee({ path }, { cwd, mayRead }) {
      const target = absolutePath(path, cwd);
      return (await mayRead(target)) && (await isThere(target, files))
        ? { code: "invalid_inputs", message: `${target} already exists. ${NEXT}` }
        : undefined;
    },
    preview: ({ path, file_text }) => promptDiff(path, "", file_text),
    lane: ({ path }, { cwd }) => fileLane(path, cwd),
    async run({ path, file_text }, context) {
      const target = targetOf(path, context);
      if (!target.ok) return target.error;
      const bytes = Buffer.from(file_text);
      const created = await createText(target.value, file_text, files);
      if (!created.ok) {
        const { code, message } = created.error;
        return code === "exists" ? failure("invalid_inputs", `${message} ${NEXT}`) : failure("failed", message);
      }
      ledger.saw(target.value, bytes);
      const { text: display, added, removed } = unifiedDiff(path, "", file_text);
      return success(`Created ${shownPath(target.value, context.cwd)} (${added} lines).`, {
        display,
        files: [{ path: target.value, operation: "create", added, removed, after: hashOf(bytes) }],
      });
    },
  });
}
