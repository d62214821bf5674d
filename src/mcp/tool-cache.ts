// The tools of lazy servers, kept from run to run: by the hash of their configuration, so that another one is another server.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { canonicalJson, parseJson } from "../base/json.ts";
import { readWhole } from "../host/files.ts";
import { makePrivateFolder } from "../host/paths.ts";
import type { ServerConfig } from "./config/server-config.ts";
import type { ToolList } from "./connection.ts";

const MAX_BYTES = 16 * 1024 * 1024;

const cached = z.object({
  version: z.literal(1),
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      inputSchema: z.record(z.string(), z.unknown()),
      readOnly: z.boolean(),
      taskSupport: z.enum(["required", "optional", "forbidden"]),
    }),
  ),
});

/** `folder` is EVERLONG_HOME/cache/mcp. Only a cache: what cannot be read or written is as if it were not there. */
export function fileToolCache(folder: string) {
  const fileOf = (config: ServerConfig): string =>
    join(folder, `${createHash("sha256").update(canonicalJson(config)).digest("hex").slice(0, 32)}.json`);
  return {
    read(config: ServerConfig): ToolList | undefined {
      const read = readWhole(fileOf(config), MAX_BYTES);
      const parsed = read.ok ? parseJson(read.value.bytes.toString("utf8")) : undefined;
      const list = parsed?.ok ? cached.safeParse(parsed.value) : undefined;
      return list?.success ? { tools: list.data.tools, warnings: [] } : undefined;
    },
    write(config: ServerConfig, { tools }: ToolList): void {
      try {
        makePrivateFolder(folder);
        writeFileSync(fileOf(config), JSON.stringify({ version: 1, tools }), { mode: 0o600 });
      } catch {
        // The next run starts the server to see its tools, as this one did.
      }
    },
  };
}
