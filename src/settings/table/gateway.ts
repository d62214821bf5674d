// Settings of the gateway's server: where it listens and who may come in.
import { type SettingRow, user } from "../row.ts";

export const gatewayRows = [
  user.text(
    "gateway.host",
    "EVERLONG_GATEWAY_HOST",
    "127.0.0.1",
    "Address the gateway listens on; anything but loopback needs gateway.allowedHosts",
    { restart: true },
  ),
  user.integer("gateway.port", "EVERLONG_GATEWAY_PORT", 4747, "Port the gateway listens on; 0 picks a free one", {
    max: 65_535,
    restart: true,
  }),
  user.list("gateway.allowedHosts", "EVERLONG_GATEWAY_ALLOWED_HOSTS", "Other host names to accept in the Host header", {
    restart: true,
  }),
  user.choice(
    "gateway.auth",
    "EVERLONG_GATEWAY_AUTH",
    ["token", "loopback-open"],
    "token",
    "Who may use /graphiti and /mcp: token, loopback-open (any caller on this machine)",
    { restart: true },
  ),
  user.choice(
    "gateway.tenancy",
    "EVERLONG_GATEWAY_TENANCY",
    ["single", "per-identity"],
    "single",
    "Whether all callers are one person: single, per-identity (always, unless on loopback)",
    { restart: true },
  ),
  user.text(
    "gateway.database",
    "EVERLONG_DATABASE_URL",
    undefined,
    "PostgreSQL of a team: postgres://USER:PASSWORD@HOST/NAME; without it the gateway keeps everything in its home",
    { secret: true, restart: true },
  ),
  user.choice(
    "team.shareSessions",
    "EVERLONG_TEAM_SHARE_SESSIONS",
    ["none", "repository"],
    "none",
    "Whose sessions members of a team find: none (their own), repository (also others' in a repository that their token covers; each member can refuse)",
    { restart: true },
  ),
  user.seconds(
    "gateway.drainSeconds",
    "EVERLONG_GATEWAY_DRAIN_SECONDS",
    10,
    "Seconds to let running streams finish when the gateway stops",
  ),
] as const satisfies readonly SettingRow[];
