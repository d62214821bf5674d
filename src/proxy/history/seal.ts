// A compaction that only its provider can open: the client sends it back as it is, so a hash of it tells whose it is.
import { hash } from "node:crypto";
import { isRecord } from "../../base/json.ts";
import { recordsIn, stringAt } from "../../model/wire/adapter.ts";

/** One line, keyed as everything that is kept of a content; undefined for what is no closed compaction. */
export function sealOf(item: unknown, key: string): string | undefined {
  if (!isRecord(item) || !stringAt(item, "type")?.startsWith("compaction")) return undefined;
  const content = stringAt(item, "encrypted_content");
  return content === undefined || content === "" ? undefined : `sealed ${hash("sha256", `seal\n${key}\n${content}`)}`;
}

/** Of the closed compaction in an answer. */
export function sealIn(records: readonly unknown[], key: string): string | undefined {
  const items = records.filter(isRecord).flatMap((record) => {
    const whole = isRecord(record["response"]) ? record["response"] : record;
    return [record["item"], ...recordsIn(whole["output"])];
  });
  return items.map((item) => sealOf(item, key)).findLast((seal) => seal !== undefined);
}
