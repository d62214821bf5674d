// Made-up tokens of every provider, for tests: their form is right, their value is drawn anew for each seed.
export type Draw = {
  from: (alphabet: string, length: number) => string;
  alnum: (length: number) => string;
  hex: (length: number) => string;
  pick: <T>(list: readonly T[]) => T;
  below: (limit: number) => number;
};

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGIT = "0123456789";
export const B64 = `${UPPER}${LOWER}${DIGIT}+/`;
const URL64 = `${UPPER}${LOWER}${DIGIT}-_`;

/** A small generator (mulberry32), so that a seed names its case for ever. */
export function draw(seed: number): Draw {
  let state = seed * 2654435761;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * limit);
  };
  const from = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet[below(alphabet.length)]).join("");
  const alnum = (length: number): string => from(UPPER + LOWER + DIGIT, length);
  const hex = (length: number): string => from(`${DIGIT}abcdef`, length);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  return { from, alnum, hex, pick, below };
}

const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export function sampleJwt(d: Draw): string {
  const body = { sub: d.from(DIGIT, 10), name: d.alnum(8), iat: 1516239022 };
  return `${json({ alg: "HS256", typ: "JWT" })}.${json(body)}.${d.from(URL64, 43)}`;
}

/** Kind of the filter to a token of that kind; several forms of one kind stand as kind/form. */
export function sampleTokens(d: Draw): Record<string, string> {
  const { alnum, hex, from } = d;
  const url = (length: number): string => from(URL64, length);
  const caps = (length: number): string => from(UPPER + DIGIT, length);
  const uuid = (): string => [8, 4, 4, 4, 12].map(hex).join("-");
  return {
    "aws-key-id": `AK${"IA"}${caps(16)}`,
    "aws-key-id/temporary": `AS${"IA"}${caps(16)}`,
    "github-token": `gh${"p_"}${alnum(36)}`,
    "github-token/oauth": `gh${"o_"}${alnum(36)}`,
    "github-token/app": `gh${"s_"}${alnum(36)}`,
    "github-token/fine": `github_${"pat_"}${alnum(22)}_${alnum(59)}`,
    "gitlab-token": `glp${"at-"}${url(20)}`,
    "gitlab-token/runner": `GR13${"48941"}${url(20)}`,
    "anthropic-key": `sk-${"ant-"}api03-${url(93)}AA`,
    "openai-key": `sk-${alnum(20)}T3BlbkFJ${alnum(20)}`,
    "openai-key/project": `sk-${"proj-"}${url(120)}`,
    "openrouter-key": `sk-${"or-"}v1-${hex(64)}`,
    "google-key": `AI${"za"}Sy${url(33)}`,
    "google-oauth": `ya${"29."}a0${url(120)}`,
    "google-client-secret": `GOC${"SPX-"}${url(28)}`,
    "google-refresh-token": `1/${"/0"}g${url(60)}`,
    "slack-token": `xo${"xb-"}${from(DIGIT, 12)}-${from(DIGIT, 12)}-${alnum(24)}`,
    "slack-token/app": `xa${"pp-"}1-${caps(11)}-${from(DIGIT, 13)}-${hex(64)}`,
    "slack-webhook": `hooks.slack.${"com/"}services/T${caps(8)}/B${caps(8)}/${alnum(24)}`,
    "stripe-key": `sk_${"live_"}${alnum(24)}`,
    "stripe-key/restricted": `rk_${"test_"}${alnum(99)}`,
    "webhook-secret": `wh${"sec_"}${alnum(32)}`,
    "twilio-key": `S${"K"}${hex(32)}`,
    "sendgrid-key": `S${"G."}${url(22)}.${url(43)}`,
    "mailgun-key": `ke${"y-"}${hex(32)}`,
    "mailgun-key/new": `${hex(32)}-${hex(8)}-${hex(8)}`,
    "mailchimp-key": `${hex(32)}-us${1 + d.below(20)}`,
    "brevo-key": `xkey${"sib-"}${hex(64)}-${alnum(16)}`,
    "npm-token": `np${"m_"}${alnum(36)}`,
    "pypi-token": `pyp${"i-"}AgEIcHlwaS5vcmc${url(70)}`,
    "rubygems-key": `ruby${"gems_"}${hex(48)}`,
    "huggingface-token": `h${"f_"}${alnum(34)}`,
    "replicate-token": `r${"8_"}${alnum(37)}`,
    "groq-key": `gs${"k_"}${alnum(52)}`,
    "digitalocean-token": `dop${"_v1_"}${hex(64)}`,
    "cloudflare-key": `v1${".0-"}${hex(24)}-${hex(146)}`,
    "discord-token": `M${alnum(25)}.${alnum(6)}.${url(38)}`,
    "discord-webhook": `discord.${"com/api/"}webhooks/${from(DIGIT, 18)}/${url(68)}`,
    "telegram-token": `${1 + d.below(9)}${from(DIGIT, 9)}:A${"A"}${url(33)}`,
    "shopify-token": `shp${"at_"}${hex(32)}`,
    "square-token": `sq0${"atp-"}${url(22)}`,
    "atlassian-token": `ATA${"TT3"}xFfGF0${url(180)}`,
    "atlassian-token/app": `AT${"BB"}${alnum(32)}`,
    "linear-key": `lin_${"api_"}${alnum(40)}`,
    "notion-token": `nt${"n_"}${alnum(46)}`,
    "notion-token/old": `secr${"et_"}${alnum(43)}`,
    "vault-token": `hv${"s."}${url(90)}`,
    "databricks-token": `da${"pi"}${hex(32)}`,
    "newrelic-key": `NR${"AK-"}${caps(27)}`,
    "newrelic-key/license": `${hex(36)}NR${"AL"}`,
    "sentry-token": `snt${"rys_"}${from(B64, 80)}_${alnum(43)}`,
    "sentry-token/user": `snt${"ryu_"}${hex(64)}`,
    "tailscale-key": `ts${"key-"}auth-${alnum(12)}CNTRL-${alnum(32)}`,
    "age-key": `AGE-SECRET-${"KEY-1"}${from("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)}`,
    "docker-token": `dckr_${"pat_"}${url(27)}`,
    "doppler-token": `dp.${"pt."}${alnum(43)}`,
    "figma-token": `fi${"gd_"}${url(40)}`,
    "grafana-token": `gl${"sa_"}${alnum(32)}_${hex(8)}`,
    "heroku-key": `HR${"KU-"}${uuid()}`,
    "launchdarkly-key": `sd${"k-"}${uuid()}`,
    "netlify-token": `nf${"p_"}${alnum(40)}`,
    "planetscale-token": `pscale_${"tkn_"}${url(43)}`,
    "postman-key": `PM${"AK-"}${hex(24)}-${hex(34)}`,
    "pulumi-token": `pu${"l-"}${hex(40)}`,
    "sonar-token": `sq${"u_"}${hex(40)}`,
    "supabase-key": `sb${"p_"}${hex(40)}`,
    "circleci-token": `CCI${"PAT_"}${alnum(22)}_${hex(40)}`,
    "dynatrace-token": `dt0${"c01."}${caps(24)}.${caps(64)}`,
    "artifactory-key": `AK${"Cp"}${alnum(69)}`,
    "airtable-token": `pa${"t"}${alnum(14)}.${hex(64)}`,
    "alibaba-key-id": `LT${"AI"}${alnum(20)}`,
    "azure-client-secret": `${alnum(3)}8Q${"~"}${url(34)}`,
    "azure-devops-token": `${alnum(76)}AZ${"DO"}${alnum(4)}`,
    "azure-key": `${from(B64, 76)}+A${"St"}${from(B64, 6)}==`,
    jwt: sampleJwt(d),
  };
}

