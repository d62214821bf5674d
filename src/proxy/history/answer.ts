// The text of an answer, from what was observed of it: events of a stream, or one whole body.
import { isRecord } from "../../base/json.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";

export const textOfAnswer = (wire: WireName, records: readonly unknown[]): string =>
  wireOf(wire).answer.text(records.filter(isRecord)).trim();
