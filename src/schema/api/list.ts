// How every list and every failure of `/api` looks: pages by cursor, errors with their code.
import * as z from "zod";

/** `next` is the `after` of the next page; absent or null: this was the last one. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next: z.string().nullish() });

/** `details` of a 412 is what is stored now, in the shape that a GET of it has. */
export const apiError = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string(), details: z.unknown().exactOptional() }),
});

export const deletedAnswer = z.object({ deleted: z.number() });
