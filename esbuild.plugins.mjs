// What the build leaves out of libraries, puts off, or sets apart, so that a start loads what it runs. Without the cuts,
// `vals me` takes 1.6 times the CPU (Node 20, medians of 41 interleaved runs). A library that changes under one of them
// fails the build.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const load = createRequire(import.meta.url);
const planned = new Set();
const met = new Set();

/** Notes what the build has to meet, and gives what to call when it did. */
function cut(name) {
  planned.add(name);
  return () => met.add(name);
}

/** Fails the build where a cut was not made, or undici is another one than its cuts were tried with. */
export function checkCuts() {
  const pinned = load('./package.json').devDependencies.undici;
  const { version } = load('undici/package.json');
  const errors = [...planned]
    .filter((name) => !met.has(name))
    .map((name) => `A library has changed: there is no ${name} to cut.`);
  if (version !== pinned) {
    errors.push(`undici ${version} is installed, and its cuts were tried with ${pinned} alone.`);
  }
  if (errors.length > 0) throw new Error(errors.join('\n'));
}

/** The file of a library, with other contents. */
function replaceFile(onLoad, file, contents) {
  const made = cut(file);
  const filter = new RegExp(`/node_modules/${file}$`.replaceAll('.', '\\.').replaceAll('/', '[\\\\/]'));
  onLoad({ filter }, () => {
    made();
    return { contents };
  });
}

const leftOut = `module.exports = () => { throw new Error('left out of the build of vals') };`;

/**
 * undici's index loads fetch, mocks, caches and HTTP/2, 50 ms of what we never use. We use a client's `dispatch`.
 */
const slimUndici = {
  name: 'slim-undici',
  setup({ onResolve, onLoad }) {
    const made = cut('undici');
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'slim-undici' }));
    onLoad({ filter: /./, namespace: 'slim-undici' }, () => {
      made();
      return {
        resolveDir: process.cwd(),
        contents: `
          export { default as Client } from 'undici/lib/dispatcher/client.js';
          export { default as buildConnector } from 'undici/lib/core/connect.js';`,
      };
    });
    replaceFile(onLoad, 'undici/lib/dispatcher/client-h2.js', leftOut);
    replaceFile(onLoad, 'undici/lib/web/fetch/body.js', leftOut);
    // Its parser is WebAssembly; ours has the same outside.
    const parserPutIn = cut('parser');
    onLoad({ filter: /undici[\\/]lib[\\/]dispatcher[\\/]client-h1\.js$/ }, async ({ path }) => {
      parserPutIn();
      const ours = `const WebAssembly = require(${JSON.stringify(resolve('src/api/http/answer-parser.ts'))});`;
      return { contents: `${ours}\n${await readFile(path, 'utf8')}` };
    });
    for (const file of ['llhttp_simd-wasm.js', 'llhttp-wasm.js']) {
      replaceFile(onLoad, `undici/lib/llhttp/${file}`, 'module.exports = undefined;');
    }
    // A tree of a hundred names of headers, to spare a toLowerCase for each that comes: it takes longer than it spares.
    replaceFile(onLoad, 'undici/lib/core/tree.js', 'module.exports = { tree: { lookup: () => null } };');
    // The names that the tree is made of.
    replaceFile(
      onLoad,
      'undici/lib/core/constants.js',
      'module.exports = { headerNameLowerCasedRecord: { __proto__: null } };',
    );
    // What tells observers of each request, of whom there are none.
    const silent = Object.keys(load('undici/lib/core/diagnostics.js').channels).map((name) => [
      name,
      { hasSubscribers: false },
    ]);
    replaceFile(
      onLoad,
      'undici/lib/core/diagnostics.js',
      `module.exports = { channels: ${JSON.stringify(Object.fromEntries(silent))} };`,
    );
    // It makes tables of all characters and headers, for parsers written in JavaScript.
    const { ERROR, TYPE } = load('undici/lib/llhttp/constants.js');
    replaceFile(
      onLoad,
      'undici/lib/llhttp/constants.js',
      `module.exports = ${JSON.stringify({ ERROR, TYPE })};`,
    );
  },
};

