// Signing in: `POST /api/login {code}` sets the cookie, `POST /api/logout` ends it, `GET /api/me` says whether it holds.
import * as z from "zod";

export const loginBody = z.strictObject({ code: z.string().max(100) });
