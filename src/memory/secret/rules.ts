// Forms of credentials: a hint that must occur (so that most text costs one scan), and the pattern; group 1 is the value when only a part is secret.
export type SecretRule = { kind: string; hint?: readonly string[]; pattern: RegExp };

const token = (kind: string, hint: string[], pattern: RegExp): SecretRule => ({ kind, hint, pattern });

export const rules: readonly SecretRule[] = [
  token(
    "private-key",
    ["PRIVATE KEY"],
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{1,20000}?-----END [A-Z ]{0,40}PRIVATE KEY-----/g,
  ),
  token("aws-key-id", ["AKIA", "ASIA"], /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g),
  token(
    "github-token",
    ["gh", "github_pat_"],
    /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b/g,
  ),
  token("gitlab-token", ["glpat-"], /\bglpat-[A-Za-z0-9_-]{20,64}/g),
  token("anthropic-key", ["sk-ant-"], /\bsk-ant-[A-Za-z0-9_-]{20,200}/g),
  token("openai-key", ["sk-"], /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,200}/g),
  token("google-key", ["AIza"], /\bAIza[A-Za-z0-9_-]{35}/g),
  token("google-oauth", ["ya29."], /\bya29\.[A-Za-z0-9_-]{20,200}/g),
  token("slack-token", ["xox"], /\bxox[abposr]-[A-Za-z0-9-]{10,200}/g),
  token("slack-webhook", ["hooks.slack.com"], /https:\/\/hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,100}/g),
  token("stripe-key", ["k_live_", "k_test_"], /\b[rsp]k_(?:live|test)_[A-Za-z0-9]{16,200}/g),
  token("sendgrid-key", ["SG."], /\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}/g),
  token("npm-token", ["npm_"], /\bnpm_[A-Za-z0-9]{36}\b/g),
  token("pypi-token", ["pypi-"], /\bpypi-[A-Za-z0-9_-]{50,250}/g),
  token("huggingface-token", ["hf_"], /\bhf_[A-Za-z0-9]{30,64}\b/g),
  token("jwt", ["eyJ"], /\beyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,1000}/g),
  token("url-password", ["://"], /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"'<>]{1,100}:([^\s/@"'<>]{3,200})@/gi),
  token("bearer", ["earer "], /\b[Bb]earer\s+([A-Za-z0-9._~+/-]{20,2000}=*)/g),
  {
    kind: "password",
    pattern:
      /\b(?:[A-Za-z0-9_.-]{0,40}(?:password|passwd|pwd|passphrase|secret|api[_-]?key|access[_-]?key|auth[_-]?token|token))["']?\s{0,4}[:=]\s{0,4}["']([^\s"'`]{8,200})["']/gi,
  },
];