/**
 * Builtins that a library loads at once for parts of it that we do not use, each some milliseconds at every start:
 * undici for one constant, one class and plain assertions.
 */
const lightBuiltins = {
  'undici node:http': 'module.exports = { maxHeaderSize: 16_384, IncomingMessage: class {} };',
  'undici node:assert': `
    const assert = (value, message) => {
      if (!value) throw message instanceof Error ? message : new Error(message || 'an assertion of undici failed');
    };
    assert.ok = assert;
    assert.equal = assert.strictEqual = (a, b, message) => assert(a === b, message);
    assert.notStrictEqual = (a, b, message) => assert(a !== b, message);
    module.exports = assert;`,
};

/**
 * Builtins that few commands use, loaded at the first call: node:crypto takes 4.3 ms of CPU at a start, and
 * node:fs/promises 1.3 ms, of the 70 ms of `vals me`. A name that is missing here fails the build.
 */
const builtinsLater = {
  'node:crypto': [
    ...['createHash', 'createHmac', 'createPrivateKey', 'randomBytes', 'randomInt', 'randomUUID'],
    ...['timingSafeEqual', 'X509Certificate'],
  ],
  'node:os': ['homedir', 'hostname', 'tmpdir'],
  'node:fs/promises': ['appendFile', 'mkdtemp', 'readdir', 'rm', 'rmdir', 'stat', 'writeFile'],
};

const builtins = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    const contents = { ...lightBuiltins };
    for (const [path, names] of Object.entries(builtinsLater)) {
      const lines = names.map(
        (name) => `export function ${name}(...given) {
          const it = builtin().${name};
          return new.target ? new it(...given) : it(...given);
        }`,
      );
      // `require` itself takes longer than most of what is called.
      const head = `let loaded; const builtin = () => (loaded ??= require('${path}'));`;
      contents[`vals ${path}`] = [head, ...lines].join('\n');
    }
    const made = Object.fromEntries(Object.keys(contents).map((key) => [key, cut(key)]));
    onResolve({ filter: /^node:/ }, ({ path, importer, namespace }) => {
      if (namespace !== 'file') return undefined;
      const library = /[\\/]node_modules[\\/]([^\\/]+)/.exec(importer)?.[1] ?? 'vals';
      const key = `${library} ${path}`;
      return key in contents ? { path: key, namespace: 'builtins' } : undefined;
    });
    onLoad({ filter: /./, namespace: 'builtins' }, ({ path: key }) => {
      made[key]();
      return { contents: contents[key] };
    });
  },
};

/**
 * sucrase tries one reading after another and tells of the last that failed, which for a slip inside of a function is
 * the function's first line. The reading that came farthest is the one that was meant.
 */
const farthestSyntaxError = {
  name: 'farthest-syntax-error',
  setup({ onLoad }) {
    const changes = {
      'traverser/util': [
        'state.error = err;',
        'state.error = err; if (!(state.farthest?.pos >= pos)) state.farthest = err;',
      ],
      index: ['augmentError(state.error)', 'augmentError(state.farthest)'],
    };
    onLoad({ filter: /sucrase\/dist\/esm\/parser\/(?:traverser\/util|index)\.js$/ }, async ({ path }) => {
      const [found, instead] = changes[path.replace(/^.*\/parser\/|\.js$/g, '')];
      const text = await readFile(path, 'utf8');
      if (!text.includes(found)) throw new Error(`${path} no longer holds "${found}".`);
      return { contents: text.replace(found, instead) };
    });
  },
};

/** pg 8 reads ~/.pgpass and warns the user that pg 9 will not: that is for us to know. */
const quietPassword = {
  name: 'quiet-password',
  setup({ onLoad }) {
    onLoad({ filter: /pg[\\/]lib[\\/]client\.js$/ }, async ({ path }) => {
      const notice = 'pgPassDeprecationNotice()';
      const text = await readFile(path, 'utf8');
      if (!text.includes(notice)) throw new Error(`${path} no longer holds "${notice}".`);
      return { contents: text.replace(notice, '') };
    });
  },
};

/**
 * Libraries that few commands use, each in a file of its own: parsing one costs a start more than the rest of it.
 * What a file exports is what we import from any module of the library.
 */
