// Who may come in, on PostgreSQL: tenants by name, their tokens by hash, and the key that all nodes share.
import { tenantTable } from "./tenant-table.ts";

export const teamPeopleSchema = `
  -- Names only: whoever needs all tenants goes from one to the next.
  CREATE TABLE tenants (name TEXT COLLATE "C" PRIMARY KEY, created_at TEXT NOT NULL);

  -- What hashes and markers are keyed with: made by the first node.
  CREATE TABLE node_secret (one INT PRIMARY KEY CHECK (one = 1), key TEXT NOT NULL);

${tenantTable({
  name: "tokens",
  columns: `
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    -- Of the secret; the secret itself is nowhere.
    hash TEXT NOT NULL,
    "user" TEXT NOT NULL,
    -- JSON lists.
    scopes TEXT NOT NULL,
    repositories TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    last_used_at TEXT,
    revoked_at TEXT`,
  key: ["id"],
  unique: ["hash"],
})}
`;
