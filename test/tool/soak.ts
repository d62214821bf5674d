// How many cases a generated test tries: few in `npm test`, many in a soak run.
export const soakCount = (small: number, full: number): number => (process.env["EVERLONG_SOAK"] ? full : small);
