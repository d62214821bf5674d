// Saves a session's events as JSON lines, as the log has them.
import { sessionEventList } from "../../../src/schema/api/session.ts";
import { address, call } from "../../api/call.ts";

/** Gives back what went wrong, in words. */
export async function exportSession(id: string): Promise<string | undefined> {
  const lines: string[] = [];
  for (let after: string | undefined; ; ) {
    const path = address(`/api/sessions/${encodeURIComponent(id)}/events`, { limit: 500, after });
    const page = await call(sessionEventList, path);
    if (!page.ok) return `Not exported: ${page.error.message} ${page.error.hint}`;
    for (const { event } of page.value.items) lines.push(JSON.stringify(event));
    after = page.value.next ?? undefined;
    if (after === undefined) break;
  }
  const url = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${id}.jsonl`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return undefined;
}
