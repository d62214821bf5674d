// Operations whose code is loaded when the first of them is called.

/** The functions of a module, or of a record, that give a promise. */
type Operations<Module> = {
  [Name in keyof Module as Module[Name] extends (...args: never[]) => Promise<unknown> ? Name : never]: Module[Name];
};

export function lazily<Module extends object>(load: () => Promise<Module>): Operations<Module> {
  const call =
    (_target: object, name: string) =>
    async (...args: never[]) => {
      const operations = (await load()) as Record<string, (...args: never[]) => Promise<unknown>>;
      return operations[name]?.(...args);
    };
  return new Proxy({}, { get: call }) as Operations<Module>;
}
