// A board belongs to one branch of one repository; this is where its parts are asked for.
import { address } from "../../api/call.ts";

export type BoardAt = { repository: string; branch: string };

export const boardPath = ({ repository, branch }: BoardAt, rest = ""): string =>
  address(`/api/memory/board${rest}`, { repository, branch });

export const itemPath = (place: BoardAt, { src, name }: { src: string; name: string }): string =>
  boardPath(place, `/items/${src}/${encodeURIComponent(name)}`);
