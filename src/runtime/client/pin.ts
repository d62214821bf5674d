// Pins in a person's own hand.
import type { Pin } from "../../memory/pin/pin.ts";
import type { ResultPromise } from "./open.ts";

export type { Pin } from "../../memory/pin/pin.ts";

export type PinAccess = {
  /** In force here: of the open session, this repository, the user. */
  list(): ResultPromise<Pin[]>;
  /** A text, or the id of something that recall finds. For the open session if there is one, else this repository. */
  add(textOrId: string, scope?: string): ResultPromise<Pin>;
  /** By its id, or the beginning of one. */
  end(id: string): ResultPromise<Pin>;
};
