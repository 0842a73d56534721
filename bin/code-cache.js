// Loads the built program with the code that V8 compiled for it in an earlier run. Without it, `vals me` takes 1.6 times
// the CPU (Node 20, medians of 41 interleaved runs).
const fs = require('node:fs');
const { resolve } = require('node:path');
const { Script } = require('node:vm');

const dist = resolve(__dirname, '../dist');
const markLength = 16;
const pieceLength = 65_536;
const mostKept = 16;
const loaded = new Map();
const newlyCompiled = [];
let program = 'main.js';

/** The exports of the program: the one with all commands, or one with fewer that has the command too. */
function loadProgram([first, second]) {
  const smaller = JSON.parse(fs.readFileSync(`${dist}/programs.json`, 'latin1'));
  const name = [`${first} ${second}`, first].find((words) => Object.hasOwn(smaller, words));
  if (name !== undefined) program = smaller[name];
  return load(program);
}

/** The exports of a file of the build. */
function load(name) {
  const module = loaded.get(name) ?? { exports: {} };
  if (loaded.has(name)) return module.exports;
  loaded.set(name, module);
  compile(name)(module.exports, requireForBuild, module, dist);
  return module.exports;
}

function requireForBuild(id) {
  if (id === './program') return load(program);
  return id.startsWith('./') ? load(id.slice(2)) : require(id);
}

function compile(name) {
  const filename = `${dist}/${name}`;
  const source = fs.readFileSync(filename, 'latin1');
  const mark = source.slice(2, 2 + markLength);
  const cachedData = keptCode(name, mark);
  const script = new Script(source, { filename, cachedData });
  if (cachedData === undefined || script.cachedDataRejected) {
    if (newlyCompiled.length === 0) process.once('exit', keepCompiled);
    newlyCompiled.push({ name, mark, script });
  }
  return script.runInThisContext();
}

/** V8 runs what it is given, so it gets what only root or this user can have written. */
function keptCode(name, mark) {
  let descriptor;
  try {
    const file = keptFile(name);
    if (!isSafe(fs.statSync(folderOf(file)))) return undefined;
    // Windows has neither flag. What is looked at is what was opened, and a named pipe is not waited for.
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
    descriptor = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fs.fstatSync(descriptor);
    return stats.isFile() && isSafe(stats) ? codeIn(descriptor, stats.size / 2, mark) : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

const isSafe = ({ uid, mode }) =>
  process.platform === 'win32' || ((uid === 0 || uid === process.getuid()) && (mode & 0o022) === 0);

/**
 * V8 checks its own version and flags; of the source it knows no more than the length, so we compare its mark. A bit
 * that changed on the disk would make it crash. Everything stands there twice: comparing takes a third of the time of
 * a checksum, for which a library would have to be loaded. A piece at a time, because memory that is new costs most.
 */
function codeIn(descriptor, length, mark) {
  const code = Buffer.allocUnsafeSlow(length);
  if (fs.readSync(descriptor, code) < length || code.latin1Slice(0, markLength) !== mark) return undefined;
  const piece = Buffer.allocUnsafeSlow(pieceLength);
  for (let at = 0; at < length; at += pieceLength) {
    const read = fs.readSync(descriptor, piece);
    if (!piece.subarray(0, read).equals(code.subarray(at, at + pieceLength))) return undefined;
  }
  return code.subarray(markLength);
}

/** V8 refuses what was compiled under other flags, so each set of flags has a file of its own. */
const keptFile = (name) => `${dist}/${name}.${process.version}-${process.arch}${flagsMark()}.compiled`;

function flagsMark() {
  const flags = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ').trim();
  let digest = 0;
  for (const character of flags) digest = (Math.imul(digest, 31) + character.codePointAt(0)) >>> 0;
  return flags === '' ? '' : `-${digest.toString(36)}`;
}

const folderOf = (file) => file.slice(0, file.lastIndexOf('/'));

/**
 * Beside the program, so that only those who may change the program can change what it runs. What is kept is what
 * has run so far, so the program itself waits for a command that had something to do.
 */
function keepCompiled(exitCode) {
  // The build, an ES module, has not run what it loads.
  if (exitCode !== 0 || require.main === undefined) return;
  try {
    for (const { name, mark, script } of newlyCompiled) {
      if (!isWorthKeeping(name)) continue;
      const file = keptFile(name);
      if (!mayKeep(file)) continue;
      const code = Buffer.concat([Buffer.from(mark), script.createCachedData()]);
      replace(file, Buffer.concat([code, code]));
    }
  } catch {
    // Without it the next run only takes longer.
  }
}

/** Of the program with `run` alone, each run uses most. */
const isWorthKeeping = (name) => name !== program || name === 'run.js' || load(name).reachedService;

/** There are flags without number, and a file for each takes a megabyte: the one without flags always has its place. */
function mayKeep(file) {
  const folder = folderOf(file);
  fs.accessSync(folder, fs.constants.W_OK);
  if (!isSafe(fs.statSync(folder))) return false;
  const kept = fs.readdirSync(folder).filter((name) => name.endsWith('.compiled'));
  return flagsMark() === '' || kept.length < mostKept || fs.existsSync(file);
}

/** Whole and on the disk before it has its name, and never for others to write, whatever the umask. */
function replace(file, bytes) {
  const unfinished = `${file}.${Math.random().toString(36).slice(2)}`;
  try {
    fs.writeFileSync(unfinished, bytes, { flag: 'wx', mode: 0o644, flush: true });
    fs.renameSync(unfinished, file);
  } catch (error) {
    fs.rmSync(unfinished, { force: true });
    throw error;
  }
}

module.exports = { load, loadProgram };
