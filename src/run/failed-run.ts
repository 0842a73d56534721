import { pathToFileURL } from 'node:url';
import { quoteFor } from '../core/command-line/write-hints.ts';
import { RunFailedError, type ValsError } from '../core/errors.ts';
import type { Hints } from '../core/lib/hint.ts';
import { oneLine, withoutNamespace } from '../core/lib/system.ts';
import { importFailure, placeOfImport, placeOfText } from './import-failure.ts';
import type { Modules } from './modules/modules.ts';
import { isFilePath, pathAt } from './modules/resolve.ts';
import type { Source } from './modules/transpile.ts';
import type { Ending } from './process/process.ts';
import { splitQuery, type Thrown } from './protocol.ts';

export interface FailureOptions {
  /** The val answers requests already. */
  isServing: boolean;
  /** Whose shell takes the commands of hints. */
  platform: NodeJS.Platform;
}

export function thrownFailure(
  thrown: Thrown,
  modules: Modules,
  { isServing, platform }: FailureOptions,
): ValsError {
  const known = modules.failures.get(messageOf(thrown));
  if (known !== undefined) return known;
  const missing = missingImport(thrown, modules);
  if (missing !== undefined) return missing;
  if (thrown.takesRequests && !isServing && thrown.text.startsWith('TypeError: ')) {
    return new RunFailedError(`${modules.entry.name} answers HTTP requests, and it got none.`, {
      hint: serveHint,
    });
  }
  const { lines, first } = ownLines(thrown.whole, modules);
  const place = first?.place ?? placeOfRefused(thrown, modules) ?? placeWithoutFrames(thrown, modules);
  const hint = permissionHint(thrown, modules, platform) ?? hintFor(thrown, modules, { isServing });
  const isWholeInMessage = lines.length <= 2 && !thrown.text.includes('\n');
  return new RunFailedError(
    `${modules.entry.name} failed: ${summaryOf(problemOf(thrown))}${place === undefined ? '' : ` (${place})`}.`,
    {
      body: lines.join('\n'),
      ...(hint !== undefined && { hint }),
      ...(!isWholeInMessage && { details: lines }),
    },
  );
}

/** Without the name of the error. */
const messageOf = ({ text }: Thrown): string => text.replace(/^\w+: /, '');

