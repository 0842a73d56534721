import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Context } from '../core/command-line/command.ts';
import { isPath, recordOf } from '../core/command-line/resolve-vals.ts';
import { LocalError, UsageError } from '../core/errors.ts';
import { readText } from '../core/files/read-text.ts';
import { isUsableFile } from '../core/files/within.ts';
import type { GivenVal } from '../core/find-val/find-val.ts';
import type { Api } from '../core/http/api.ts';
import { codeOf, versionOf } from '../core/http/record-fields.ts';
import { readVersion } from '../core/http/versions.ts';
import { type JsonObject, textAt } from '../core/lib/json.ts';
import { foldersAbove, isWithin, realPath, spelledAsOnDisk } from '../core/lib/paths.ts';
import { nameForFile } from '../core/lib/vals.ts';
import type { Entry } from './modules/modules.ts';

interface KnownVersion {
  id: string;
  name: string | undefined;
  version: number;
}

export type RunTarget = FileTarget | ServiceTarget;

interface TargetBase {
  load(): Promise<Entry>;
  /** Of a val on the service: a file that does not exist, in the current folder. */
  path: string;
}

interface FileTarget extends TargetBase {
  kind: 'file';
  /** The repository that the file is in, else the folder of the nearest vals.json, else of the nearest package.json, else its own. */
  project: string;
  /** As `project`, for the file that a link leads to. Node takes that file for the module. */
  realProject: string;
}

interface ServiceTarget extends TargetBase {
  kind: 'service';
  known: KnownVersion | undefined;
  api: Api;
}

export interface RunRequest {
  /** Not resolved if the word is the path of a file. */
  val: GivenVal;
}

export async function findTarget(context: Context, { val }: RunRequest): Promise<RunTarget> {
  const { word, version } = val;
  const path = resolve(context.settings.cwd, word);
  const { agent } = context.host;
  if (isPath(word, context) && isUsableFile(path, agent)) {
    if (version === undefined) return fileTarget(context, word);
    throw new UsageError(`Only a val on the service has versions, but ${word} is a file.`, {
      hint: 'Omit the version, or give the id of the val.',
    });
  }
  if (isPath(word, context)) {
    // An agent must not learn which files are there that it may not use.
    if (agent !== undefined) {
      throw new LocalError(`There is no file ${word} that an agent may run.`, {
        hint: 'Give a file of the project, or the name of a val.',
      });
    }
    if (existsSync(path)) {
      throw new UsageError(`${word} is a folder, not a file.`, { hint: 'Give a file or the name of a val.' });
    }
    throw new LocalError(`The file ${word} does not exist.`, {
      hint: 'Check the path of the file, or give the name of a val.',
    });
  }
  return serviceTarget(context, val, version);
}

function fileTarget(context: Context, word: string): FileTarget {
  const {
    settings,
    host: { agent },
  } = context;
  const path = spelledAsOnDisk(resolve(settings.cwd, word), settings.system.platform);
  const real = realModule(path, settings.system.platform);
  const { href: url } = pathToFileURL(real);
  return {
    kind: 'file',
    load: async () => ({ name: word, code: await readText(agent ? path : real, context), url, isFile: true }),
    path,
    project: projectOf(path, agent?.filesBelow),
    realProject: projectOf(real, agent?.filesBelow),
  };
}

/** On Windows, the real path of a file on a mapped drive names the share, and the permission model knows the drive. */
export const realModule = (path: string, platform: NodeJS.Platform): string =>
  platform === 'win32' ? path : realPath(path);

function projectOf(path: string, allowed: readonly string[] | undefined): string {
  const nearestWith = (name: string) => foldersAbove(path).find((folder) => existsSync(join(folder, name)));
  const project =
    nearestWith('.git') ?? nearestWith('vals.json') ?? nearestWith('package.json') ?? dirname(path);
  // An agent's val reads no more than the agent may.
  const folder = allowed?.flatMap((each) => [each, realPath(each)]).find((each) => isWithin(each, path));
  return folder === undefined || isWithin(folder, project) ? project : folder;
}

async function serviceTarget(
  context: Context,
  given: GivenVal,
  at: number | undefined,
): Promise<ServiceTarget> {
  const { id } = given;
  const api = await context.api();
  const val = await (at === undefined ? recordOf(api, given) : readVersion(api, given, at));
  const known = knownVersion(id, at === undefined ? val : { ...val, version: at });
  const version = at ?? versionOf(val);
  const valName = textAt(val, 'name') ?? id;
  const atVersion = version === undefined ? '' : `@${version}`;
  const path = join(context.settings.cwd, `${nameForFile(valName)}${atVersion}.tsx`);
  const { href: url } = pathToFileURL(path);
  const entry = { name: `${valName}${atVersion}`, code: codeOf(val), url, isFile: false };
  return { kind: 'service', load: async () => entry, path, known, api };
}

function knownVersion(id: string, val: JsonObject): KnownVersion | undefined {
  const version = versionOf(val);
  if (version === undefined) return undefined;
  return { id: textAt(val, 'id') ?? id, name: textAt(val, 'name'), version };
}
