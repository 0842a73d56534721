// Loads the built program together with the bytecode that V8 made of it in an earlier run. Without that bytecode,
// `vals me` takes 1.47 times as long (Node 20).
const fs = require('node:fs');
const { resolve } = require('node:path');
const { Script } = require('node:vm');

const dist = resolve(__dirname, '../dist');
const mainFile = `${dist}/main.js`;
/** The program begins with a comment that holds its digest, written by the build. */
const digestLength = 16;
/** The most files of compiled code. Each takes one or two megabytes. */
const mostFiles = 16;

/**
 * Returns the exports of the program.
 * @param {() => boolean} isWarm asked at the end: whether most of the program has run, and is therefore compiled
 * @returns {typeof import('../src/main.ts')}
 */
function loadProgram(isWarm = () => false) {
  const source = fs.readFileSync(mainFile, 'latin1');
  const digest = source.slice(2, 2 + digestLength);
  const cachedData = readCache(digest);
  const script = new Script(source, { filename: mainFile, cachedData });
  /** @type {{ exports: any }} */
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, dist);
  if (cachedData === undefined || script.cachedDataRejected) {
    process.once('exit', (exitCode) => {
      if (exitCode === 0 && isWarm()) writeCache(digest, script);
    });
  }
  return module.exports;
}

/**
 * One file for each combination of Node, flags (V8 refuses code that was compiled under other flags) and --local (the
 * embedded service doubles the code that runs).
 */
function cacheFile() {
  const { VALS_LOCAL, NODE_OPTIONS = '' } = process.env;
  const isLocal = process.argv.includes('--local') || VALS_LOCAL === '1';
  const flags = [...process.execArgv, NODE_OPTIONS].join(' ').trim();
  let hash = 0;
  for (const character of flags) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  const parts = [process.version, process.arch, isLocal ? 'local' : '', flags && hash.toString(36)];
  return `${mainFile}.${parts.filter(Boolean).join('-')}.compiled`;
}

/**
 * V8 runs any code that it is given, so the file must belong to root or to this user. V8 would crash on a damaged file, so
 * the file holds the code twice, and both halves must be equal: to compare them is faster than to load a library for a
 * checksum.
 * @param {string} digest
 */
function readCache(digest) {
  let descriptor;
  try {
    if (!isSafe(fs.statSync(dist))) return undefined;
    // O_NONBLOCK: opening a named pipe must not block. Windows has neither O_NOFOLLOW nor O_NONBLOCK.
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
    descriptor = fs.openSync(cacheFile(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fs.fstatSync(descriptor);
    if (!stats.isFile() || !isSafe(stats)) return undefined;
    const bytes = fs.readFileSync(descriptor);
    const first = bytes.subarray(0, bytes.length / 2);
    if (!first.equals(bytes.subarray(first.length))) return undefined;
    return first.toString('latin1', 0, digestLength) === digest ? first.subarray(digestLength) : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/**
 * Writes the file beside the program: somebody who can change the file could change the program too.
 * @param {string} digest
 * @param {Script} script
 */
function writeCache(digest, script) {
  const file = cacheFile();
  const unfinished = `${file}.${Math.random().toString(36).slice(2)}`;
  try {
    if (!isSafe(fs.statSync(dist)) || hasTooMany(file)) return;
    const code = Buffer.concat([Buffer.from(digest), script.createCachedData()]);
    fs.writeFileSync(unfinished, Buffer.concat([code, code]), { flag: 'wx', mode: 0o644, flush: true });
    fs.renameSync(unfinished, file);
  } catch {
    // Without the cache the next start only takes longer.
    fs.rmSync(unfinished, { force: true });
  }
}

/** @param {string} file is replaced, so it does not count */
function hasTooMany(file) {
  const others = fs.readdirSync(dist).filter((name) => name.endsWith('.compiled') && !file.endsWith(name));
  return others.length >= mostFiles;
}

/**
 * Whether only root or this user can change the file or folder.
 * @param {fs.Stats} stats
 */
function isSafe({ uid, mode }) {
  if (process.platform === 'win32') return true;
  return (uid === 0 || uid === process.getuid?.()) && (mode & 0o022) === 0;
}

module.exports = { loadProgram };