/** The first line, without what it opens: a ZodError has JSON for its message. The whole error is shown, too. */
const summaryOf = (problem: string): string => problem.replace(/\n.*/s, '').replace(/[\s.:,[({]+$/, '');

/** Node proposes its own flags, but vals has others. */
function problemOf({ text, code, permission, resource }: Thrown): string {
  if (code === 'ERR_DLOPEN_FAILED') return oneLine(text);
  if (permission === undefined) return text;
  const denied = [permission, resource && withoutNamespace(resource)].filter(Boolean).join(', ');
  return `${text.replace(/\.? *(?:Use --allow-.*)?$/s, '')} (${denied})`;
}

function permissionHint(
  { code, permission, resource }: Thrown,
  { entry }: Modules,
  platform: NodeJS.Platform,
): Hints | undefined {
  const path = resource === undefined ? '<path>' : quoteFor(platform)(withoutNamespace(resource));
  switch (permission) {
    case 'FileSystemRead':
      return [
        entry.isFile
          ? 'A val may read only its project (not if that is your home folder) and its packages.'
          : 'On the service a val is a single file, so it may read only its packages.',
        `To allow more, add --allow-read ${path} before the file or val.`,
      ];
    case 'FileSystemWrite':
      return ['A val may write no files.', `To allow it, add --allow-write ${path} before the file or val.`];
    case 'Inspector':
      return 'To debug the val, add --inspect before the file or val.';
  }
  if (permission !== undefined || code === 'ERR_DLOPEN_DISABLED') {
    return [
      'A val may not start programs or threads, or load native addons.',
      'To allow it, add --allow-run before the file or val.',
    ];
  }
  return undefined;
}

function hintFor(
  { text, code, whole }: Thrown,
  modules: Modules,
  { isServing }: Pick<FailureOptions, 'isServing'>,
): Hints | undefined {
  if (/\bDeno is not defined\b/.test(text)) {
    return 'vals runs code with Node, which has no `Deno`. Use the modules of Node instead, such as `process.env` and `node:fs`.';
  }
  if (code === 'ERR_UNKNOWN_BUILTIN_MODULE') return 'Fix the import, or use a Node that has the module.';
  if (code === 'ERR_UNSUPPORTED_ESM_URL_SCHEME') return hintForScheme(modules);
  if (code === 'ERR_REQUIRE_ESM' || failsInRequire(whole)) {
    return 'This Node cannot `require` an ES module here. Use `import`, or a newer Node, such as 22.23.3 or 24.11.1.';
  }
  if (!modules.requireUsesHooks && requiresTypeScript(whole)) {
    return 'Before Node 22.15, `require` loads TypeScript only from CommonJS. Use `import`, or a newer Node.';
  }
  return isServing || !requestUse.test(modules.entry.code) ? undefined : serveHint;
}

function hintForScheme({ sources }: Modules): string {
  for (const { code } of sources.values()) {
    const [, name] = /['"]jsr:\/?(@[\w-]+\/[\w-]+)['"@/]/.exec(code) ?? [];
    if (name !== undefined)
      return `To install the package, run \`npx jsr add ${name}\`. Then import '${name}'.`;
  }
  return 'Import a file, a package, a module of Node or an https: address instead.';
}

const serveHint = 'To serve a val that answers HTTP requests, add --http before the file or val.';

/** On older Nodes, the `require` of an ES module by a module whose source came from a hook fails so. */
const failsInRequire = (whole: string): boolean =>
  /^.*\n(?: +at ModuleJob\.runSync .*\n)? +at require \(node:internal\/modules\/esm\/translators/.test(whole);

/** Node takes the file for JavaScript, and names it before the error. */
const requiresTypeScript = (whole: string): boolean =>
  /^\S.*\.[cm]?tsx?:\d+\n.*\n +at wrapSafe /s.test(whole);

const requestUse =
  /\bRequest\b|^export default \w+\.fetch\b|\breq(?:uest)?\.(?:url|method|headers|json|text|formData)\b/m;

const isMissing = new Set([
  ...['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'],
  'ERR_PACKAGE_IMPORT_NOT_DEFINED',
]);

function missingImport(thrown: Thrown, { sources, onFile }: Modules): ValsError | undefined {
  if (!isMissing.has(thrown.code ?? '')) return undefined;
  const { specifier, importer } = thrown.importer === undefined ? missingRequire(thrown.text) : thrown;
  const source = sources.get(importer ?? '') ?? sources.get(splitQuery(importer ?? '')[0]);
  if (specifier === undefined || importer === undefined || source === undefined) return undefined;
  // The val can run as soon as the file is created.
  if (isFilePath(specifier) && importer.startsWith('file:')) onFile(pathAt(specifier, importer));
  return importFailure(specifier, importer, source);
}

/** On older Nodes, the hooks do not see each `require`. */
function missingRequire(text: string): Pick<Thrown, 'specifier' | 'importer'> {
  const [, specifier, path] = /Cannot find module '(.+)'\nRequire stack:\n- (.+)/.exec(text) ?? [];
  return specifier && path ? { specifier, importer: pathToFileURL(path).href } : {};
}

const placeOfRefused = ({ resource = '' }: Thrown, { refused }: Modules): string | undefined =>
  refused.get(withoutNamespace(resource));

/** A module that is refused before it runs has no frames. */
function placeWithoutFrames({ text }: Thrown, modules: Modules): string | undefined {
  const [, specifier] = /(?:requested module '|No such built-in module: )([^'\s]+)/.exec(text) ?? [];
  const [, scheme] = /Received protocol '([^']+)'/.exec(text) ?? [];
  const [, literal] = /^SyntaxError: Invalid regular expression: (\/.*\/)\w*: /.exec(text) ?? [];
  for (const source of modules.sources.values()) {
    const place =
      (specifier && placeOfImport(specifier, source)) ||
      (scheme && (placeOfText(`'${scheme}`, source) ?? placeOfText(`"${scheme}`, source))) ||
      (literal && placeOfText(literal, source));
    if (place) return place;
  }
  return undefined;
}

const frame =
  /^(\s+at (?:async )?)(?:(.*) \()?((?:file:|https?:|[A-Za-z]:[\\/]|\/|node:).*?):(\d+):(\d+)\)?([,\s{[]*)$/;
const isPath = /^(?:\/|[A-Za-z]:[\\/])/;
const ofVals = /[\\/]run[\\/](?:main|preload|hooks)\.cjs$/;

interface OwnFrame {
  place: string;
  source: Source;
  row: number;
  column: number;
}

/** Leaves out the frames of Node and of vals, and names the files as the command line does. */
function ownLines(whole: string, modules: Modules): { lines: string[]; first: OwnFrame | undefined } {
  const lines: string[] = [];
  let first: OwnFrame | undefined;
  for (const line of whole.split('\n')) {
    const [, at, called, file = '', row, column, rest] = frame.exec(line) ?? [];
    const url = isPath.test(file) ? pathToFileURL(file).href : file;
    const source = modules.sources.get(url) ?? modules.sources.get(splitQuery(url)[0]);
    if (at === undefined || (source === undefined && !file.startsWith('node:') && !ofVals.test(file))) {
      lines.push(line);
    } else if (source === undefined) {
      // The line may end with the bracket that opens the other properties of the error.
      lines.push(`${lines.pop() ?? ''}${rest}`);
    } else {
      const place = `${source.name}:${row}:${column}`;
      first ??= { place, source, row: Number(row), column: Number(column) };
      const callee = called?.replace(/^(async )?(?:Module|Object)\./, '$1');
      lines.push(`${at}${callee ? `${callee} (${place})` : place}${rest}`);
    }
  }
  return { lines, first };
}

export function endingFailure(name: string, { code, signal, startError }: Ending): RunFailedError {
  if (startError !== undefined) {
    return new RunFailedError(`${name} could not be started: ${startError.message}.`, { cause: startError });
  }
  if (code === 13) {
    return new RunFailedError(
      `${name} never finished: it waits for a promise, and nothing is left that could resolve the promise.`,
      { hint: 'Look for a promise that is never resolved.' },
    );
  }
  if (code !== null) {
    return new RunFailedError(`${name} ended with exit code ${code}.`, {
      hint: 'The output of the val may say why.',
    });
  }
  return new RunFailedError(`${name} was ended by ${signal}.`, {
    hint: 'The val ended itself, or another program or the system ended it.',
  });
}

export const tookTooLong = (name: string, seconds: number): RunFailedError =>
  new RunFailedError(`${name} took longer than ${seconds} s and was ended.`, {
    hint: 'To give the val more time, add --max-time <seconds> before the file or val.',
  });
