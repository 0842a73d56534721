// What the build leaves out of libraries, or sets apart, so that a start loads what it runs.
import { readFile } from 'node:fs/promises';

/**
 * undici's index loads fetch, mocks, caches and HTTP/2, 50 ms of what we never use. We use a client's `dispatch`.
 */
export const slimUndici = {
  name: 'slim-undici',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'slim-undici' }));
    onLoad({ filter: /./, namespace: 'slim-undici' }, () => ({
      resolveDir: process.cwd(),
      contents: `
        export { default as Client } from 'undici/lib/dispatcher/client.js';
        export { default as buildConnector } from 'undici/lib/core/connect.js';`,
    }));
    onLoad({ filter: /undici\/lib\/(?:dispatcher\/client-h2|web\/fetch\/body)\.js$/ }, () => ({
      contents: `module.exports = () => { throw new Error('left out of the build of vals') };`,
    }));
    // Every Node that we run on has SIMD; the parser's other half is as large again.
    onLoad({ filter: /undici\/lib\/llhttp\/llhttp-wasm\.js$/ }, () => ({
      contents: 'module.exports = undefined;',
    }));
  },
};

/**
 * Builtins that a library loads at once for parts of it that we do not use, each some milliseconds at every start:
 * commander for commands that are programs of their own, undici for one constant, one class and plain assertions.
 */
export const lightBuiltins = {
  name: 'light-builtins',
  setup({ onResolve, onLoad }) {
    const light = {
      'node:child_process': 'module.exports = {};',
      'node:http': 'module.exports = { maxHeaderSize: 16_384, IncomingMessage: class {} };',
      'node:assert': `
        const assert = (value, message) => {
          if (!value) throw message instanceof Error ? message : new Error(message || 'an assertion of undici failed');
        };
        assert.ok = assert;
        assert.equal = assert.strictEqual = (a, b, message) => assert(a === b, message);
        assert.notStrictEqual = (a, b, message) => assert(a !== b, message);
        module.exports = assert;`,
    };
    onResolve({ filter: /^node:(?:child_process|http|assert)$/ }, ({ path, importer }) =>
      /node_modules\/(?:commander|undici)\//.test(importer)
        ? { path, namespace: 'light-builtins' }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'light-builtins' }, ({ path }) => ({ contents: light[path] }));
  },
};

/**
 * sucrase tries one reading after another and tells of the last that failed, which for a slip inside of a function is
 * the function's first line. The reading that came farthest is the one that was meant.
 */
export const farthestSyntaxError = {
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

/**
 * Libraries that few commands use, each in a file of its own: parsing one costs a start more than the rest of it.
 * What a file exports is what we import from any module of the library.
 */
export const librariesApart = {
  'cli-table3': `export { default } from 'cli-table3';`,
  chokidar: `export { watch } from 'chokidar';`,
  conf: `export { default } from 'conf';`,
  diff: `export { diffArrays, formatPatch, OMIT_HEADERS, structuredPatch } from 'diff';`,
  ora: `export { default } from 'ora';`,
  sucrase: `export { transform } from 'sucrase/dist/esm/index.js';`,
  hono: `
    export { Hono } from 'hono';
    export { methodNotAllowed } from 'hono/method-not-allowed';
    export { getRequestListener } from '@hono/node-server';`,
};

/**
 * cli-table3 measures text with a string-width of its own, older than ours and slow where text is plain: it gets ours,
 * so that both agree on how wide a cell is. And it works out anew for each cell what is the same in all of them, and
 * what only its debugging shows; without that, a table of many rows takes a quarter of the time.
 */
export const quickTable = {
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

export const setApart = {
  name: 'set-apart',
  setup({ onResolve }) {
    const names = Object.keys(librariesApart).join('|');
    onResolve({ filter: new RegExp(`^@?(?:${names})(?:/|$)`) }, ({ path, importer }) =>
      /node_modules|<stdin>/.test(importer)
        ? undefined
        : { path: `./libraries/${new RegExp(names).exec(path)[0]}.js`, external: true },
    );
  },
};
