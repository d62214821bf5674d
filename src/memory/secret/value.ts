// Judges a literal: a placeholder, a reference or plain data on one side, a credential on the other.
import { letterRuns, wordLikeness } from "./words.ts";

/** none: certainly no credential. described: names one. plain: a mere word. mixed: made by a person. random: by a machine. */
type ValueShape = "none" | "described" | "plain" | "mixed" | "random";

/** Written where a value will be or was: `${X}`, `{{x}}`, `<token>`, `%s`, `env.X`, `vault:…`. */
const REFERENCE =
  /^\$[A-Za-z_][\w.]*$|\$[{(]|\{\{|\}\}|<%|#\{|^#.*#$|%[({]|%[sdvrq](?![A-Za-z0-9])|^%\w+%$|^%~|^\{[^{}]*\}$|^@[\w.]+@?$|^__\w+__$|^:[a-z_]\w*$|[<>]|^\[.*\]$|process\.env|environ\b|getenv|\benv\.|^ENV\b|^(?:vault|ssm|arn|op|file|env|secret|ref|sops|kms|gcp|aws|awssm|projects)[:/]|secretsmanager|^!(?:vault|secret|ref|sub|getatt|env|encrypted|reference)\b|^ENC[([]|^\{cipher\}|\[redacted:|^ref\+/i;

const PLACEHOLDER =
  /your|change|replace|example|sample|dummy|placeholder|insert|todo|fixme|redact|hidden|masked|removed|omitted|x{3,}|\*{2,}|\.{3}|…|•|_here|here_|-here|fill|fake|mock|lorem|undefined|not[-_ ]?set|unset|unused|goes|deadbeef|cafebabe|^n\/?a$|^tbd$|^(?:some|any|my|the|an?|sua|seu|tu|votre|ihr|dein)[-_ ]/i;

/** A plain word that stands in the place of a value without being one. */
const STOP = new Set(
  (
    "string str text varchar char number int integer bool boolean any object required optional unknown never void bytes none null nil true false undefined empty default " +
    "basic bearer digest oauth oauth2 jwt cookie session header query body form json base64 hex plain plaintext utf8 utf16 ascii latin1 iso88591 sha1 sha256 sha384 sha512 md5 hs256 rs256 es256 aes256 base32 x509 http2 yes auto manual always prompt ask stdin env file keyring keychain vault " +
    "invalid valid missing wrong incorrect expired error success failed disabled enabled username user email login name value data input output field label type " +
    "passwort kennwort senha wachtwoord contrasena heslo haslo salasana lozinka parola losenord adgangskode passord jelszo sandi passe clave " +
    "public private internal external static dynamic readonly deprecated inherit initial normal custom system local global token secret key pass pwd auth credential credentials this self files compat db sameorigin include omit"
  ).split(" "),
);

/** Data that is known by its form: URL, path, file, address, hash with its name, public key, date, version, pattern, code. */
const DATA =
  /^[a-z][a-z0-9+.-]*:\/\/|^(?:\.{0,2}|~)\/[\w.@-]|^[A-Za-z]:\\|^\/|^data:|^(?:sha\d+|md5|crc32|blake\w+)[-:=_]|^\$(?:2[abxy]?|argon2\w*|[156]|pbkdf2[\w-]*|scrypt|apr1|y)\$|^ssh-|^AAAA[BCE]|^(?:MFkw|MIIBI|MIICI|MIGf|MCow|MHYw|MIID|MIIF)|^ecdsa-|-----BEGIN|^\d{4}-\d\d-\d\d|^v?\d+(?:\.\d+)+[\w.-]*$|^#[0-9a-fA-F]{3,8}$|^0x[0-9a-fA-F]+$|^[\w.+-]+@[\w-]+\.[a-z.]+$|\.(?:json|[cm]?[jt]sx?|pem|key|crt|cer|p12|pfx|jks|ya?ml|toml|ini|env|txt|md|html?|css|xml|py|rb|go|rs|java|php|sh|sql|conf|cfg|log|csv|png|svg|jpe?g|pub|asc|gpg|lock|exe|com|org|net|io|dev|local)$|^\^|\\[dwsSbxu.]|\.[*+]|\[[a-zA-Z]-[zZ]|[{}]|^[#.]?[a-z-]+[[:]|^[\w.$]+\(.*\)$|\w\(\)|\(\?[=:!<]|^--?[a-z]|:$|^[,:;=|&?]|=>|&&|\|\||, |^\w+::\w|^[.+&].*[.+&]$|(?:^|\|)(?:required|nullable|sometimes|confirmed|min:|max:|string\|)/i;

const UUID = /^\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$/i;
export const isUuid = (value: string): boolean => UUID.test(value);

const SECRET_WORD =
  /[Pp]ass[Ww]|PASSW|[Pp]assphrase|[Pp]asscode|[Ss]ecret|SECRET|[Tt]oken|TOKEN|[Aa]pi[Kk]ey|[Cc]redential|[Ss]enha|[Cc]ontrase|[Pp]asswort|(?:^|[-_. ])(?:pass|keys?|pwd|auth|PASS|KEY|PWD|AUTH)(?![a-z])|(?:Pass|Keys?|Pwd|Auth)(?![a-z])/;
const SECRET_SEGMENT = /(?:^|[-_./])(?:key|token|secret|password|passwd|pwd|pass|auth|credentials?)(?:$|[-_./])/i;
const RISING = "01234567890123456789abcdefghijklmnopqrstuvwxyzabcdef";

/** One letter again and again, or counted up: 00000000, abcdefgh, 0123456789abcdef. */
function isMonotone(value: string): boolean {
  const low = value.toLowerCase().replace(/[-_]/g, "");
  if (new Set(low).size <= Math.min(3, low.length / 4)) return true;
  return low.length >= 8 && (RISING.includes(low) || RISING.includes(low.slice(0, Math.ceil(low.length * 0.7))));
}

/** How many letters stand in runs that read like words. */
export function wordShare(value: string): number {
  let letters = 0;
  let inWords = 0;
  for (const run of letterRuns(value)) {
    letters += run.length;
    if (run.length >= 3 && wordLikeness(run) >= 4) inWords += run.length;
  }
  return letters === 0 ? 0 : inWords / letters;
}

function changes(value: string): number {
  let count = 0;
  for (let i = 1; i < value.length; i++) if (kindAt(value, i) !== kindAt(value, i - 1)) count++;
  return count;
}

function kindAt(value: string, i: number): number {
  const c = value.charCodeAt(i);
  if (c >= 48 && c <= 57) return 0;
  if (c >= 97 && c <= 122) return 1;
  if (c >= 65 && c <= 90) return 2;
  return 3;
}

function isRandom(value: string): boolean {
  if (value.length < 8 || isMonotone(value) || SECRET_SEGMENT.test(value)) return false;
  const distinct = new Set(value).size;
  if (/^[0-9a-f]+$/i.test(value) && /\d/.test(value) && /[a-f]/i.test(value))
    return value.length >= 10 && distinct >= 6;
  if (!/[A-Za-z]/.test(value) || distinct < Math.min(8, value.length * 0.6)) return false;
  if (/^[a-z]+$|^[A-Z]+$/.test(value)) return value.length >= 10 && wordLikeness(value) < 4;
  const share = wordShare(value);
  const digits = value.replace(/\D/g, "").length;
  if (digits === 0) return value.length >= 16 && share < 0.4 && changes(value) >= value.length / 5;
  return share < 0.5 && changes(value) >= Math.max(3, value.length / 8);
}

/** A password or a secret by its own account, as people write them in tests: strongpassword, super-secret-key. */
const BOASTS =
  /^(?:test|strong|secure|super|top|very|wrong|bad|good|admin|root|weak|plain|hello|secret|valid|simple|db|my)[-_]?(?:password|passwd|pass|pwd|secret)(?![a-z]*name)/i;

/** It says itself what it is, so it is a name and not a value: client-secret-1, test_token. */
export const isDescribed = (value: string): boolean => SECRET_WORD.test(value) && !BOASTS.test(value);

export function shapeOf(value: string): ValueShape {
  if (/[^\x21-\x7e]/.test(value) || REFERENCE.test(value) || DATA.test(value)) return "none";
  if (STOP.has(value.toLowerCase().replace(/[^a-z0-9]/g, "")) || new Set(value).size === 1) return "none";
  const random = isRandom(value) || (isUuid(value) && !isMonotone(value));
  if (PLACEHOLDER.test(value) && !(random && value.length >= 24 && wordShare(value) < 0.4)) return "none";
  if (random) return "random";
  if (/^[A-Za-z]+$/.test(value)) {
    if (/^[A-Z]{1,7}$|^[A-Z][a-z]+$/.test(value)) return "none";
    return isDescribed(value) ? "described" : "plain";
  }
  const words = /^[A-Za-z_.:/ -]+$/.test(value);
  if (words && (/[.:/]|[_-]$/.test(value) || /^[A-Z_]+$/.test(value))) return "none";
  if (words && isDescribed(value)) return "described";
  return isDescribed(value) && !/\d{2}|[^\w.-]/.test(value) ? "plain" : "mixed";
}
