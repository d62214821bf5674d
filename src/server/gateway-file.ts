// gateway.json: where this home's gateway listens, for who looks for it.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Failure } from "../base/failure.ts";
import { parseJson } from "../base/json.ts";
import type { Result } from "../base/result.ts";
import { atomicWrite } from "../store/atomic-write.ts";

const gatewayFile = z.object({
  pid: z.number(),
  address: z.string().regex(/^http:\/\/[^/@?#\s]+$/),
  version: z.string(),
  startedAt: z.string(),
});
export type GatewayFile = z.infer<typeof gatewayFile>;

const pathOf = (home: string): string => join(home, "gateway.json");

export function writeGatewayFile(home: string, file: GatewayFile): Promise<Result<void, Failure>> {
  return atomicWrite(pathOf(home), `${JSON.stringify(file)}\n`, { private: true });
}

/** What it says may be stale: its gateway may have been killed. */
export function readGatewayFile(home: string): GatewayFile | undefined {
  let text: string;
  try {
    text = readFileSync(pathOf(home), "utf8");
  } catch {
    return undefined; // none runs, or none that we may know of
  }
  const read = parseJson(text);
  return gatewayFile.safeParse(read.ok && read.value).data;
}

/** Another gateway of the same home may have written its own meanwhile: that one stays. */
export function removeGatewayFile(home: string, own: GatewayFile): void {
  const now = readGatewayFile(home);
  if (now?.pid === own.pid && now.address === own.address) rmSync(pathOf(home), { force: true });
}
