// The program's version; the bundler puts it in, tests run without it.
export const VERSION: string = typeof EVERLONG_VERSION === "string" ? EVERLONG_VERSION : "0.0.0";
