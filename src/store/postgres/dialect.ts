// The SQL of units as PostgreSQL reads it: numbered parameters, the tenant in keys, and a few functions by their other names.

/** What has another name there, and nothing else. */
const NAMES: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bjson_group_array\(/g, "json_agg("],
  [/\bjson_array\(/g, "json_build_array("],
  [/\binstr\(/g, "strpos("],
  // A list of texts as one value.
  [/\bNOT IN \(SELECT value FROM json_each\((\?\d*)\)\)/g, "<> ALL (ARRAY(SELECT json_array_elements_text($1::json)))"],
  [/\bIN \(SELECT value FROM json_each\((\?\d*)\)\)/g, "= ANY (ARRAY(SELECT json_array_elements_text($1::json)))"],
  // A list of numbers as one value.
  [
    /\bIN \(SELECT 0 \+ value FROM json_each\((\?\d*)\)\)/g,
    "= ANY (ARRAY(SELECT json_array_elements_text($1::json))::bigint[])",
  ],
  // Lists elsewhere: after those above.
  [/\bjson_each\((\?\d*)\)/g, "json_array_elements_text($1::json)"],
  [/ INDEXED BY \w+/g, ""],
];
/** Every key of a tenant's table begins with the tenant. */
const CONFLICT = /\bON CONFLICT \((?!tenant\b)/g;

const translations = new Map<string, string>();
const MOST_TRANSLATIONS = 2000;

export function forPostgres(sql: string): string {
  const cached = translations.get(sql);
  if (cached !== undefined) return cached;
  const named = NAMES.reduce((text, [pattern, name]) => text.replace(pattern, name), sql);
  const text = numbered(named.replace(CONFLICT, "ON CONFLICT (tenant, "));
  if (translations.size >= MOST_TRANSLATIONS) translations.clear();
  translations.set(sql, text);
  return text;
}

const QUOTED_OR_PLACE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\?(\d*)/g;

/** As SQLite counts: `?3` is the third value, a bare `?` the one behind the highest so far. */
function numbered(sql: string): string {
  let highest = 0;
  return sql.replace(QUOTED_OR_PLACE, (text: string, number: string | undefined) => {
    if (!text.startsWith("?")) return text;
    const place = number ? Number(number) : highest + 1;
    highest = Math.max(highest, place);
    return `$${place}`;
  });
}
