// Where an agent is sent: the gateway's address, with the upstream named where the user has chosen another than the usual.
import { fail, ok, type Result } from "../../base/result.ts";
import {
  type AgentRow,
  type Base,
  type LaunchRequest,
  type Refusal,
  refusal,
  set,
  type Upstream,
  type User,
  type Vendor,
} from "./row.ts";

/** The address of the gateway for this vendor, without a version: `U/run/TOKEN`, with `/up/NAME` where that is needed. */
export function rootFor(
  request: Pick<LaunchRequest, "gateway" | "run">,
  vendor: Vendor,
  own: string | undefined,
): string {
  const { gateway, run } = request;
  const { address } = gateway;
  return bareRootFor(
    { gateway: { ...gateway, address: run === undefined ? address : `${address}/run/${run}` } },
    vendor,
    own,
  );
}

/** The same without the token, for an agent that takes its address as an argument, which everybody can read. */
export function bareRootFor(
  { gateway }: Pick<LaunchRequest, "gateway">,
  vendor: Vendor,
  own: string | undefined,
): string {
  const name = upstreamFor(gateway, vendor, own)?.name ?? vendor;
  return name === vendor ? gateway.address : `${gateway.address}/up/${name}`;
}

/** Undefined: this gateway does not lead there. No choice of the user's, or the gateway itself, is the vendor's usual one. */
export function upstreamFor(
  { address, upstreams }: Pick<LaunchRequest["gateway"], "address" | "upstreams">,
  vendor: Vendor,
  own: string | undefined,
): Upstream | undefined {
  const usual = upstreams.find(({ name }) => name === vendor);
  if (own === undefined || sameBase(vendor, own, address)) return usual;
  return [usual, ...upstreams].find((address) => address && sameBase(vendor, address.url, own));
}

/** The same place, as each vendor's SDK joins its base URL and its paths. */
function sameBase(vendor: Vendor, a: string, b: string): boolean {
  return plain(vendor, a) === plain(vendor, b);
}

function plain(vendor: Vendor, text: string): string {
  const url = URL.parse(text.trim());
  if (!url) return text;
  const path = url.pathname.replace(/\/+$/, "");
  const host = url.host.replace(/^(?:localhost|\[::1\])(?=:|$)/, "127.0.0.1");
  return `${url.protocol}//${host}${vendor === "openai" ? path || "/v1" : path.replace(/\/v1(?:beta)?$/, "")}`;
}

/** Base URLs that stand in variables. */
export const basesIn =
  (variables: Readonly<Partial<Record<Vendor, string>>>): NonNullable<AgentRow["bases"]> =>
  ({ env }: User): Result<readonly Base[], Refusal> => {
    const bases: Base[] = [];
    for (const [vendor, name] of Object.entries(variables) as [Vendor, string][]) {
      const url = set(env, name);
      if (url === undefined) continue;
      if (!usable(url)) return fail(badBase(name));
      bases.push({ name: vendor, vendor, url });
    }
    return ok(bases);
  };

export function usable(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
}

export const badBase = (where: string): Refusal =>
  refusal(
    "base_url",
    `${where} is no address the gateway can forward to: use http or https, without user, password, query or fragment.`,
    "Fix it, or unset it to use the vendor's own.",
  );
