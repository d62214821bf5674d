// One credential of every kind that the secret filter knows. None is real; none stands here as it would be found.
const part = (length: number, seed: string): string => seed.repeat(length).slice(0, length);

export const plantedSecrets: Record<string, string> = {
  "aws-key-id": `AK${"IA"}${part(16, "Q7ZX2")}`,
  "github-token": `gh${"p_"}${part(36, "a1B2c3")}`,
  "github-fine": `github_${"pat_"}${part(40, "Zy9x8")}`,
  "gitlab-token": `glp${"at-"}${part(20, "k3J_")}`,
  "anthropic-key": `sk-${"ant-"}api03-${part(40, "x9Yz")}`,
  "openai-key": `sk-${"proj-"}${part(30, "Ab3d")}`,
  "google-key": `AI${"za"}${part(35, "b7C-")}`,
  "google-oauth": `ya${"29."}${part(30, "t5Rq")}`,
  "slack-token": `xo${"xb-"}123456789012-${part(12, "fGh")}`,
  "slack-webhook": `https://hooks.slack.${"com/services/"}T0/B0/${part(24, "wX1")}`,
  "stripe-key": `sk_${"live_"}${part(24, "m4N")}`,
  "sendgrid-key": `S${"G."}${part(22, "p0Q")}.${part(32, "r8S")}`,
  "npm-token": `np${"m_"}${part(36, "u2V")}`,
  "pypi-token": `pyp${"i-"}${part(60, "e6F")}`,
  "huggingface-token": `h${"f_"}${part(34, "g9H")}`,
  jwt: `eyJ${part(20, "a0b1")}.eyJ${part(40, "c2d3")}.${part(30, "e4f5")}`,
};

/** The secret parts of what shows only around them what they are: text to plant, and what must not be found. */
export const plantedInContext: { text: string; secret: string }[] = [
  { text: "postgres://app:hunter2secret@db.example/x", secret: "hunter2secret" },
  { text: 'db_password = "correct-horse-battery"', secret: "correct-horse-battery" },
  { text: "authorization: Bearer abcdefghij0123456789klmn", secret: "abcdefghij0123456789klmn" },
  {
    text: `-----BEGIN RSA ${"PRIVATE KEY"}-----\nMIIEpAIBAAKCAQEAplanted\n-----END RSA ${"PRIVATE KEY"}-----`,
    secret: "MIIEpAIBAAKCAQEAplanted",
  },
];

export const configuredKey = "configured-key-of-no-known-form-4711";
export const allSecrets: string[] = [
  ...Object.values(plantedSecrets),
  ...plantedInContext.map((p) => p.secret),
  configuredKey,
];
export const plantedText: string = [...Object.values(plantedSecrets), ...plantedInContext.map((p) => p.text)].join(
  "\n",
);
