// Results that come again and again, remembered by their key.

/** The function with its results remembered; all are forgotten when there are too many. */
export function remembering<V>(most: number, make: (key: string) => V): (key: string) => V {
  const results = new Map<string, { value: V }>();
  return (key) => {
    const cached = results.get(key);
    if (cached) return cached.value;
    if (results.size >= most) results.clear();
    const value = make(key);
    results.set(key, { value });
    return value;
  };
}
