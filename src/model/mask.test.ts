// No key comes through, configured or not.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskSecrets, secretsOf } from "./mask.ts";

describe("AI12 masking", () => {
  it("AI12 A2.15 the key and credential headers become their last four characters", () => {
    const target = {
      apiKey: "abcdefgh12345678",
      headers: { Authorization: "Basic dXNlcjpwYXNzd29yZA==", "X-Team": "blue-team-value" },
    };
    const text = "key abcdefgh12345678, Basic dXNlcjpwYXNzd29yZA==, dXNlcjpwYXNzd29yZA==, blue-team-value";
    expect(maskSecrets(text, secretsOf(target))).toBe("key …5678, …ZA==, …ZA==, blue-team-value");
  });

  it("A2.15 tokens that were never configured are masked too", () => {
    const text =
      "Incorrect key sk-proj-abcdefghijklmnop1234, Bearer eyJhbGciOiJIUzI1NiJ9.abc, AIzaSyA1234567890abcdefghijk";
    expect(maskSecrets(text, [])).toBe("Incorrect key …1234, Bearer ….abc, …hijk");
  });

  it("AI12 a key that ends like a pattern of replacement is masked like any other", () => {
    expect(maskSecrets("key abcdefgh1234$&", secretsOf({ apiKey: "abcdefgh1234$&", headers: {} }))).toBe("key …34$&");
  });

  it("AI12 no configured key survives in any text", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), fc.string(), fc.string(), (apiKey, before, after) => {
        fc.pre(apiKey.trim() !== "" && !"…".includes(apiKey));
        const masked = maskSecrets(`${before}${apiKey}${after}`, secretsOf({ apiKey, headers: {} }));
        expect(masked.includes(apiKey)).toBe(false);
      }),
    );
  });
});
