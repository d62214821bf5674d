// Operations whose code is loaded when the first of them is called.

type Operations = { readonly [name: string]: unknown };

/** Every member must be a function that gives a promise. */
export function lazily<Access extends { [Name in keyof Access]: (...args: never[]) => Promise<unknown> }>(
  load: () => Promise<Access>,
): Access {
  const call =
    (_target: object, name: string) =>
    async (...args: never[]) => {
      const access = (await load()) as Operations;
      return (access[name] as (...args: never[]) => Promise<unknown>)(...args);
    };
  return new Proxy({}, { get: call }) as Access;
}
