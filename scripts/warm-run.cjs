// One run of the program at build time: at its end the code of every part that it used is kept.
const { mkdirSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { codeFile, codeFolder, load } = require("../bin/load.cjs");

const root = join(__dirname, "..");
const entry = join(root, "dist", "main.cjs");
const folder = codeFolder(process.argv.splice(2, 1)[0]);
const scripts = new Map();
// Code is for the flags that V8 has when it is kept, and the program sets some for a long run.
require("node:v8").setFlagsFromString = () => undefined;
process.on("exit", () => {
  mkdirSync(folder, { recursive: true });
  // At the end, because V8 compiles a function when it is first called, and keeps only what it has compiled.
  for (const [path, script] of scripts) writeFileSync(codeFile(folder, path), script.createCachedData());
});
load(entry, folder, (path, script) => {
  // The entry's name does not change with its text, so kept code could be that of another build.
  if (path !== entry) scripts.set(path, script);
});
