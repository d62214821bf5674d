// The parts of undici that are used, behind a lazy import: bundled, a dynamic import of a CommonJS package has no named exports.
export { Agent, fetch } from "undici";
