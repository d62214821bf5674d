// Databases that this process has seen to be damaged: whoever opens one next looks at every page first.

const suspects = new Set<string>();

export const suspect = (path: string): void => void suspects.add(path);
export const isSuspect = (path: string): boolean => suspects.has(path);
export const acquit = (path: string): void => void suspects.delete(path);
