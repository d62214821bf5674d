// Credentials known by their form or by what carries them: URLs, headers, cookies, commands, calls; the value is group `v`.
import { asPattern } from "../../base/text.ts";
import type { SecretSpan } from "./span.ts";
import { shapeOf } from "./value.ts";

type Form = {
  kind: string;
  /** One of these must occur, unless there are none; no one may hold another. */
  hints: readonly string[];
  pattern: RegExp;
  /** The value starts so many characters before group `v`: the rare part is looked for first. */
  back?: number;
  isSecret?: (value: string) => boolean;
};

/** A word may start here: nothing runs into it but an escape such as a literal \n or %20. */
const L = String.raw`(?<=^|[^A-Za-z0-9]|\\[nrtbfv]|%[2-7][0-9A-Fa-f])`;
const n = "[A-Za-z0-9]";
const of = (source: string, flags = ""): RegExp => new RegExp(source, `dg${flags}`);

const isLiteral = (value: string): boolean => value.length >= 4 && !/^(?:none|described)$/.test(shapeOf(value));
const unlike = (value: string): boolean =>
  value.length >= 6 && /^(?:random|mixed)$/.test(shapeOf(value)) && !/^\d+$/.test(value);
const random = (value: string): boolean => shapeOf(value) === "random";

function decoded(value: string): string {
  return Buffer.from(value, "base64").toString("latin1");
}

function isBasic(value: string): boolean {
  const pair = decoded(value);
  return /^[\x20-\x7e]+:[\x20-\x7e]*$/.test(pair) && !/^(?:user(?:name)?:pass(?:word)?|foo:bar|:)$/i.test(pair);
}

function isJwt(value: string): boolean {
  const [head = "", body = "", signature] = value.split(".");
  if (body.startsWith("eyJ")) return true;
  if (signature === undefined && (head.length < 9 || body.length < 6)) return false;
  try {
    return typeof JSON.parse(decoded(head)) === "object";
  } catch {
    return false; // the first part is no header
  }
}

function isCookie(value: string): boolean {
  return value.length >= 8 && unlike(value) && /\d/.test(value);
}

