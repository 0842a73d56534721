// Loads the built program with the code that V8 compiled for it in an earlier run: half of what a start costs.
const { accessSync, constants, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { resolve } = require('node:path');
const { Script } = require('node:vm');

const dist = resolve(__dirname, '../dist');
const markLength = 16;
const loaded = new Map();
const newlyCompiled = [];

/** The exports of a file of the build. */
function load(name) {
  const module = loaded.get(name) ?? { exports: {} };
  if (loaded.has(name)) return module.exports;
  loaded.set(name, module);
  compile(name)(module.exports, requireForBuild, module, dist);
  return module.exports;
}

const requireForBuild = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id));

function compile(name) {
  const filename = `${dist}/${name}`;
  const source = readFileSync(filename, 'latin1');
  const mark = source.slice(2, 2 + markLength);
  const cachedData = keptCode(name, mark);
  const script = new Script(`(function(exports,require,module,__dirname){${source}\n})`, {
    filename,
    cachedData,
  });
  if (cachedData === undefined || script.cachedDataRejected) {
    if (newlyCompiled.length === 0) process.once('exit', keepCompiled);
    newlyCompiled.push({ name, mark, script });
  }
  return script.runInThisContext();
}

/** V8 checks its own version and flags; of the source it knows no more than the length, so we compare its mark. */
function keptCode(name, mark) {
  try {
    const kept = readFileSync(keptFile(name));
    return kept.latin1Slice(0, markLength) === mark ? kept.subarray(markLength) : undefined;
  } catch {
    return undefined;
  }
}

/** What `run` needs of the program is a small part of it, and reading back the rest would take a tenth of a short run. */
const isRun = process.argv[2] === 'run';

const keptFile = (name) =>
  `${dist}/${name}${isRun ? '.run' : ''}.${process.versions.v8}-${process.arch}.compiled`;

/**
 * Beside the program, so that only those who may change the program can change what it runs. What is kept is what
 * has run so far, so the program itself waits for a run that had something to do.
 */
function keepCompiled(exitCode) {
  if (exitCode !== 0) return;
  try {
    accessSync(dist, constants.W_OK);
    for (const { name, mark, script } of newlyCompiled) {
      if (name === 'main.js' && !isRun && !load(name).reachedService) continue;
      // Whole and on the disk before it has its name: V8 trusts what it is given.
      const unfinished = `${keptFile(name)}.${Math.random().toString(36).slice(2)}`;
      writeFileSync(unfinished, Buffer.concat([Buffer.from(mark), script.createCachedData()]), {
        flush: true,
      });
      renameSync(unfinished, keptFile(name));
    }
  } catch {
    // Without it the next run only takes longer.
  }
}

module.exports = { load };