export const librariesApart = {
  'cli-table3': `export { default } from 'cli-table3';`,
  commander: `export { Command, CommanderError, Option } from 'commander';`,
  chokidar: `export { watch } from 'chokidar';`,
  conf: `export { default } from 'conf';`,
  diff: `export { diffArrays, formatPatch, OMIT_HEADERS, structuredPatch } from 'diff';`,
  ora: `export { default } from 'ora';`,
  pg: `export { default } from 'pg';`,
  sucrase: `export { transform } from 'sucrase/dist/esm/index.js';`,
};

/**
 * cli-table3 measures text with a string-width of its own, older than ours and slow where text is plain: it gets ours,
 * so that both agree on how wide a cell is. And it works out anew for each cell what is the same in all of them, and
 * what only its debugging shows; without that, a table of many rows takes a quarter of the time.
 */
const quickTable = {
  name: 'quick-table',
  setup({ onResolve, onLoad }) {
    onLoad({ filter: /cli-table3\/src\/cell\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const [slow, quick] of slowInCells) {
        if (!contents.includes(slow)) throw new Error(`cli-table3 has changed: it has no \`${slow}\``);
        contents = contents.replace(slow, quick);
      }
      return { contents };
    });
    const ofTable = /node_modules\/cli-table3\//;
    onResolve({ filter: /^(?:string-width|@colors\/colors\/safe)$/ }, ({ path, importer }) =>
      ofTable.test(importer) ? { path, namespace: 'quick-table' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'quick-table' }, ({ path }) => ({
      resolveDir: process.cwd(),
      contents:
        path === 'string-width'
          ? `const plain = /^[ -~…–→✓✗▁-█]*$/;
             module.exports = (text) => plain.test(text) ? text.length : require('string-width').default(text);`
          : 'module.exports = {};',
    }));
  },
};

const slowInCells = [
  ['utils.truncate(this.content, 10, this.truncate)', "''"],
  ["setOption(style, tableStyle, 'padding-left', this);", "this.paddingLeft = tableStyle['padding-left'];"],
  [
    "setOption(style, tableStyle, 'padding-right', this);",
    "this.paddingRight = tableStyle['padding-right'];",
  ],
  ['let chars = (this.chars = {});', 'let chars = (this.chars = tableOptions.sameChars || {});'],
  [
    'CHAR_NAMES.forEach(function (name) {',
    'if (!tableOptions.sameChars) tableOptions.sameChars = chars, CHAR_NAMES.forEach(function (name) {',
  ],
];

const setApart = {
  name: 'set-apart',
  setup({ onResolve }) {
    const names = Object.keys(librariesApart);
    const made = Object.fromEntries(names.map((name) => [name, cut(name)]));
    onResolve({ filter: new RegExp(`^@?(?:${names.join('|')})(?:/|$)`) }, ({ path, importer }) => {
      if (/node_modules|<stdin>/.test(importer)) return undefined;
      const [name] = new RegExp(names.join('|')).exec(path);
      made[name]();
      return { path: `./libraries/${name}.js`, external: true };
    });
  },
};

/** Something else in the place of a module of ours. */
const inPlaceOf = (filter, name, found) => ({
  name,
  setup({ onResolve }) {
    const made = cut(name);
    onResolve({ filter }, () => {
      made();
      return found;
    });
  },
});

/** A module of ours that is in another file of the build. */
const fromFile = (filter, path) => inPlaceOf(filter, path, { path, external: true });

/** For the program itself; libraries that are set apart are bundled whole. */
export const cuts = [slimUndici, builtins, setApart, fromFile(/\/service\/index\.ts$/, './service.js')];

/** For a program with fewer commands: those of this file. */
export const withCommandsOf = (file) => inPlaceOf(/^\.\/commands\/index\.ts$/, file, { path: resolve(file) });

/** For the embedded service, which most commands do without. The errors that it throws are the program's. */
export const serviceCuts = [builtins, setApart, fromFile(/\/errors\.ts$/, './program')];

/** For the libraries that are set apart. */
export const mends = [quickTable, farthestSyntaxError, quietPassword];