const forms: readonly Form[] = [
  {
    kind: "jwt",
    hints: ["eyJ"],
    pattern: of(`${L}(?<v>eyJ[\\w-]{4,4000}\\.[\\w-]{2,16000}(?:\\.[\\w-]{0,2000})?)`),
    isSecret: isJwt,
  },
  { kind: "telegram-token", hints: [":AA"], pattern: of(`${L}(?<v>\\d{8,10}:AA[\\w-]{30,36})(?![\\w-])`) },
  {
    kind: "discord-token",
    hints: [],
    pattern: of(`${L}(?<v>[MNO][A-Za-z\\d_-]{22,27}\\.[\\w-]{6,7}\\.[\\w-]{27,40})(?![\\w-])`),
  },
  { kind: "azure-client-secret", hints: ["Q~"], pattern: of(`(?<=${L}[\\w~.]{3}\\d)(?<v>Q~[\\w~.-]{30,36})`), back: 4 },
  { kind: "azure-sas", hints: ["sig="], pattern: of("[?&;]sig=(?<v>[A-Za-z0-9%+/_-]{36,90}(?:%3D|=){0,2})") },
  {
    kind: "azure-key",
    hints: ["APIM", "ACDb", "+ABa", "+AMC", "+ASt"],
    pattern: of(`(?<=${L}[A-Za-z0-9+/]{76})(?<v>(?:APIM|ACDb|\\+(?:ABa|AMC|ASt))[A-Za-z0-9+/]{6}==)`),
    back: 76,
  },
  { kind: "azure-key", hints: ["AzFu"], pattern: of(`(?<=${L}[\\w-]{44})(?<v>AzFu[\\w-]{6}[\\w=-]{0,3})`), back: 44 },
  { kind: "azure-devops-token", hints: ["AZDO"], pattern: of(`(?<=${L}${n}{76})(?<v>AZDO${n}{4})(?!${n})`), back: 76 },
  { kind: "newrelic-key", hints: ["NRAL"], pattern: of(`(?<=${L}[0-9a-f]{36})(?<v>NRAL)(?!${n})`), back: 36 },
  { kind: "mailchimp-key", hints: ["-us"], pattern: of(`(?<=${L}[0-9a-f]{32})(?<v>-us\\d{1,2})(?![\\w-])`), back: 32 },
  {
    kind: "mailgun-key",
    hints: [],
    pattern: of(`(?<v>-[0-9a-f]{8}-[0-9a-f]{8})(?![\\w-])(?<=${L}[0-9a-f]{32}.{18})`),
    back: 32,
  },
  {
    kind: "asana-token",
    hints: [],
    pattern: of("(?<![0-9A-Za-z/])(?<v>[012]/\\d{13,18}(?:/\\d{13,18})?:[0-9a-f]{32})(?!\\w)"),
  },
  {
    kind: "aws-secret-key",
    hints: ["AKIA"],
    pattern: of(
      "(?:AKIA|ASIA)[A-Z0-9]{16}[^\\w+/][\\s\\S]{0,120}?(?<![A-Za-z0-9/+=_-])(?<v>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=_-])",
    ),
    isSecret: (v) => /[a-z]/.test(v) && /[A-Z]/.test(v) && /\d/.test(v),
  },
  {
    kind: "url-password",
    hints: ["://"],
    pattern: of("://[^\\s\"'`<>/?#@:\\\\]{0,100}:(?!\\d{1,5}[/?#])(?<v>[^\\s\"'`<>/\\\\]{1,200})@"),
    isSecret: isLiteral,
  },
  { kind: "url-token", hints: ["://"], pattern: of("://(?<v>[\\w-]{20,200})(?::x-oauth-basic|:)?@"), isSecret: random },
  {
    kind: "bearer",
    hints: ["earer"],
    pattern: of("\\bbearer(?:\\s+|%20|\\+)(?<v>[A-Za-z0-9._~+/-]{12,4000}=*)", "i"),
    isSecret: unlike,
  },
  {
    kind: "basic-auth",
    hints: ["asic"],
    pattern: of("\\bbasic(?:\\s+|%20)(?<v>[A-Za-z0-9+/_-]{8,1000}={0,2})", "i"),
    isSecret: isBasic,
  },
  {
    kind: "authorization",
    hints: ["uth"],
    pattern: of(
      "uthorization[\"']?\\s{0,3}[:=,]\\s{0,3}[\"']?(?:token|apikey|api-key|key|sso-key|genie ?key)[ =:]{1,3}(?<v>[A-Za-z0-9._~+/:-]{8,1000}=*)",
      "i",
    ),
    isSecret: unlike,
  },
  {
    kind: "docker-auth",
    hints: ["uth"],
    pattern: of(
      "(?<![A-Za-z0-9])auth\\\\*[\"']?\\s{0,8}[:=]\\s{0,8}\\\\*[\"']?(?<v>[A-Za-z0-9+/]{8,1000}={0,2})(?![A-Za-z0-9+/=])",
    ),
    isSecret: isBasic,
  },
  {
    kind: "basic-auth",
    hints: ["uth"],
    pattern: of(
      "\\bauth\\s{0,3}[=:]\\s{0,3}[([]\\s{0,3}[\"'][^\"'\\n]{1,80}[\"']\\s{0,2},\\s{0,3}[\"'](?<v>[^\"'\\n]{4,100})[\"']",
    ),
    isSecret: isLiteral,
  },
  {
    kind: "command-password",
    hints: ["curl"],
    pattern: of(
      "\\bcurl\\b[^\\n]{0,200}?\\s(?:-u|--user|--proxy-user)[ =]{0,2}[\"']?[^\\s:\"']{1,100}:(?<v>[^\\s\"']{2,200})",
    ),
    isSecret: isLiteral,
  },
  {
    kind: "command-password",
    hints: ["sshpass", "mysql", "mariadb", "mongo", "docker", "podman", "sqlcmd", "ldap", "az login"],
    pattern: of(
      "(?<![\\w.-])(?:sshpass|mysql(?:dump|admin)?|mariadb|mongo(?:sh|dump|restore)?|docker\\s+login|podman\\s+login|sqlcmd|ldap(?:search|add|modify|whoami)|az\\s+login)\\b[^\\n|;&]{0,200}?\\s-[pPw][ =]?[\"']?(?<v>[^\\s\"'-][^\\s\"']{2,100})",
    ),
    isSecret: (v) => isLiteral(v) && !/^[\d:.]+$/.test(v) && !v.startsWith("$"),
  },
  {
    kind: "sql-password",
    hints: ["dentified", "DENTIFIED", "SET PASSWORD"],
    pattern: of(
      "(?:IDENTIFIED\\s+BY\\s+(?:PASSWORD\\s+)?[\"']|identified\\s+by\\s+'|SET\\s+PASSWORD\\s+FOR\\s[^=\\n]{1,80}=\\s{0,3}(?:PASSWORD\\()?[\"'])(?<v>[^\"'\\n]{3,100})[\"']",
    ),
    isSecret: isLiteral,
  },
  {
    kind: "command-password",
    hints: ["pass:"],
    pattern: of("\\s-pass(?:in|out)?\\s{1,2}[\"']?pass:(?<v>[^\\s\"']{3,100})"),
    isSecret: isLiteral,
  },
  {
    kind: "call-password",
    hints: ["onnect", "mysql", "PDO"],
    pattern: of(
      "(?:mysqli?_p?connect|mysqli|PDO|getConnection|pymysql\\.connect|MySQLdb\\.connect|psycopg2\\.connect|real_connect)\\(\\s*[^,()\\n]{1,200},\\s{0,40}[\"'][^\"'\\n]{0,80}[\"']\\s{0,4},\\s{0,40}[\"'](?<v>[^\"'\\n]{3,100})[\"']",
    ),
    isSecret: isLiteral,
  },
  {
    kind: "call-password",
    hints: [],
    pattern: of(
      "\\((?<=(?:[Cc]redentials?|[Bb]asic_?[Aa]uth|[Bb]asic|[Ll]ogin|[Ss]ign_?[Ii]n|[Aa]uthenticate)\\()\\s{0,20}[\"'][^\"'\\n]{1,80}[\"']\\s{0,4},\\s{0,20}[\"'](?<v>[^\"'\\n]{5,100})[\"']\\s{0,20}\\)",
    ),
    isSecret: unlike,
  },
];

