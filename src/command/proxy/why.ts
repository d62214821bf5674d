// `everlong proxy why`: what was done to a request and why, its items before and after side by side.
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import type { ProxyOperations } from "../../runtime/client.ts";
import { recallLossText } from "../../schema/recall-loss.ts";
import { grouped } from "../format.ts";
import { findSession, usage } from "./find-session.ts";
import { type Printed, tell } from "./look.ts";

type RequestAnswer = Awaited<ReturnType<ProxyOperations["request"]>>;
export type Why = RequestAnswer extends Result<infer T, unknown> ? T : never;
type Item = Why["items"][number];

export function why(
  id: string | undefined,
  options: { session?: string; all?: boolean },
  width: number | undefined,
): Printed {
  return tell(
    async (o) => {
      const session = options.session === undefined ? ok(undefined) : await findSession(o, options.session, {});
      if (!session.ok) return session;
      const request = await requestNamed(o, id, session.value);
      return request.ok ? o.request(request.value) : request;
    },
    (record) => whyText(record, { all: options.all ?? false, width }),
  );
}

async function requestNamed(o: ProxyOperations, id: string | undefined, session: string | undefined) {
  const page = await o.requests({ limit: id === undefined ? 1 : 500, ...optional("session", session) });
  if (!page.ok) return page;
  const ids = page.value.items.map((r) => r.id).filter((one) => one.startsWith(id ?? ""));
  const [first] = ids;
  if (first !== undefined && (ids.length === 1 || ids.includes(id ?? "")))
    return ok(ids.includes(id ?? "") ? (id ?? first) : first);
  if (first !== undefined) return fail(usage(`"${id}" matches ${ids.length} requests.`, "Give more of the id."));
  return fail({
    code: "request_not_found",
    what: id === undefined ? "No requests recorded yet." : `Request not found: ${clip(id, 80)}.`,
    data: "The last 500 requests are recorded for 7 days; none with proxy.records=off.",
    next: "Send a request through the gateway first.",
    exit: 1 as const,
  });
}

export function whyText(r: Why, { all, width }: { all: boolean; width: number | undefined }): string {
  const tokens =
    r.tokensIn === undefined
      ? []
      : [`tokens: ${grouped(r.tokensIn)} received, ${grouped(r.tokensSent ?? r.tokensIn)} sent`];
  const window =
    r.window === undefined ? [] : [`window: ${grouped(r.window)}, usable ${grouped(r.usable ?? r.window)}`];
  const session =
    r.session === undefined
      ? "no session"
      : `session ${r.session} (named by ${r.sessionSignal ?? "content"}), lane ${r.lane ?? "-"}`;
  return [
    `${r.id}  ${r.time}  ${r.path}`,
    `client: ${r.family}, known by ${r.familySignal}${r.folder === undefined ? "" : `, in ${r.folder}`}; to ${r.upstream}, model ${r.model}`,
    `${session}; kind ${r.kind ?? "unknown"}`,
    `action: ${r.action}${reason(r)}`,
    ...tokens,
    ...window,
    `left out ${r.dropped}, shortened ${r.shortened}, stored ${r.stored}, recalled ${r.recalled.length}${r.epoch ? `; epoch ${r.epoch}` : ""}`,
    ...r.recalled.map(recalledLine),
    ...lostLines(r),
    ...attempts(r),
    `answer: ${r.status ?? "none"}, ${r.outcome}${r.failure ? ` (${r.failure})` : ""}${usageText(r)}`,
    `time: ${Object.entries(r.timings)
      .map(([stage, ms]) => `${stage} ${Math.round(ms)} ms`)
      .join(", ")}`,
    ...(r.bytesShared === undefined
      ? []
      : [`bytes: ${grouped(r.bytesSent)} sent, ${grouped(r.bytesShared)} shared with the request before`]),
    ...columns(r.items, all, width),
  ].join("\n");
}

function reason({ epochReason, whyNothing }: Why): string {
  if (whyNothing !== undefined) return `: ${whyNothing}`;
  return epochReason === undefined ? "" : `: a new epoch began (${epochReason})`;
}

function lostLines({ recallLost }: Why): string[] {
  if (recallLost === undefined) return [];
  return [`  ${recallLossText(recallLost)}`];
}

function recalledLine({ ref, score, parts }: Why["recalled"][number]): string {
  const shown = Object.entries(parts ?? {}).filter(([, part]) => part !== 0);
  const detail = shown.map(([name, part]) => `${name} ${part.toFixed(2)}`).join(" + ");
  return `  recalled ${ref}  ${score.toFixed(2)}${detail === "" ? "" : ` = ${detail}`}`;
}

function attempts({ attempts: tried }: Why): string[] {
  if (tried.length < 2) return [];
  return tried.map(
    (a, i) => `  attempt ${i + 1}: ${grouped(a.tokens)} tokens, ${a.status ?? "-"}${a.error ? ` ${a.error}` : ""}`,
  );
}

function usageText({ usage: used }: Why): string {
  if (!used) return "";
  return `; upstream counted ${grouped(used.input ?? 0)} in, ${grouped(used.cached ?? 0)} of it cached, ${grouped(used.output ?? 0)} out`;
}

/** So many rows of a kind in a row are shown at each end of it. */
const ENDS = 2;

type Line = [came: string, sent: string];

function columns(items: readonly Item[], all: boolean, width: number | undefined): string[] {
  if (items.length === 0) return [];
  const lines = all ? items.map(lineOf) : folded(items);
  const half = width === undefined ? Number.POSITIVE_INFINITY : Math.max(20, Math.floor((width - 3) / 2));
  const cut = (text: string): string => (text.length > half ? clip(text, half) : text);
  const rows: Line[] = [["came", "sent"], ...lines].map(([came, sent]) => [cut(came ?? ""), cut(sent ?? "")]);
  const left = Math.max(...rows.map(([came]) => came.length));
  return ["", ...rows.map(([came, sent]) => `${came.padEnd(left)} | ${sent}`.trimEnd())];
}

function lineOf(item: Item): Line {
  const about = `${item.role} ${item.kind} ${grouped(item.tokens)}${item.text ? ` ${item.text.replaceAll("\n", " ")}` : ""}`;
  const ref = item.ref ? ` ${item.ref}` : "";
  switch (item.action) {
    case "drop":
      return [about, `- left out${ref}`];
    case "shorten":
      return [about, `~ shortened${ref}`];
    case "insert":
      return ["", `+ ${about}${ref}`];
    default:
      return [about, "="];
  }
}

function folded(items: readonly Item[]): Line[] {
  const runs: Item[][] = [];
  for (const item of items) {
    const run = runs.at(-1);
    if (run?.[0]?.action === item.action) run.push(item);
    else runs.push([item]);
  }
  return runs.flatMap((run) => {
    if (run.length <= 2 * ENDS + 1) return run.map(lineOf);
    const between = run.slice(ENDS, -ENDS);
    const tokens = between.reduce((sum, item) => sum + item.tokens, 0);
    const more = `… ${between.length} more, ${grouped(tokens)} tokens`;
    const sign = run[0]?.action === "drop" ? "- left out" : "=";
    const middle: Line = run[0]?.action === "insert" ? ["", more] : [more, sign];
    return [...run.slice(0, ENDS).map(lineOf), middle, ...run.slice(-ENDS).map(lineOf)];
  });
}
