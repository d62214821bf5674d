// The page at `/`: public, without data, without script.
import type { ServerResponse } from "node:http";
import { SECURITY_HEADERS } from "./respond.ts";

const CSP = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";
const TEXT = `This is an Everlong gateway.

Model calls go to /v1 (OpenAI, Anthropic) and /v1beta (Gemini); \`everlong with AGENT\` sets an agent up.
Look at proxied sessions with \`everlong proxy sessions\` and \`everlong proxy why\`. The dashboard comes later.
`;

export function answerPage(res: ServerResponse): void {
  res.writeHead(200, {
    ...SECURITY_HEADERS,
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(TEXT),
    "content-security-policy": CSP,
    "cache-control": "no-cache",
  });
  res.end(res.req.method === "HEAD" ? undefined : TEXT);
}
