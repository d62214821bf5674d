// Why a request went on as it came: one sentence for each case.
import { expect, it } from "vitest";
import type { RequestRecord } from "../../proxy/contract.ts";
import { whyNothing } from "./why-nothing.ts";

it("X97 F124 says why nothing was done, and nothing where something was", () => {
  const because = (record: Partial<RequestRecord>) => whyNothing(record as RequestRecord);
  expect(because({ action: "pass", kind: "main" })).toBe("it fits, and there was nothing to add");
  expect(because({ action: "pass", kind: "main", recallLost: "timeout" })).toBe("it fits");
  expect(because({ action: "pass", kind: "aux" })).toContain("requests of this kind");
  expect(because({ action: "skip:store", kind: "main" })).toContain("the store could not be used");
  expect(because({ action: "skip:unknown_client" })).toContain("the client is not known");
  expect(because({ action: "skip:something_new" })).toBe("something_new");
  expect(because({ action: "trim", kind: "main" })).toBeUndefined();
});
