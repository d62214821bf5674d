// Which session is meant: ids, beginnings, names, and what is refused before any file is looked at.
import { describe, expect, it } from "vitest";
import { findSession } from "./find-session.ts";

const ids = [
  "aaaa1111-0000-4000-8000-000000000001",
  "aaaa2222-0000-4000-8000-000000000002",
  "bbbb3333-0000-4000-8000-000000000003",
];
const names = async () => [
  { id: ids[0]!, name: "parser work" },
  { id: ids[2]!, name: "docs" },
];
const find = (wanted: string) => findSession(wanted, ids, names);

describe("A8.1 finding a session", () => {
  it("takes an id, a unique beginning of 4 or more, an exact name", async () => {
    expect(await find(ids[1]!)).toEqual({ ok: true, value: ids[1] });
    expect(await find("bbbb")).toEqual({ ok: true, value: ids[2] });
    expect(await find("AAAA1")).toEqual({ ok: true, value: ids[0] });
    expect(await find("parser work")).toEqual({ ok: true, value: ids[0] });
  });

  it("B63 ambiguous is exit 2 with the list, unknown exit 1 with the nearest", async () => {
    const ambiguous = await find("aaaa");
    expect(ambiguous).toMatchObject({ ok: false, error: { exit: 2, code: "ambiguous_session" } });
    expect(!ambiguous.ok && ambiguous.error.what).toContain(ids[1]);
    const unknown = await find("parser wrk");
    expect(unknown).toMatchObject({ ok: false, error: { exit: 1, code: "session_not_found" } });
    expect(!unknown.ok && unknown.error.next).toContain("parser work");
    expect(await find("bbb")).toMatchObject({ ok: false, error: { code: "session_not_found" } });
  });

  it.each(["../../etc", "a/b", "a\\b", "a\0b", "x".repeat(10_240), ""])(
    "AB1 refuses %j with exit 2",
    async (wanted) => {
      expect(await find(wanted)).toMatchObject({ ok: false, error: { exit: 2, code: "bad_session_id" } });
    },
  );
});
