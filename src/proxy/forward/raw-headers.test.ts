import { describe, expect, it } from "vitest";
import { endToEnd, withOwn, withoutCors } from "./raw-headers.ts";

describe("raw headers", () => {
  it("SEC5 no answer lets another origin's page read it", () => {
    const raw = ["Content-Type", "text/plain", "Access-Control-Allow-Origin", "*", "access-control-max-age", "5"];
    expect(withoutCors(raw)).toEqual(["Content-Type", "text/plain"]);
  });

  it("X8 what belongs to one connection stays there, named ones too; everything else keeps order and case", () => {
    const raw = [
      "Connection",
      "close, X-Hop",
      "X-Hop",
      "1",
      "Set-Cookie",
      "a=1",
      "set-cookie",
      "b=2",
      "TE",
      "trailers",
    ];
    expect(endToEnd(raw)).toEqual(["Set-Cookie", "a=1", "set-cookie", "b=2"]);
  });

  it("X95 our own headers stand in place of equal ones from upstream", () => {
    expect(withOwn(["X-Everlong-Lane", "9", "A", "b"], ["X-Everlong-Lane", "1"])).toEqual([
      "A",
      "b",
      "X-Everlong-Lane",
      "1",
    ]);
  });
});
