import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  environment,
  type RunResult,
  run,
  runOnScreen,
  type ScreenOptions,
  temporaryFolder,
  writeFiles,
} from '../support/program.ts';
import { reachable } from '../support/proxy.ts';
import type { Reply, Seen } from '../support/scripted-service.ts';
import { type Switches, usualFields } from '../support/strict/switches.ts';
import { type StrictService, startStrict } from '../support/strict-service.ts';

export interface Row {
  file: string;
  name: string;
  status: string;
  reason?: string;
  plan?: string;
  id?: string;
  version?: number;
  versionBefore?: number;
  diff?: string;
  error?: { kind: string; exit: number; message: string; hint?: string };
}

export type Env = Record<string, string>;

export type Service = StrictService;

/** What a service with everything has beside the 14 routes. */
export const withEverything: Switches = {
  ...usualFields,
  ...{ list: true, codeHash: true, etag: true, changeVal: true },
};

/** The kinds of services that a workspace has to work with. */
export const kindsOfServices: [string, Switches][] = [
  ['the 14 routes alone', { versionsOfOthers: 404, answersVersions: true }],
  ['the usual fields', usualFields],
  ['a list, codeHash and ETag', withEverything],
];

/** A service that vals.json lists, because others can reach it. */
export async function reachableService(name?: string, switches: Switches = {}): Promise<Service> {
  const service = await startStrict(switches);
  return { ...service, env: await reachable(service.env, name) };
}

/** A service that gives other replies to some requests. */
export async function serviceWith(
  instead: (seen: Seen, service: Service) => Reply | undefined,
  switches: Switches = withEverything,
): Promise<Service> {
  const service = await startStrict(switches);
  service.switches.instead = (seen) => instead(seen, service);
  return service;
}

/** Carries a request out, and loses the answer. */
export const loseAnswer =
  (service: Service): Reply =>
  (response, seen) => {
    service.handle(seen);
    response.destroy();
  };

export class Place {
  constructor(
    readonly folder: string,
    readonly env: Env,
    readonly home: string = temporaryFolder(),
  ) {}

  vals = (...args: string[]): Promise<RunResult> =>
    run(args, { cwd: this.folder, env: this.env, home: this.home });

  pipe = (input: string, ...args: string[]): Promise<RunResult> =>
    run(args, { cwd: this.folder, env: this.env, home: this.home, input });

  onScreen = (args: string[], options: ScreenOptions = {}) =>
    runOnScreen(args, { cwd: this.folder, env: this.env, home: this.home, ...options });

  /** A folder of it, or itself with other variables. */
  at = (folder: string, env: Env = {}): Place =>
    new Place(join(this.folder, folder), { ...this.env, ...env }, this.home);

