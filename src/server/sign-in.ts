// Signing in to the dashboard: a one-time code out of the printed link becomes a cookie that stands for the token.
import { randomBytes } from "node:crypto";
import { type CookieOptions, parse } from "hono/utils/cookie";

const CODE_MS = 10 * 60_000;
const COOKIE_MS = 12 * 3_600_000;
/** So many codes, and so many cookies, are valid at a time; the oldest goes first. */
const MOST = 100;

export const COOKIE = "everlong_session";
export const COOKIE_OPTIONS: CookieOptions = {
  path: "/",
  httpOnly: true,
  sameSite: "Strict",
  maxAge: COOKIE_MS / 1000,
};

/** It lives as long as its process, so a restarted gateway knows no cookie of the one before. */
export class SignIn {
  readonly #codes = new Map<string, number>();
  readonly #cookies = new Map<string, number>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  newCode(): string {
    return this.#remember(this.#codes, randomBytes(16).toString("base64url"), CODE_MS);
  }

  /** A cookie for a code that was not used before. */
  redeem(code: string): string | undefined {
    const until = this.#codes.get(code);
    this.#codes.delete(code);
    if (until === undefined || until < this.#monotonic()) return undefined;
    return this.#remember(this.#cookies, randomBytes(32).toString("base64url"), COOKIE_MS);
  }

  /** Each use makes it last anew. */
  holds(cookieHeader: string | undefined): boolean {
    const cookie = cookieOf(cookieHeader);
    const until = cookie === undefined ? undefined : this.#cookies.get(cookie);
    if (cookie === undefined || until === undefined) return false;
    this.#cookies.delete(cookie);
    if (until < this.#monotonic()) return false;
    this.#remember(this.#cookies, cookie, COOKIE_MS);
    return true;
  }

  end(cookieHeader: string | undefined): void {
    this.#cookies.delete(cookieOf(cookieHeader) ?? "");
  }

  #remember(where: Map<string, number>, secret: string, ms: number): string {
    where.set(secret, this.#monotonic() + ms);
    const oldest = where.size > MOST ? where.keys().next() : undefined;
    if (oldest && !oldest.done) where.delete(oldest.value);
    return secret;
  }
}

const cookieOf = (header = ""): string | undefined => parse(header, COOKIE)[COOKIE];
