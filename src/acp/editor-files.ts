// Files through the editor, so that what is not saved yet is seen; only those of the folders that it has open.
import { realpathSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { type AgentContext, type FileSystemCapabilities, methods } from "@agentclientprotocol/sdk";
import { within } from "../base/abort.ts";
import { errorText } from "../base/failure.ts";
import { fail, ok } from "../base/result.ts";
import type { EditorPlace } from "../runtime/client.ts";

/** An editor that does not answer is not waited for: then the disk counts. */
const READ_MS = 10_000;
const WRITE_MS = 30_000;
const METHOD_NOT_FOUND = -32601;

type FilesParts = {
  editor: AgentContext;
  offers: FileSystemCapabilities;
  sessionId: () => string | undefined;
  folders: readonly string[];
};

export function editorFiles(parts: FilesParts): NonNullable<EditorPlace["files"]> {
  const { editor, offers, sessionId } = parts;
  const folders = parts.folders.map((folder) => ({ folder, real: realOf(folder) }));
  /** The path as the editor writes it: its folder may be reached by a link. */
  const editorPath = (path: string): string | undefined => {
    for (const { folder, real } of folders) {
      const rest = relative(real, path);
      if (rest !== "" && !rest.startsWith("..") && !isAbsolute(rest)) return join(folder, rest);
    }
    return undefined;
  };
  return {
    ...(offers.readTextFile
      ? {
          async read(path) {
            const [id, at] = [sessionId(), editorPath(path)];
            if (id === undefined || at === undefined) return undefined;
            const request = editor.request(methods.client.fs.readTextFile, { sessionId: id, path: at });
            // What the editor cannot give, such as a file that is no text, is read from the disk.
            const reply = await within(
              request.catch(() => undefined),
              READ_MS,
            );
            return reply.type === "value" ? reply.value?.content : undefined;
          },
        }
      : {}),
    ...(offers.writeTextFile
      ? {
          async write(path, content) {
            const [id, at] = [sessionId(), editorPath(path)];
            if (id === undefined || at === undefined) return undefined;
            const request = editor.request(methods.client.fs.writeTextFile, { sessionId: id, path: at, content }).then(
              () => ok(undefined),
              (error: unknown) =>
                isUnknown(error) ? undefined : fail(`the editor did not write it: ${errorText(error)}`),
            );
            const reply = await within(request, WRITE_MS);
            return reply.type === "value"
              ? reply.value
              : fail("the editor did not answer; look whether it was written");
          },
        }
      : {}),
  };
}

/** It offered what it does not have. */
const isUnknown = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === METHOD_NOT_FOUND;

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // not there: then nothing in it is either
  }
}
