// One credential of every kind that the secret filter has samples of. None is real; none stands here as it would be found.
import { draw, sampleTokens } from "../../src/memory/secret/sample-tokens-fixture.ts";

/** By kind of the filter; further forms of a kind stand as kind/form. */
export const plantedSecrets: Record<string, string> = sampleTokens(draw(4711));

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
