// The form of every table that belongs to tenants: whose a row is comes from the transaction, and row-level security holds it.

type TenantTable = {
  name: string;
  /** As in CREATE TABLE; `TEXT` compares byte by byte, as SQLite does. */
  columns: string;
  /** The tenant stands before them. */
  key: readonly string[];
  /** A column that stands in the index of the key beside it. */
  include?: string;
  /** Further keys and indexes: the tenant stands before these too. */
  unique?: readonly string[];
  indexes?: Readonly<Record<string, string | { columns: string; where: string }>>;
  /** Rows of another table that these belong to, by their columns: they go with it. */
  of?: { columns: string; table: string; key: string };
};

export function tenantTable({ name, columns, key, include, unique = [], indexes = {}, of }: TenantTable): string {
  return `
  CREATE TABLE ${name} (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT current_setting('everlong.tenant'),
    ${columns.replace(/\bTEXT\b/g, 'TEXT COLLATE "C"').trim()},
    PRIMARY KEY (tenant, ${key.join(", ")})${include === undefined ? "" : ` INCLUDE (${include})`}
    ${unique.map((names) => `, UNIQUE (tenant, ${names})`).join("")}
    ${of ? `, FOREIGN KEY (tenant, ${of.columns}) REFERENCES ${of.table} (tenant, ${of.key}) ON DELETE CASCADE` : ""}
  );
  ${Object.entries(indexes)
    .map(([index, on]) => {
      const { columns: names, where } = typeof on === "string" ? { columns: on, where: undefined } : on;
      return `CREATE INDEX ${index} ON ${name} (tenant, ${names})${where === undefined ? "" : ` WHERE ${where}`};`;
    })
    .join("\n  ")}
  ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;
  ALTER TABLE ${name} FORCE ROW LEVEL SECURITY;
  CREATE POLICY ${name}_tenant ON ${name} USING (${OF_TENANT}) WITH CHECK (${OF_TENANT});
`;
}

/** After its first transaction a connection knows the setting as an empty text, which is nobody. */
const OF_TENANT = "tenant = nullif(current_setting('everlong.tenant', true), '')";

/** Tables that were made before a statement outside of transactions was told apart. */
export const tenantPolicies = `
  DO $$
  DECLARE made RECORD;
  BEGIN
    FOR made IN SELECT tablename, policyname FROM pg_policies WHERE schemaname = 'everlong' LOOP
      EXECUTE format($policy$ALTER POLICY %I ON %I USING (${OF_TENANT}) WITH CHECK (${OF_TENANT})$policy$, made.policyname, made.tablename);
    END LOOP;
  END $$;
`;
