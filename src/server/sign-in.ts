// Signing in to the dashboard: a one-time code out of the printed link becomes a cookie that stands for the token.
import { createHmac, randomBytes } from "node:crypto";
import { type CookieOptions, parse, serialize } from "hono/utils/cookie";
import { sameToken } from "./token.ts";

const CODE_MS = 10 * 60_000;
const COOKIE_MS = 12 * 3_600_000;
/** A cookie that is older than this is handed out anew when it is used. */
const RENEW_MS = 5 * 60_000;
/** A clock may have been set back a little since a cookie was made. */
const AHEAD_MS = 60_000;
/** So many codes are valid at a time; the oldest goes first. */
const MOST = 100;

const COOKIE = "everlong_session";
const COOKIE_OPTIONS: CookieOptions = { path: "/", httpOnly: true, sameSite: "Strict" };
const FORM = /^([0-9a-z]{8,9})\.([\w-]{22})\.([\w-]{43})$/;

/** Who signed out, by the id of the cookie, until it would have ended by itself. */
export type SignedOut = { has(id: string): boolean; add(id: string, until: number): void };

/** It is signed under the token: a gateway that starts again with the same one knows it, one with another does not. */
type Cookie = { id: string; at: number };

export class SignIn {
  readonly #codes = new Map<string, number>();
  readonly #token: string;
  readonly #out: SignedOut;
  readonly #now: () => number;

  /** `now` is wall time: a cookie outlives the process that made it. */
  constructor(token: string, out: SignedOut, now: () => number) {
    this.#token = token;
    this.#out = out;
    this.#now = now;
  }

  newCode(): string {
    const code = randomBytes(16).toString("base64url");
    this.#codes.set(code, this.#now() + CODE_MS);
    const oldest = this.#codes.size > MOST ? this.#codes.keys().next() : undefined;
    if (oldest && !oldest.done) this.#codes.delete(oldest.value);
    return code;
  }

  /** A `Set-Cookie` for a code that was not used before. */
  redeem(code: string): string | undefined {
    const until = this.#codes.get(code);
    this.#codes.delete(code);
    if (until === undefined || until < this.#now()) return undefined;
    return this.#header({ id: randomBytes(16).toString("base64url"), at: this.#now() });
  }

  holds(cookieHeader: string | undefined): boolean {
    return this.#read(cookieHeader) !== undefined;
  }

  /** Each use makes it last anew: a `Set-Cookie` where it is time for one. */
  renewed(cookieHeader: string | undefined): string | undefined {
    const cookie = this.#read(cookieHeader);
    return cookie && this.#now() - cookie.at > RENEW_MS ? this.#header({ ...cookie, at: this.#now() }) : undefined;
  }

  /** Copies of the cookie end with it; gives the `Set-Cookie` that removes it. */
  end(cookieHeader: string | undefined): string {
    const cookie = this.#read(cookieHeader);
    if (cookie) this.#out.add(cookie.id, this.#now() + COOKIE_MS + AHEAD_MS);
    return serialize(COOKIE, "", { ...COOKIE_OPTIONS, maxAge: 0 });
  }

  #read(header = ""): Cookie | undefined {
    const [, at = "", id = "", mark = ""] = FORM.exec(parse(header, COOKIE)[COOKIE] ?? "") ?? [];
    if (mark === "" || !sameToken(mark, this.#mark(at, id)) || this.#out.has(id)) return undefined;
    const age = this.#now() - Number.parseInt(at, 36);
    return age <= COOKIE_MS && age >= -AHEAD_MS ? { id, at: Number.parseInt(at, 36) } : undefined;
  }

  #header({ id, at }: Cookie): string {
    const time = at.toString(36);
    const value = `${time}.${id}.${this.#mark(time, id)}`;
    return serialize(COOKIE, value, { ...COOKIE_OPTIONS, maxAge: COOKIE_MS / 1000 });
  }

  #mark(at: string, id: string): string {
    return createHmac("sha256", this.#token).update(`everlong dashboard ${at} ${id}`).digest("base64url");
  }
}
