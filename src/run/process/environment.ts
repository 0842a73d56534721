import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { LocalError, UsageError } from '../../core/errors.ts';
import { errorMessageOf, isMissing } from '../../core/lib/system.ts';

export interface Variable {
  name: string;
  /** Undefined: the value of the person's own variable. */
  value: string | undefined;
}

export interface EnvironmentOptions {
  env: NodeJS.ProcessEnv;
  /** The code is a file of the person who runs it. Other code gets only what any program needs. */
  isOwnFile: boolean;
  /** The `.env` of the project. */
  projectFile: string | undefined;
  cwd: string;
  dotenv: readonly string[];
  variables: readonly Variable[];
  variablesBy: 'person' | 'agent';
  isSandboxed: boolean;
}

export interface Environment {
  variables: NodeJS.ProcessEnv;
  /** The names of variables that others wrote, and that the val does not get. */
  leftOut: readonly string[];
}

export const belongsToVals = (name: string): boolean => /^VALS_/i.test(name);

export const dotenvFiles = ({ isOwnFile, projectFile, cwd, dotenv }: EnvironmentOptions): string[] => [
  ...(isOwnFile && projectFile !== undefined ? [projectFile] : []),
  ...dotenv.map((file) => resolve(cwd, file)),
];

export function environmentOf(options: EnvironmentOptions): Environment {
  const { env, isOwnFile, variables, variablesBy } = options;
  const inFiles = dotenvFiles(options).flatMap((file) => Object.entries(readDotenv(file, options)));
  const own = Object.entries(env).filter(
    ([name, value]) => (isOwnFile || neededByAll.test(name)) && !isForEditors(name, value, options),
  );
  const named = variables.map(({ name, value }): Entry => [name, value ?? ownValue(name, env)]);
  const byOthers = variablesBy === 'agent' ? [...inFiles, ...named] : inFiles;
  const all = [
    ...inFiles.filter(mayBeByOthers),
    ...own,
    ...(variablesBy === 'agent' ? named.filter(mayBeByOthers) : named),
  ].filter(([name]) => !belongsToVals(name));
  const leftOut = byOthers.filter((entry) => !mayBeByOthers(entry)).map(([name]) => name);
  return { variables: Object.fromEntries(all), leftOut: [...new Set(leftOut)] };
}

type Entry = [name: string, value: string | undefined];

/** Node and the system's loader act on the other variables, so whoever sets those can open the sandbox. */
const mayBeByOthers = ([name]: Entry): boolean => !/^(?:NODE_(?!ENV$)|LD_|DYLD_|OPENSSL_)/i.test(name);

const neededByAll =
  /^(?:PATH|PATHEXT|HOME|USERPROFILE|SYSTEMROOT|WINDIR|TMPDIR|TEMP|TMP|LANG|LANGUAGE|LC_\w+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|HTTPS?_PROXY|NO_PROXY|ALL_PROXY|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(?:FILE|DIR))$/i;

/** Editors set such options for their debuggers. Node may not read these files, so the val would not start. */
const loadsFiles = /--(?:require|import|loader|experimental-loader)\b|(?:^|\s)-r\b/;

const isForEditors = (name: string, value = '', { isSandboxed }: EnvironmentOptions): boolean =>
  isSandboxed && name === 'NODE_OPTIONS' && loadsFiles.test(value);

function ownValue(name: string, env: NodeJS.ProcessEnv): string {
  const value = env[name];
  if (value !== undefined) return value;
  throw new UsageError(`--env ${name}: the variable ${name} is not set.`, {
    hint: `Set the variable, or give its value: --env ${name}=<value>.`,
  });
}

/** Only a file that `--dotenv` names has to be there. */
function readDotenv(path: string, { cwd, dotenv }: EnvironmentOptions): NodeJS.ProcessEnv {
  try {
    const text = readFileSync(path, 'utf8');
    // No variable can contain it, but a file in UTF-16 does.
    if (text.includes('\0')) throw new Error('it contains a null character');
    return parseEnv(text);
  } catch (error) {
    const named = dotenv.find((file) => resolve(cwd, file) === path);
    if (isMissing(error)) {
      if (named === undefined) return {};
      throw new LocalError(`The file ${named} does not exist.`, { hint: 'Check the path after --dotenv.' });
    }
    throw new LocalError(`${path} cannot be read: ${errorMessageOf(error)}.`, {
      hint: 'Fix the file, or move it away.',
      cause: error,
    });
  }
}
