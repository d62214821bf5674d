// How often a storm is repeated: small counts in npm test, full ones in npm run soak.
export const soakCount = (small: number, full: number): number => (process.env["EVERLONG_SOAK"] ? full : small);
