// Results that come again and again, remembered by their key.
import { ownText } from "./own-text.ts";

/** The function with its results remembered; all are forgotten when there are too many. */
export function remembering<V>(most: number, make: (key: string) => V): (key: string) => V {
  const results = new Map<string, { value: V }>();
  return (key) => {
    const cached = results.get(key);
    if (cached) return cached.value;
    if (results.size >= most) results.clear();
    const own = ownText(key);
    const value = make(own);
    results.set(own, { value });
    return value;
  };
}
