// What is remembered, for the faces.
export type { Direction, MemoryChange, MemoryRecord, Resolution } from "../../memory/record/contract.ts";
export { shortIds } from "../../memory/record/id.ts";
export type { MemoryAccess, MemoryEdit, MemoryQuery } from "../memory/access.ts";
export type { MemoryChoice, MemoryTexts } from "../memory/open-memory.ts";
