// Where a provider may compact a history by itself.
import type { ModelTarget } from "../contract.ts";

/** Above our own threshold: the provider acts only where we did not. */
const PROVIDER_SHARE = 0.9;

export const compactAt = ({ promptLimit }: ModelTarget): number => Math.floor(PROVIDER_SHARE * promptLimit);
