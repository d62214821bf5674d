// Loads the parts of dist/ with the code that the build has kept of them: compiling them again is a large share of a start.
const { closeSync, fstatSync, openSync, readFileSync, readSync } = require("node:fs");
const { createRequire, wrapper } = require("node:module");
const { basename, dirname, join, resolve } = require("node:path");
const { Script, constants } = require("node:vm");

/** Where the build keeps code for this Node; V8 itself refuses code of another one, or for other flags. */
exports.codeFolder = (dist) => join(dist, "code", `${process.version}-${process.platform}-${process.arch}`);
exports.codeFile = (folder, path) => join(folder, `${basename(path, ".cjs")}.bin`);

/** The exports of a part, as `require` gives them; `onScript` is told of each part that is loaded. */
exports.load = (entry, folder, onScript) => {
  const modules = new Map();
  const load = (path) => {
    const loaded = modules.get(path);
    if (loaded) return loaded.exports;
    const module = { exports: {} };
    modules.set(path, module);
    try {
      const script = compile(path, exports.codeFile(folder, path));
      onScript?.(path, script);
      run(script, path, module);
    } catch (error) {
      modules.delete(path);
      throw error;
    }
    return module.exports;
  };
  const run = (script, path, module) => {
    const here = dirname(path);
    let ofPackages;
    const requireFrom = (name) => {
      if (name.startsWith(".")) return load(resolve(here, name));
      if (name.startsWith("node:")) return process.getBuiltinModule(name);
      ofPackages ??= createRequire(path);
      return ofPackages(name);
    };
    script.runInThisContext().call(module.exports, module.exports, requireFrom, module, path, here);
  };
  return load(entry);
};

function compile(path, codeFile) {
  return new Script(wrapped(path), {
    filename: path,
    cachedData: unlessMissing(() => readFileSync(codeFile)),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
}

/** The text of a part as the body of a function, made in one piece: parts are large, and all of it is ASCII. */
function wrapped(path) {
  const file = unlessMissing(() => openSync(path));
  if (file === undefined) throw Object.assign(new Error(`Cannot find module '${path}'`), { code: "MODULE_NOT_FOUND" });
  try {
    const [head, tail] = wrapper;
    const { size } = fstatSync(file);
    const text = Buffer.allocUnsafe(head.length + size + tail.length);
    text.latin1Write(head, 0);
    readSync(file, text, head.length, size, 0);
    text.latin1Write(tail, head.length + size);
    return text.latin1Slice();
  } finally {
    closeSync(file);
  }
}

function unlessMissing(read) {
  try {
    return read();
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
