import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { LocalError, UsageError } from '../errors.ts';
import { errorMessageOf, isMissing } from '../lib/system.ts';

export interface Variable {
  name: string;
  /** Undefined: the value of the person's own variable. */
  value: string | undefined;
}

export interface EnvironmentOptions {
  env: NodeJS.ProcessEnv;
  /** The code is a file of the person who runs it. Other code gets only what any program needs. */
  isOwnFile: boolean;
  project: string | undefined;
  cwd: string;
  dotenv: readonly string[];
  variables: readonly Variable[];
  isSandboxed: boolean;
}

export const belongsToVals = (name: string): boolean => /^VALS_/i.test(name);

export const dotenvFiles = (options: EnvironmentOptions): string[] => [
  ...projectFile(options),
  ...options.dotenv.map((file) => resolve(options.cwd, file)),
];

const projectFile = ({ isOwnFile, project }: EnvironmentOptions): string[] =>
  isOwnFile && project !== undefined ? [join(project, '.env')] : [];

export function environmentOf(options: EnvironmentOptions): NodeJS.ProcessEnv {
  const { env, isOwnFile, cwd, dotenv, variables } = options;
  const own = Object.entries(env).filter(([name]) => isOwnFile || neededByAll.test(name));
  const inherited = [
    ...projectFile(options).flatMap((file) => Object.entries(readDotenv(file) ?? {})),
    ...dotenv.flatMap((file) => Object.entries(readNamedDotenv(file, cwd))),
    ...own,
  ].filter(([name, value]) => !isForEditors(name, value, options));
  const named = variables.map(({ name, value }) => [name, value ?? ownValue(name, env)] as const);
  return Object.fromEntries([...inherited, ...named].filter(([name]) => !belongsToVals(name)));
}

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

function readNamedDotenv(file: string, cwd: string): NodeJS.ProcessEnv {
  const variables = readDotenv(resolve(cwd, file));
  if (variables !== undefined) return variables;
  throw new LocalError(`The file ${file} does not exist.`, { hint: 'Check the path after --dotenv.' });
}

function readDotenv(file: string): NodeJS.ProcessEnv | undefined {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new LocalError(`${file} cannot be read: ${errorMessageOf(error)}.`, {
      hint: 'Fix the file, or move it away.',
      cause: error,
    });
  }
}
