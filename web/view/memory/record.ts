// Where a record is asked for, and the mark of the version that was read.
import type { MemoryShape } from "../../../src/schema/api/memory.ts";

export const recordPath = (id: string): string => `/api/memory/records/${encodeURIComponent(id)}`;
export const tagOf = ({ version }: Pick<MemoryShape, "version">): string => `"v${version}"`;
