// What the records of an answer say, on every wire: usage, whether it ended, which error.
import { isRecord } from "../../base/json.ts";
import { noteError } from "../../model/wire/answer.ts";
import type { AnswerFacts, WireBody } from "../../model/wire/contract.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";

/** One event's data, or a whole body. An error of the provider's own ends an answer as well as its terminal event. */
export function readRecord(wire: WireName, record: WireBody, facts: AnswerFacts): void {
  wireOf(wire).answer.read(record, facts);
  const error = record["error"];
  if (isRecord(error)) {
    facts.terminal = true;
    noteError(error, facts);
  }
}
