// Prepared statements for those above the store.
export { column, prepared } from "../../../store/statement.ts";
