// gateway.json: where this home's gateway listens, for who looks for it.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Failure } from "../base/failure.ts";
import { isRecord, parseJson } from "../base/json.ts";
import type { Result } from "../base/result.ts";
import { atomicWrite } from "../store/atomic-write.ts";

export type GatewayFile = { pid: number; address: string; version: string; startedAt: string };

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
  if (!read.ok || !isRecord(read.value)) return undefined;
  const { pid, address, version, startedAt } = read.value;
  if (typeof pid !== "number" || typeof address !== "string" || !/^http:\/\/[^/@?#\s]+$/.test(address))
    return undefined;
  return { pid, address, version: String(version), startedAt: String(startedAt) };
}

/** Another gateway of the same home may have written its own meanwhile: that one stays. */
export function removeGatewayFile(home: string, own: GatewayFile): void {
  const now = readGatewayFile(home);
  if (now?.pid === own.pid && now.address === own.address) rmSync(pathOf(home), { force: true });
}
