// The schema of store.db as data, oldest first; the queries belong to the rooms that own the tables.
import { sessionSchema } from "./schema/session.ts";

export const storeMigrations: readonly string[] = [sessionSchema];
