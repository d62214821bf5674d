// A quick yes for values that plainly fit a zod schema. Every line of every log is checked, and nearly all of them fit.
import type * as z from "zod";
import { isRecord } from "../../base/json.ts";

/** True only for what the schema accepts too; false says nothing, then zod decides. */
export type QuickFit = (value: unknown) => boolean;

const unsure: QuickFit = () => false;

/** The schema read once into plain checks. What this file does not know, a limit or a transform, is left to zod. */
export function quickFit(schema: z.core.$ZodType): QuickFit {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const least = leastOf(def.checks ?? []);
  if (least === undefined || "format" in def) return unsure;
  if (def.type === "string") return (value) => typeof value === "string" && value.length >= least;
  if (def.type === "number") return (value) => Number.isFinite(value) && (value as number) >= least;
  if (def.checks?.length) return unsure;
  switch (def.type) {
    case "boolean":
      return (value) => typeof value === "boolean";
    case "unknown":
      return (value) => value !== undefined;
    case "enum":
      return oneOf(Object.values(def.entries));
    case "literal":
      return oneOf(def.values);
    case "optional": {
      const inner = quickFit(def.innerType);
      return (value) => value === undefined || inner(value);
    }
    case "array": {
      const element = quickFit(def.element);
      return (value) => Array.isArray(value) && value.every(element);
    }
    case "object":
      return fieldsFit(def.shape, def.catchall);
    default:
      return unsure;
  }
}

/** The least length or number that the checks let pass; undefined when they ask for something else. */
function leastOf(checks: readonly z.core.$ZodCheck<never>[]): number | undefined {
  let least = Number.NEGATIVE_INFINITY;
  for (const { _zod } of checks as readonly z.core.$ZodChecks[]) {
    const { def } = _zod;
    if (def.check === "min_length") least = Math.max(least, def.minimum);
    else if (def.check === "greater_than" && def.inclusive) least = Math.max(least, Number(def.value));
    else return undefined;
  }
  return least;
}

function oneOf(values: readonly unknown[]): QuickFit {
  const all = new Set(values);
  return (value) => all.has(value);
}

/** Loose objects only: what else one holds is not looked at. */
function fieldsFit(shape: z.core.$ZodShape, catchall: z.core.$ZodType | undefined): QuickFit {
  if (catchall?._zod.def.type !== "unknown") return unsure;
  const fields = Object.entries(shape).map(([key, schema]) => ({ key, fits: quickFit(schema) }));
  return (value) => {
    if (!isRecord(value)) return false;
    for (const { key, fits } of fields) if (!fits(value[key])) return false;
    return true;
  };
}
