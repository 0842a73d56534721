import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

// The two functions are kept here, because the val could replace them in their modules.
const { normalize } = path;
const { apply } = Reflect;

type AnyFunction = (...args: unknown[]) => unknown;

/**
 * Node checks `link/../file` as `file`, but the system opens the `file` beside the folder that the link leads to. So the
 * functions of `fs` get only normalized paths.
 */
export function normalizeFilePaths(): void {
  for (const module of [fs, fs.promises]) {
    for (const [name, member] of Object.entries(module)) {
      if (!isFunctionWithPath(name, member)) continue;
      const takesDescriptor = module === fs && descriptorFunctions.test(name);
      Reflect.set(module, name, withNormalPath(name, member, takesDescriptor));
    }
  }
  // The val must not replace `pathname`, because Node reads the paths of modules from it.
  Object.defineProperty(URL.prototype, 'pathname', { configurable: false });
}

/** `glob` takes patterns, and normalizes the paths itself. Names with a capital letter are classes. */
const isFunctionWithPath = (name: string, member: unknown): member is AnyFunction =>
  typeof member === 'function' && /^(?!glob)[a-z]/.test(name);

const descriptorFunctions = /^(?:f|close|append|truncate|(?:read|write)(?:v|File)?(?:Sync)?$)/;

function withNormalPath(name: string, original: AnyFunction, takesDescriptor: boolean): AnyFunction {
  const replacement = (...args: unknown[]): unknown => {
    const file = args[0];
    const method = isObject(file) ? file[name] : undefined;
    // The functions of `fs.promises` take a FileHandle too.
    if (typeof method === 'function') return apply(method, file, args.slice(1));
    if (args.length > 0) args[0] = takesDescriptor && isDescriptor(file) ? file : normalPath(file);
    return apply(original, undefined, args);
  };
  for (const key of Reflect.ownKeys(original)) {
    const value: unknown = Reflect.get(original, key);
    // The val must not get the original function, and `prototype.constructor` is the original function too.
    if (key === 'prototype' || value === original) continue;
    // `fs.realpath.native` is a function with a path too.
    const copy = typeof value === 'function' ? withNormalPath(name, value as AnyFunction, false) : value;
    Object.defineProperty(replacement, key, {
      ...Object.getOwnPropertyDescriptor(original, key),
      value: copy,
    });
  }
  return replacement;
}

/**
 * Returns no object and no number, because the val could give them the properties of a URL, and Node would open the
 * path of this URL.
 */
function normalPath(file: unknown): string | undefined {
  const text = isObject(file) ? `${textOf(file)}` : file;
  if (typeof text !== 'string') return undefined;
  return text === '' ? text : normalize(text);
}

const textOf = (file: object): string =>
  file instanceof Uint8Array ? Buffer.from(file).toString() : fileURLToPath(file as URL);

const isDescriptor = (value: unknown): value is number => typeof value === 'number' && (value | 0) === value;

const isObject = (value: unknown): value is Record<string, unknown> =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';
