// Loads the program from dist/main.js, and stores the V8 bytecode of the program in a cache file. Without the cache,
// `vals me` takes 1.47 times as long (Node 20).
const fs = require('node:fs');
const { basename, resolve } = require('node:path');
const { Script } = require('node:vm');

const dist = resolve(__dirname, '../dist');
const mainFile = `${dist}/main.js`;
// main.js begins with a comment that contains the digest of the program.
const headerLength = '/*0123456789abcdef*/'.length;
const maxCacheFiles = 16;

/**
 * Call `keepBytecode` only if this process uses most of the program, because the bytecode contains only the functions
 * that were called.
 * @returns {{ program: typeof import('../src/main.ts'), keepBytecode(): void }}
 */
function loadProgram() {
  const source = fs.readFileSync(mainFile, 'latin1');
  const header = source.slice(0, headerLength);
  const file = cacheFile();
  const bytecode = readCache(file, header);
  const script = new Script(source, { filename: mainFile, cachedData: bytecode });
  const isCached = bytecode !== undefined && !script.cachedDataRejected;
  let isWorthKeeping = useOf() === 'run';
  process.once('exit', (exitCode) => {
    if (exitCode === 0 && isWorthKeeping && !isCached) writeCache(file, header, script.createCachedData());
  });
  return {
    program: evaluate(script),
    keepBytecode() {
      isWorthKeeping = true;
    },
  };
}

/** @param {Script} script */
function evaluate(script) {
  /** @type {{ exports: any }} */
  const module = { exports: {} };
  const wrapper = script.runInThisContext();
  wrapper(module.exports, require, module, dist);
  return module.exports;
}

/**
 * --local has its own cache, so that other commands do not load the bytecode of the embedded service. `vals run` has
 * one too, because it uses other parts of the program, and mostly no service. Without a cache, `vals run` needs 1.4 times
 * the processor time on Node 20, and 1.6 times on Node 24.
 */
function useOf() {
  if (process.argv.includes('--local') || process.env.VALS_LOCAL === '1') return 'local';
  return process.argv[2] === 'run' ? 'run' : '';
}

/** Each set of Node options has its own cache file, because V8 rejects bytecode that was made with other options. */
function cacheFile() {
  const { NODE_OPTIONS = '' } = process.env;
  const flags = [...process.execArgv, NODE_OPTIONS].join(' ').replace(/\W+/g, '_').slice(0, 100);
  const parts = [process.version, process.arch, useOf(), flags];
  return `${mainFile}.${parts.filter(Boolean).join('-')}.compiled`;
}

/**
 * @param {string} file
 * @param {string} header
 */
function readCache(file, header) {
  try {
    return unpack(fs.readFileSync(file), header);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} file
 * @param {string} header
 * @param {Buffer} bytecode
 */
function writeCache(file, header, bytecode) {
  const unfinished = `${file}.${Math.random().toString(36).slice(2)}`;
  try {
    if (!hasRoomFor(file)) return;
    fs.writeFileSync(unfinished, pack(header, bytecode), { flag: 'wx', mode: 0o644, flush: true });
    fs.renameSync(unfinished, file);
  } catch {
    fs.rmSync(unfinished, { force: true });
  }
}

/**
 * Writes the content twice, so that `unpack` detects damaged bytecode, which would crash V8. A checksum would be
 * slower, because it needs node:crypto.
 * @param {string} header
 * @param {Buffer} bytecode
 */
function pack(header, bytecode) {
  const half = Buffer.concat([Buffer.from(header), bytecode]);
  return Buffer.concat([half, half]);
}

/**
 * @param {Buffer} bytes
 * @param {string} header
 */
function unpack(bytes, header) {
  const half = bytes.subarray(0, bytes.length / 2);
  const isIntact = half.equals(bytes.subarray(half.length));
  const isOfThisProgram = half.toString('latin1', 0, headerLength) === header;
  return isIntact && isOfThisProgram ? half.subarray(headerLength) : undefined;
}

/** @param {string} file */
function hasRoomFor(file) {
  const isOtherCache = (/** @type {string} */ name) => name.endsWith('.compiled') && name !== basename(file);
  return fs.readdirSync(dist).filter(isOtherCache).length < maxCacheFiles;
}

module.exports = { loadProgram };