const COOKIES = of(
  "\\b(?:set-)?cookie(?:\\\\*[\"']\\s{0,3},\\s{0,3}\\\\*[\"']|\\\\*[\"']?\\s{0,3}:\\s{0,3}\\\\*[\"']?)(?<v>[^\\r\\n\"'\\\\]{8,4000})",
  "i",
);
const COOKIE = of("(?:^|[;\\s])[\\w.-]{1,60}=(?<v>[^;,\\s]{8,2000})");

function groups(pattern: RegExp, text: string, seen: (start: number, end: number) => void): void {
  for (const match of text.matchAll(pattern)) {
    const place = match.indices?.groups?.["v"];
    if (place) seen(place[0], place[1]);
  }
}

const COOKIE_HINT = "ookie";
const HINTS = [...new Set([...forms.flatMap((f) => f.hints), COOKIE_HINT])];
const ANY_HINT = new RegExp(HINTS.map(asPattern).join("|"), "g");

function hintsIn(text: string): Set<string> {
  const values = new Set<string>();
  const any = new RegExp(ANY_HINT);
  for (let hint = any.exec(text); hint && values.size < HINTS.length; hint = any.exec(text)) values.add(hint[0]);
  return values;
}

export function findForms(text: string, out: SecretSpan[]): void {
  const hinted = hintsIn(text);
  for (const { kind, hints, pattern, back = 0, isSecret } of forms) {
    if (hints.length > 0 && !hints.some((hint) => hinted.has(hint))) continue;
    groups(pattern, text, (at, end) => {
      const start = at - back;
      if (!isSecret || isSecret(text.slice(start, end))) out.push({ kind, start, end });
    });
  }
  if (!hinted.has(COOKIE_HINT)) return;
  groups(COOKIES, text, (from, to) => {
    groups(COOKIE, text.slice(from, to), (start, end) => {
      if (isCookie(text.slice(from + start, from + end)))
        out.push({ kind: "cookie", start: from + start, end: from + end });
    });
  });
}
