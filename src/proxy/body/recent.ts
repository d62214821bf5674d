// Bodies that came lately: one that begins with the bytes of an earlier one is read from where they part.
import { isUtf8 } from "node:buffer";
import { isRecord, parseJson } from "../../base/json.ts";
import { ok, type Result } from "../../base/result.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";
import type { Headers, ScannedBody } from "../contract.ts";
import { CLIENT_HEADERS, OWN_SESSION_HEADERS } from "../identify/session-key.ts";
import { commonPrefix } from "./common-prefix.ts";
import { CLOSE_LIST, CLOSE_OBJECT, eachNext, memberAt, skipSpace, skipValue } from "./json-bytes.ts";
import { type BodyScan, MAX_DEPTH, scanWhole, textOf } from "./scan.ts";

/** Reading a smaller one anew costs less than keeping it. */
const LEAST_BYTES = 16 * 1024;
/** All lanes together hold at most this much, with all that is made of them. */
const MOST_BYTES = 40 * 1024 * 1024;
/** Small objects for each item, whatever its length: its value, its place, and what was found out about it. */
const WEIGHT_OF_ITEM = 900;
/** A client without a header for its session has several going on. */
const MOST_OF_ONE = 8;

/** Headers that tell conversations apart; which of them are there depends on the client. */
const TELLING = [
  "authorization",
  "x-api-key",
  "x-goog-api-key",
  "user-agent",
  ...OWN_SESSION_HEADERS,
  "x-session-id",
  ...CLIENT_HEADERS,
];

/** Whoever sends the same bytes gets the same value: what is shared tells nobody anything. Values must not be changed. */
export class RecentBodies {
  /** By what their headers say, the newest last; the oldest key first. */
  readonly #byCaller = new Map<string, BodyScan[]>();
  readonly #most: number;
  #weight = 0;
  /** Bytes that were looked at, for a look from outside. */
  scanned = 0;

  constructor(options: { most?: number } = {}) {
    this.#most = options.most ?? MOST_BYTES;
  }

  /** About how much memory is held by what is kept. */
  get weight(): number {
    return this.#weight;
  }

  scan(bytes: Buffer, wire: WireName, headers: Headers): Result<ScannedBody, "unparsable"> {
    if (bytes.length < LEAST_BYTES) {
      this.scanned += bytes.length;
      const small = scanWhole(bytes, wire);
      return small.ok ? ok(small.value.body) : small;
    }
    const caller = [wire, ...TELLING.map((name) => headers[name] ?? "")].join("\n");
    const earlier = this.#byCaller.get(caller) ?? [];
    const nearest = nearestTo(bytes, earlier);
    const further = nearest && goneOn(bytes, nearest.scan, nearest.common);
    const scan = further ? ok(further.scan) : scanWhole(bytes, wire);
    this.scanned += further ? bytes.length - further.from : bytes.length;
    if (!scan.ok) return scan;
    // What goes on from an earlier one stands for it; a fork leaves it as it is.
    const isNext = nearest && further && nearest.common > nearest.scan.body.bytes.length / 2;
    this.#keep(caller, isNext ? earlier.filter((one) => one !== nearest.scan) : earlier, scan.value);
    return ok(scan.value.body);
  }

  #keep(caller: string, earlier: readonly BodyScan[], scan: BodyScan): void {
    this.#drop(caller);
    const scans = [...earlier, scan].slice(-MOST_OF_ONE);
    this.#byCaller.set(caller, scans);
    for (const { body } of scans) this.#weight += weightOf(body);
    for (const oldest of this.#byCaller.keys()) {
      if (this.weight <= this.#most) break;
      this.#drop(oldest);
    }
  }

  #drop(caller: string): void {
    for (const { body } of this.#byCaller.get(caller) ?? []) this.#weight -= weightOf(body);
    this.#byCaller.delete(caller);
  }
}

/** The bytes as they came, the texts that were read from them, and the small objects. */
const weightOf = ({ bytes, items }: ScannedBody): number =>
  bytes.buffer.byteLength + bytes.length + items.length * WEIGHT_OF_ITEM;

function nearestTo(bytes: Buffer, scans: readonly BodyScan[]): { scan: BodyScan; common: number } | undefined {
  let nearest: { scan: BodyScan; common: number } | undefined;
  for (const scan of scans) {
    const common = commonPrefix(scan.body.bytes, bytes);
    if (common > (nearest?.common ?? 0)) nearest = { scan, common };
  }
  return nearest;
}

/** Undefined: nothing of it helps, or the rest is odd; then the whole is read, and that says what is wrong. */
function goneOn(bytes: Buffer, earlier: BodyScan, common: number): { scan: BodyScan; from: number } | undefined {
  const { body, trail } = earlier;
  const { wire } = body;
  const key = wireOf(wire).history.key;
  const history = body.value[key];
  const count = body.items.findLastIndex(({ end }) => end <= common) + 1;
  const from = body.items[count - 1]?.end;
  if (from === undefined || !Array.isArray(history) || !isUtf8(bytes.subarray(from))) return undefined;
  const items = body.items.slice(0, count);
  const left = trail.left.slice(0, count);
  const values: unknown[] = history.slice(0, count);
  const inList = { depth: MAX_DEPTH - 2, members: left[count - 1] ?? 0 };
  const end = eachNext(bytes, from, CLOSE_LIST, inList, (start, inside) => {
    const valueEnd = skipValue(bytes, start, inside);
    if (valueEnd === undefined) return undefined;
    const parsed = parseJson(textOf(bytes.subarray(start, valueEnd)));
    if (!parsed.ok || !isRecord(parsed.value)) return undefined;
    items.push({ start, end: valueEnd });
    left.push(inside.members);
    values.push(parsed.value);
    return valueEnd;
  });
  const rest = end === undefined ? undefined : besides(bytes, end, earlier, inList.members, key);
  if (end === undefined || !rest) return undefined;
  const value: Record<string, unknown> = Object.assign(Object.create(null), rest.value);
  value[key] = values;
  const next: ScannedBody = {
    ...{ bytes, value, wire, items, around: rest.around },
    history: { start: body.history.start, end },
  };
  return { scan: { body: next, trail: { left, leftAtEnd: rest.left, names: trail.names } }, from };
}

type Besides = { value: Readonly<Record<string, unknown>>; around: object; left: number };

/** All but the history: as it was when its bytes are the same, else read anew. */
function besides(bytes: Buffer, end: number, earlier: BodyScan, members: number, key: string): Besides | undefined {
  const { body, trail } = earlier;
  const cost = (trail.left.at(-1) ?? 0) - trail.leftAtEnd;
  if (bytes.subarray(end).equals(body.bytes.subarray(body.history.end)))
    return members < cost ? undefined : { value: body.value, around: body.around, left: members - cost };
  const names = [...trail.names, key];
  const inside = { depth: MAX_DEPTH - 1, members };
  const close = eachNext(bytes, end, CLOSE_OBJECT, inside, (start) => {
    const member = memberAt(bytes, start, (_key, at) => skipValue(bytes, at, inside));
    if (member) names.push(member.key);
    return member?.value.end;
  });
  if (close === undefined || skipSpace(bytes, close) !== bytes.length || new Set(names).size !== names.length)
    return undefined;
  const before = bytes.subarray(0, body.history.start);
  const parsed = parseJson(`${textOf(before)}[]${textOf(bytes.subarray(end))}`);
  return parsed.ok && isRecord(parsed.value) ? { value: parsed.value, around: {}, left: inside.members } : undefined;
}
