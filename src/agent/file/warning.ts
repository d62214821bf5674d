// What is wrong with a definition file, said so that its author can mend it.
import { shownValue } from "../../base/json.ts";

export type FileWarning = {
  path: string;
  field?: string;
  message: string;
  /** The whole file is out of use. */
  skipped: boolean;
};

export const describeWarning = ({ path, field, message, skipped }: FileWarning): string =>
  `${path}: ${field === undefined ? "" : `${field}: `}${message}${skipped ? " This file is not used." : ""}`;

export const expected = (what: string, value: unknown): string => `expected ${what}, found ${shownValue(value)}.`;
