// Loads the built program, with a cache: a file with the bytecode that V8 made of the program in an earlier run. Without the
// cache, `vals me` takes 1.47 times as long (Node 20).
const fs = require('node:fs');
const { resolve } = require('node:path');
const { Script } = require('node:vm');

const dist = resolve(__dirname, '../dist');
const mainFile = `${dist}/main.js`;
/** esbuild.config.mjs puts the digest of the program into a comment at the start of main.js. */
const digestLength = 16;
/** Each cache takes one or two megabytes. */
const maxCacheFiles = 16;

/**
 * Returns the exports of the program.
 * @param {() => boolean} shouldWriteCache called at exit; returns true if most of the program has run. Only
 * then is the bytecode worth a cache
 * @returns {typeof import('../src/main.ts')}
 */
function loadProgram(shouldWriteCache = () => false) {
  const source = fs.readFileSync(mainFile, 'latin1');
  const commentStart = '/*'.length;
  const digest = source.slice(commentStart, commentStart + digestLength);
  const bytecode = readCache(digest);
  const script = new Script(source, { filename: mainFile, cachedData: bytecode });
  /** @type {{ exports: any }} */
  const module = { exports: {} };
  // esbuild.config.mjs makes main.js one function expression with these parameters.
  script.runInThisContext()(module.exports, require, module, dist);
  if (bytecode === undefined || script.cachedDataRejected) {
    process.once('exit', (exitCode) => {
      if (exitCode === 0 && shouldWriteCache()) writeCache(digest, script);
    });
  }
  return module.exports;
}

/**
 * Returns the path of the cache. The path depends on
 * - the version of Node and the architecture,
 * - the flags of Node, because V8 refuses bytecode that was made under other flags,
 * - --local, because the embedded service doubles the amount of bytecode.
 */
function cacheFile() {
  const { VALS_LOCAL, NODE_OPTIONS = '' } = process.env;
  const isLocal = process.argv.includes('--local') || VALS_LOCAL === '1';
  const flags = [...process.execArgv, NODE_OPTIONS].join(' ').trim();
  // This loop replaces createHash, because loading node:crypto takes longer than the loop.
  let hash = 0;
  for (const character of flags) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  const parts = [process.version, process.arch, isLocal ? 'local' : '', flags && hash.toString(36)];
  return `${mainFile}.${parts.filter(Boolean).join('-')}.compiled`;
}

/**
 * Reads the cache. V8 runs any bytecode without a check, so the cache must belong to root or to this user. V8 would crash on damaged
 * bytecode, so the cache contains the digest and the bytecode twice, and both halves must be equal: comparing them is faster
 * than loading node:crypto for a checksum.
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
 * The cache is beside the program, so nobody can change the cache who could not change the program anyway.
 * @param {string} digest
 * @param {Script} script
 */
function writeCache(digest, script) {
  const file = cacheFile();
  const unfinished = `${file}.${Math.random().toString(36).slice(2)}`;
  try {
    if (!isSafe(fs.statSync(dist)) || hasTooManyBeside(file)) return;
    const half = Buffer.concat([Buffer.from(digest), script.createCachedData()]);
    fs.writeFileSync(unfinished, Buffer.concat([half, half]), { flag: 'wx', mode: 0o644, flush: true });
    fs.renameSync(unfinished, file);
  } catch {
    // A failed write is no error: without a cache, the next start only takes longer.
    fs.rmSync(unfinished, { force: true });
  }
}

/**
 * Whether there are too many caches beside `file`. `file` does not count, because the caller is about to replace it.
 * @param {string} file
 */
function hasTooManyBeside(file) {
  const others = fs.readdirSync(dist).filter((name) => name.endsWith('.compiled') && !file.endsWith(name));
  return others.length >= maxCacheFiles;
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