  async rows(args: string[], exit = 0): Promise<Row[]> {
    const result = await this.vals(...args, '--json');
    const remarks =
      /^(?:warning: |The old content of .* is kept in |vals\.json has the ids? of |"ids" of vals\.json does not have |Th(?:is val|ese vals) ha(?:s|ve) lost |.* not sent, because (?:its|their) vals? changed on the service|.* newer code than the service|.* is a new val\. If it is |.* the code of version \d+ again|"ids" of vals\.json has |.* is a copy of somebody else's val\. ).*\n/gm;
    const stderr = exit === 0 ? result.stderr.replace(remarks, '') : '';
    expect({ exit: result.exit, stderr }).toEqual({ exit, stderr: '' });
    return JSON.parse(result.stdout);
  }

  async words(args: string[], exit = 0): Promise<Record<string, string>> {
    return Object.fromEntries((await this.rows(args, exit)).map(({ file, status }) => [file, status]));
  }

  status = (): Promise<Record<string, string>> => this.words(['status']);

  put = (files: Record<string, string | Uint8Array>): void => writeFiles(this.folder, files);

  remove(...paths: string[]): void {
    for (const path of paths) rmSync(join(this.folder, path), { recursive: true });
  }

  read = (file: string): string => readFileSync(join(this.folder, file), 'utf8');

  /** What vals keeps of this workspace in the data directory. */
  ownFiles(): { path: string; text: string }[] {
    const folder = join(this.home, '.local/share/vals/workspaces');
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
  }

  backups = (): string[] =>
    this.ownFiles().flatMap(({ path, text }) => (path.includes('/backup/') ? text : []));

  /** What this folder and the service in use last had in common, by the names of the vals. */
  records(): Record<string, { id: string; version?: number; blob: string; commit?: string }> {
    const file = `/syncs/${encodeURIComponent(this.env.VALS_BASE_URL ?? 'local')}.json`;
    const found = this.ownFiles().find(({ path }) => path.endsWith(file));
    return found === undefined ? {} : JSON.parse(found.text).vals;
  }

  loseRecords(): void {
    rmSync(join(this.home, '.local/share/vals/workspaces'), { recursive: true, force: true });
  }

  manifest = (): {
    services?: string[];
    names?: Record<string, string>;
    privacy?: string;
    ids?: Record<string, Record<string, string>>;
  } => JSON.parse(this.read('vals.json'));
}

export function workspaceWith(env: Env, files: Record<string, string | Uint8Array> = {}): Place {
  const place = new Place(temporaryFolder(), env);
  place.put({ 'vals.json': '{}', ...files });
  return place;
}

export async function pushed(
  files: Record<string, string>,
  service?: Service,
): Promise<{ place: Place; service: Service }> {
  const there = service ?? (await startStrict());
  const place = new Place(temporaryFolder(), there.env);
  place.put(files);
  for (const args of [['init'], ['push']]) {
    expect(await place.vals(...args)).toMatchObject({ exit: 0, stderr: '' });
  }
  return { place, service: there };
}

let seconds = 1_800_000_000;

/** The time of the last command of git, for a service that shall know the same time. */
export const timeOfGit = (): number => seconds * 1_000;

/** A workspace in a repository of git, of one person or of CI, with a home of its own. */
export class Clone extends Place {
  git(...args: string[]): string {
    seconds += 10;
    const date = `${seconds} +0000`;
    const person = ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'Ann'],
      [`GIT_${who}_EMAIL`, 'ann@example.com'],
      [`GIT_${who}_DATE`, date],
    ]);
    return execFileSync('git', ['-c', 'advice.detachedHead=false', ...args], {
      cwd: this.folder,
      env: { ...environment(this.home), ...Object.fromEntries(person) },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  }

  /** Returns false where git refuses, such as a commit without a change. */
  tryGit(...args: string[]): boolean {
    try {
      this.git(...args);
      return true;
    } catch {
      return false;
    }
  }

  /** Writes the files, removes those without a text, and commits everything. */
  commit(files: Record<string, string | undefined> = {}): this {
    for (const [path, text] of Object.entries(files)) {
      if (text === undefined) this.remove(path);
      else this.put({ [path]: text });
    }
    this.git('add', '-A');
    this.git('commit', '-qm', 'change');
    return this;
  }

  move(from: string, to: string): this {
    this.git('mv', from, to);
    return this.commit();
  }

  has = (file: string): boolean => existsSync(join(this.folder, file));

  /** The ids of all codes in the history of HEAD. */
  history(): Set<string> {
    if (!this.tryGit('rev-parse', 'HEAD')) return new Set();
    const objects = this.git('rev-list', '--objects', 'HEAD').split('\n');
    return new Set(objects.map((line) => line.split(' ', 1)[0] ?? ''));
  }

  /** Another clone of the same repository: a colleague, or CI. */
  clone(...options: string[]): Clone {
    const folder = join(temporaryFolder(), 'clone');
    this.git('clone', '-q', ...options, `file://${this.folder}`, folder);
    return new Clone(folder, this.env);
  }
}

/** A repository with a vals.json and these files, committed. */
export function repository(env: Env, files: Record<string, string>): Clone {
  const clone = new Clone(temporaryFolder(), env);
  clone.git('init', '-q', '-b', 'main');
  clone.commit({ 'vals.json': '{}' });
  clone.commit(files);
  return clone;
}
