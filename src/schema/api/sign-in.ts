// Signing in: `POST /api/login {code}` sets the cookie, `POST /api/logout` ends it, `GET /api/me` says whether it holds.
import * as z from "zod";

export const loginBody = z.strictObject({ code: z.string().max(100) });
/** 401 when nobody is signed in. */
export const signedIn = z.object({ version: z.string(), home: z.string() });
