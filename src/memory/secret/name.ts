// What a name says about its value: whether it means a credential, and how sure that is.
import { remembering } from "../../base/remember.ts";

/** password: almost any literal counts. secret: it must not be a mere word. token, key: it must look random. */
export type NameClass = "password" | "secret" | "token" | "key";

/** Words behind the secret word that make the name mean something else: `token_type`, `passwordMinLength`. */
const ABOUT = new Set(
  (
    "id ids name names type types kind length len size count counts min max url uri urls path paths file files filename dir folder field fields " +
    "label labels hint placeholder policy policies regex regexp pattern rule rules format expiry expires expired expiration expire ttl timeout " +
    "algorithm alg algo hash hashed hasher hashes digest fingerprint checksum header headers param params parameter parameters prefix suffix error errors message " +
    "messages msg title text input form reset strength validator validation valid invalid required enabled disabled version status state index idx " +
    "position pos scheme schemes provider providers issuer endpoint handler store manager service factory class list map set selector attr attribute " +
    "column table link page view button screen dialog prompt help description desc info link callback method mode flow grant scope scopes " +
    "source ref reference refs env var variable variables location locator at date time created updated changed lifetime age limit limits budget usage used " +
    "bytes bits chars characters char stream parser lexer kinds names mismatch missing change changed request response result results exists exist " +
    "encoder encoding encoded decoder entity model schema config configuration settings options option controller component module package plugin helper util utils test tests spec case cases function functions info mgr registry context builder func fn ctx callback struct encode decode split strip trim replace includes index starts ends join lower upper concat slice format " +
    "py js ts mjs cjs tsx jsx json md rb go rs java php html css cpp cs txt yml yaml toml lock map exe sh log def defs"
  ).split(" "),
);
/** Words before it that do the same: `public_key`, `eos_token`, `hashed_password`. */
const OTHER = new Set(
  (
    "public pub primary foreign cache sort partition row range group map object index query lookup unique i18n translation locale react hot short " +
    "eos bos pad unk sep cls mask special stop next prev previous page continuation cursor sync cancel cancellation syntax lexer parser punctuation " +
    "design hash hashed encrypted no is has show hide toggle forgot forgotten reset change missing invalid wrong without by get fetch find " +
    "require requires generate create max min num number total count input output prompt completion reasoning cached used first last parent child " +
    "existing pull image " +
    "arrow up down left right enter escape shift ctrl alt meta tab home delete backspace modifier accelerator shortcut press keyboard"
  ).split(" "),
);
const KEY_OF_WORTH = new Set(
  (
    "api access secret private priv auth encryption encrypt signing sign signature master account shared storage client license app application consumer " +
    "service deploy session ssh jwt hmac aes rsa des cookie subscription webhook server admin account root gpg pgp tls ssl wg crypto cipher crypt security " +
    "preshared psk host stripe maps google aws azure openai gcp firebase sendgrid mailgun twilio algolia datadog"
  ).split(" "),
);
const GLUED_PASS =
  /^(?:db|my|user|usr|root|admin|ftp|smtp|mysql|sql|pg|mail|email|wifi|ssh|sudo|login|default|test|proxy|ldap|http|key|store|trust|new|old)(?:pass|pw)$/;

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);
}

function classOfWord(word: string, before: string | undefined): NameClass | undefined {
  if (/(?:pass?words?|passwd|pswd|passwrd|passw|pwd|passphrase|passcode)$/.test(word)) return "password";
  if (word === "pass" || word === "pw" || word === "psw" || GLUED_PASS.test(word)) return "password";
  if (
    /secrets?$/.test(word) ||
    /^cred(?:ential)?s?$/.test(word) ||
    /(?:api|access|secret|private|auth)keys?$/.test(word)
  )
    return "secret";
  if (/tokens?$/.test(word) || /^(?:auth|authorization|bearer|jwt|pat)$/.test(word)) return "token";
  if (word === "key" || word === "keys") return before !== undefined && KEY_OF_WORTH.has(before) ? "secret" : "key";
  return undefined;
}

/** Names come again and again. */
export const classOfName = remembering(2000, (name): NameClass | undefined => classOfWords(wordsOf(name)));

/** The class of the last secret word of a name, unless the words around it turn its meaning. */
function classOfWords(words: readonly string[]): NameClass | undefined {
  for (let i = words.length - 1; i >= 0; i--) {
    const word = words[i] ?? "";
    const before = words[i - 1];
    const wordClass = classOfWord(word, before);
    if (wordClass) return before !== undefined && OTHER.has(before) ? undefined : wordClass;
    if (ABOUT.has(word)) return undefined;
  }
  return undefined;
}
