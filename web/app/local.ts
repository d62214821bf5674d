// What this browser remembers; a browser that blocks storage forgets it with the page and nothing else breaks.
export function readLocal(name: string): string | undefined {
  try {
    return localStorage.getItem(`everlong.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeLocal(name: string, value: string | undefined): boolean {
  try {
    if (value === undefined) localStorage.removeItem(`everlong.${name}`);
    else localStorage.setItem(`everlong.${name}`, value);
    return true;
  } catch {
    return false;
  }
}