/** Private keys as they are stored: one for each kind of block. */
export function sampleKeys(d: Draw): Record<string, string> {
  const body = (lines: number): string => Array.from({ length: lines }, () => from64(64)).join("\n");
  const from64 = (length: number): string => d.from(B64, length);
  const block = (name: string, text: string): string => `-----BEGIN ${name}-----\n${text}\n-----END ${name}-----`;
  const P = `PRIVATE ${"KEY"}`;
  return {
    rsa: block(`RSA ${P}`, `MIIEpAIBAAKCAQEA${from64(48)}\n${body(24)}`),
    pkcs8: block(P, `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${from64(32)}\n${body(24)}`),
    ec: block(`EC ${P}`, `MHcCAQEEI${from64(55)}\n${from64(40)}==`),
    dsa: block(`DSA ${P}`, body(10)),
    openssh: block(`OPENSSH ${P}`, `b3BlbnNzaC1rZXktdjEAAAAA${from64(40)}\n${body(5)}`),
    encrypted: block(`ENCRYPTED ${P}`, body(28)),
    legacy: block(
      `RSA ${P}`,
      `Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${d.hex(32).toUpperCase()}\n\n${body(20)}`,
    ),
    pgp: block(`PGP ${P} BLOCK`, `Version: GnuPG v2\n\nlQOYBF${from64(58)}\n${body(20)}\n=${from64(4)}`),
    putty: `PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: me\nPublic-Lines: 2\n${body(2)}\nPrivate-Lines: 4\n${body(4)}\nPrivate-MAC: ${d.hex(64)}`,
  };
}
