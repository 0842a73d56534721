import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { folderOfService } from '../../src/workspace/records.ts';
import {
  frontOf,
  passOn,
  type RunningService,
  serviceInProcess,
} from '../service/support/service-in-process.ts';
import {
  type RunResult,
  run,
  runOnScreen,
  type ScreenOptions,
  temporaryFolder,
  writeFiles,
} from '../support/program.ts';
import { reachable } from '../support/proxy.ts';
import type { Reply, Seen } from '../support/scripted-service.ts';

export interface Row {
  file: string;
  name: string;
  status: string;
  id?: string;
  version?: number;
  diff?: string;
  error?: { kind: string; exit: number; message: string; hint?: string };
}

export type Env = Record<string, string>;

export class Service {
  constructor(
    readonly process: Omit<RunningService, 'end'> & { end(signal: NodeJS.Signals): Promise<unknown> },
  ) {}

  get env(): Env {
    return this.process.env;
  }

  get baseUrl(): string {
    return this.process.baseUrl;
  }

  get token(): string {
    return this.process.token;
  }

  /** The code of a version never changes, so it is read once. */
  readonly #codes = new Map<string, Promise<string>>();
  #codeOf(path: string): Promise<string> {
    const known =
      this.#codes.get(path) ?? this.ask('GET', path).then((body) => (body as { code: string }).code);
    this.#codes.set(path, known);
    return known;
  }

  async ask(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text);
  }

  edit = async (name: string, code: string): Promise<{ id: string; version: number }> =>
    (await this.ask('PUT', '/v1/vals', { name, code })) as { id: string; version: number };

  delete = (id: string): Promise<unknown> => this.ask('DELETE', `/v1/vals/${id}`);

  /** The vals of the caller. */
  async vals(): Promise<{ id: string; name: string }[]> {
    const { id } = (await this.ask('GET', '/v1/me')) as { id: string };
    const list = await this.ask('GET', `/v1/users/${id}/vals?limit=100`);
    return (list as { data: { id: string; name: string }[] }).data;
  }

  async code(id: string): Promise<string> {
    return ((await this.ask('GET', `/v1/vals/${id}`)) as { code: string }).code;
  }

  async versions(id: string): Promise<string[]> {
    const { data } = (await this.ask('GET', `/v1/vals/${id}/versions`)) as { data: { version: number }[] };
    const numbers = data.map(({ version }) => version).sort((a, b) => a - b);
    return Promise.all(numbers.map((version) => this.#codeOf(`/v1/vals/${id}/versions/${version}`)));
  }
}

export const newService = async (): Promise<Service> => new Service(await serviceInProcess());

/** A service that vals.json lists, because others can reach it. */
export async function reachableService(name?: string): Promise<Service> {
  const running = await serviceInProcess();
  const front = await frontOf(running, () => undefined);
  return new Service({ ...running, env: await reachable(front.env, name) });
}

/** A service that gives other replies to some requests. */
export async function serviceWith(instead: (seen: Seen, service: Service) => Reply | undefined) {
  const service = await newService();
  const front = await frontOf(service.process, (seen) => instead(seen, service));
  const writes = () => front.requests.filter(({ method }) => method !== 'GET');
  return { ...front, service, writes };
}

/** Passes a request on to the service after something else happened, such as a change by somebody else. */
export const passOnAfter =
  ({ process }: Service, act: () => Promise<unknown>): Reply =>
  async (response, seen) => {
    await act();
    await passOn(process, response, seen);
  };

export const noList = ({ path }: Seen): Reply | undefined =>
  path.startsWith('/v1/users/') ? { status: 404, body: {} } : undefined;

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

  async rows(args: string[], exit = 0): Promise<Row[]> {
    const result = await this.vals(...args, '--json');
    const remarks =
      /^(?:warning: |The old content of .* is kept in |.* not sent, because the service has newer code).*\n/gm;
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

  move(from: string, to: string): void {
    if (!existsSync(join(this.folder, from))) return;
    this.put({ [to]: this.read(from) });
    this.remove(from);
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

  records(): { path: string; code: string; file: string; id?: string; name: string }[] {
    const files = this.ownFiles().filter(({ path }) => path.endsWith('.txt'));
    return files.map(({ path, text }) => {
      const end = text.indexOf('\n');
      return { path, ...JSON.parse(text.slice(0, end)), code: text.slice(end + 1) };
    });
  }

  loseRecords(): void {
    rmSync(join(this.home, '.local/share/vals/workspaces'), { recursive: true, force: true });
  }

  manifest = (): { services?: string[]; names?: Record<string, string> } =>
    JSON.parse(this.read('vals.json'));

  /** The id that the record has. */
  idOf(file: string): string {
    const folder = `/${folderOfService(this.env.VALS_BASE_URL ?? '')}/`;
    return this.records().find((each) => each.path.includes(folder) && each.file === file)?.id ?? '';
  }
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
  const there = service ?? (await newService());
  const place = new Place(temporaryFolder(), there.env);
  place.put(files);
  for (const args of [['init'], ['push']]) {
    expect(await place.vals(...args)).toMatchObject({ exit: 0, stderr: '' });
  }
  return { place, service: there };
}
