// Asking the dashboard's API as the page does: every answer is read with the shape that the page uses.
import { expect } from "vitest";
import type * as z from "zod";
import { apiError } from "../../src/schema/api/list.ts";

type Door = { api(path: string, init?: RequestInit): Promise<Response> };

export async function ask<T>(door: Door, shape: z.ZodType<T>, path: string, init?: RequestInit): Promise<T> {
  const answer = await door.api(path, init);
  const body: unknown = await answer.json();
  expect(answer.status, `${path}: ${JSON.stringify(body)}`).toBeLessThan(300);
  return shape.parse(body);
}

/** The status and code of an answer that is a refusal. */
export async function refused(door: Door, path: string, init?: RequestInit): Promise<[number, string]> {
  const answer = await door.api(path, init);
  return [answer.status, apiError.parse(await answer.json()).error.code];
}

export const sending = (method: string, body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { "content-type": "application/json", ...headers },
});
