// A line of a session's log.

export type OwnKind = "client_summary" | "cut" | "state" | "spec";
export type ProxyLogLine = {
  id: string;
  ts: string;
  /** An item's line has the `logName` of its wire. */
  kind: OwnKind | (string & {});
  text: string;
  role?: string;
  type?: string;
  hash?: string;
  ref?: string;
  lane?: number;
  by?: "proxy" | "client";
  tool?: string;
  callId?: string;
  bytes?: number;
  /** The whole text, when it is too long for a line; `text` is then empty. */
  file?: { sha256: string; bytes: number };
  /** Figures of a cut, state and way of a spec. */
  about?: Readonly<Record<string, string | number>>;
};

export const isEvent = (value: Record<string, unknown>): boolean =>
  typeof value["id"] === "string" && typeof value["kind"] === "string" && typeof value["ts"] === "string";
