import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

// These constants keep the original functions, because the val could replace the properties of `path` and `Reflect`.
const { normalize } = path;
const { apply } = Reflect;

type AnyFunction = (...args: unknown[]) => unknown;

/**
 * For `link/../file`, Node's permission model checks `file`, but the system opens the `file` beside the target of the
 * link. So the functions of `fs` get only normalized paths.
 */
export function normalizeFilePaths(): void {
  for (const module of [fs, fs.promises]) {
    for (const [name, member] of Object.entries(module)) {
      if (!isFunctionWithPath(name, member)) continue;
      const takesDescriptor = module === fs && descriptorFunctions.test(name);
      Reflect.set(module, name, withNormalPath(name, member, takesDescriptor));
    }
  }
  keepGettersOfUrls();
}

/**
 * The val must not replace a getter of URLs, because Node reads the paths of modules and source maps from `pathname`.
 * A replaced getter of another property, such as `hostname`, could change the `pathname` of its URL.
 */
function keepGettersOfUrls(): void {
  for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(URL.prototype))) {
    if (get !== undefined) Object.defineProperty(URL.prototype, name, { configurable: false });
  }
}

/** `glob` is left out, because it normalizes paths itself. A name that begins with a capital letter is a class. */
const isFunctionWithPath = (name: string, member: unknown): member is AnyFunction =>
  typeof member === 'function' && /^(?!glob)[a-z]/.test(name);

const descriptorFunctions = /^(?:f|close|append|truncate|(?:read|write)(?:v|File)?(?:Sync)?$)/;

function withNormalPath(name: string, original: AnyFunction, takesDescriptor: boolean): AnyFunction {
  const replacement = (...args: unknown[]): unknown => {
    const file = args[0];
    const method = isObject(file) ? file[name] : undefined;
    // A function of `fs.promises` may get a FileHandle, which has a method of the same name.
    if (typeof method === 'function') return apply(method, file, args.slice(1));
    if (args.length > 0) args[0] = takesDescriptor && isDescriptor(file) ? file : normalPath(file);
    return apply(original, undefined, args);
  };
  for (const key of Reflect.ownKeys(original)) {
    const value: unknown = Reflect.get(original, key);
    // Properties such as `prototype.constructor` would give the original function to the val.
    if (key === 'prototype' || value === original) continue;
    // For example, `fs.realpath.native` takes a path too.
    const copy = typeof value === 'function' ? withNormalPath(name, value as AnyFunction, false) : value;
    Object.defineProperty(replacement, key, {
      ...Object.getOwnPropertyDescriptor(original, key),
      value: copy,
    });
  }
  return replacement;
}

/**
 * Returns only a string or undefined. The val could add the properties of a URL to an object or a number, and Node
 * would then open the path of that URL.
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
