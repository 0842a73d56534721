import { randomUUID } from 'node:crypto';
import { type Answer, absent, fieldsOf, pageOf, Refusal } from './answers.ts';
import {
  addVersion,
  changeFields,
  createVal,
  currentOf,
  etagOf,
  listedVal,
  listedVersion,
  oneVersion,
  type Person,
  type Run,
  type Store,
  type Val,
  valNamed,
  valRecord,
} from './store.ts';
import type { Switches } from './switches.ts';

export interface Request {
  store: Store;
  switches: Switches;
  /** Undefined without a token, which only the route of one val allows. */
  person: Person | undefined;
  url: URL;
  ids: Record<string, string>;
  ifMatch: string | undefined;
  body: Record<string, unknown>;
}

export interface Route {
  method: string;
  path: string;
  answer(request: Request): Answer;
}

const route = (line: string, answer: Route['answer']): Route => {
  const [method = '', path = ''] = line.split(' ');
  return { method, path, answer };
};

const ok = (body: unknown): Answer => ({ status: 200, body });

const me = ({ person }: Request): Person => person ?? { id: '', username: '' };

const isMine = ({ person }: Request, { owner }: Val): boolean => person?.id === owner.id;

function readable(request: Request): Val {
  const val = request.store.vals.get(request.ids.val_id ?? '');
  const isHidden = val?.privacy === 'private' && !isMine(request, val);
  if (val === undefined || isHidden) throw absent('val');
  return val;
}

/** Its versions and runs. */
function inspectable(request: Request): Val {
  const val = readable(request);
  const { versionsOfOthers } = request.switches;
  if (versionsOfOthers === undefined || isMine(request, val)) return val;
  throw new Refusal(versionsOfOthers, 'not your val');
}

function writable(request: Request): Val {
  const val = inspectable(request);
  if (!isMine(request, val)) throw new Refusal(403, 'this val belongs to somebody else');
  return matching(request, val);
}

function matching({ switches, ifMatch }: Request, val: Val): Val {
  const isStale = switches.etag && ifMatch !== undefined && ifMatch !== '*' && ifMatch !== etagOf(val);
  if (isStale) throw new Refusal(412, 'the val has changed');
  return val;
}

const headersOf = ({ etag }: Switches, val: Val): Record<string, string> =>
  etag ? { etag: etagOf(val) } : {};

const valAnswer = ({ switches }: Request, val: Val, status = 200): Answer => ({
  status,
  headers: headersOf(switches, val),
  body: valRecord(val, switches),
});

/** The answer to a write, as the service answers writes. */
function written(request: Request, val: Val, status: number): Answer {
  const { writes = 'exact' } = request.switches;
  const answer = valAnswer(request, val, writes === 'always 200' ? 200 : status);
  return writes === 'empty' ? { ...answer, status: 204, body: undefined } : answer;
}

function refuseTakenName(request: Request, name: string | undefined, own?: Val): void {
  const taken = name === undefined ? undefined : valNamed(request.store, me(request), name);
  if (taken === undefined || taken === own) return;
  throw new Refusal(409, `the name ${name} is already taken`);
}

function versionOf(request: Request, val: Val) {
  const version = val.versions.find((each) => String(each.version) === request.ids.version);
  if (version === undefined) throw absent('version');
  return version;
}

const newestFirst = (runs: readonly Run[]): Run[] =>
  runs.toSorted((a, b) => Date.parse(b.runStartAt) - Date.parse(a.runStartAt));

const withoutLogs = ({ logs: _left, ...run }: Run): object => run;

/** The routes of the documented interface. */
const documented: Route[] = [
  route('GET /v1/me', (request) => ok(me(request))),
  route('GET /v1/me/runs', ({ store, url }) => pageOf(newestFirst(store.runs).map(withoutLogs), url)),
  route('GET /v1/me/likes', ({ url }) => pageOf([], url)),
  route('GET /v1/me/comments', ({ url }) => pageOf([], url)),
  route('GET /v1/me/references', () => ok({ data: [], links: {} })),
  route('POST /v1/vals', (request) => {
    const fields = fieldsOf(request.body, ['name', 'code'], ['readme', 'privacy']);
    const name = fields.name ?? '';
    refuseTakenName(request, name);
    const val = createVal(request.store, request.switches, me(request), { ...fields, name });
    return written(request, val, 201);
  }),
  route('PUT /v1/vals', (request) => {
    const { store, switches } = request;
    const { name = '', code = '' } = fieldsOf(request.body, ['name', 'code']);
    const known = valNamed(store, me(request), name);
    if (known === undefined) {
      return written(request, createVal(store, switches, me(request), { name, code }), 201);
    }
    addVersion(store, switches, matching(request, known), code);
    return written(request, known, 200);
  }),
  route('GET /v1/vals/{val_id}', (request) => valAnswer(request, readable(request))),
  route('DELETE /v1/vals/{val_id}', (request) => {
    request.store.vals.delete(writable(request).id);
    return { status: 204 };
  }),
  route('GET /v1/vals/{val_id}/versions', (request) => {
    const val = inspectable(request);
    const rows = val.versions.toReversed().map((each) => listedVersion(each, request.switches));
    return ok({ data: rows, links: {} });
  }),
  route('POST /v1/vals/{val_id}/versions', (request) => {
    const { store, switches } = request;
    const val = writable(request);
    const { code = '' } = fieldsOf(request.body, ['code']);
    const { answersVersions: isAlwaysNew = false } = switches;
    const isNew = addVersion(store, switches, val, code, { isAlwaysNew });
    if (isAlwaysNew) return { status: 201, body: { version: currentOf(val).version, code } };
    return written(request, val, isNew ? 201 : 200);
  }),
  route('GET /v1/vals/{val_id}/versions/{version}', (request) => {
    const val = inspectable(request);
    return ok(oneVersion(val, versionOf(request, val), request.switches));
  }),
  route('DELETE /v1/vals/{val_id}/versions/{version}', (request) => {
    const val = writable(request);
    const version = versionOf(request, val);
    if (val.versions.length === 1) throw new Refusal(409, 'a val has at least one version');
    val.versions = val.versions.filter((each) => each !== version);
    val.state += 1;
    return { status: 204 };
  }),
  route('GET /v1/vals/{val_id}/runs', (request) => {
    const { id } = readable(request);
    const runs = request.store.runs.filter(({ val }) => val.id === id);
    return pageOf(newestFirst(runs).map(withoutLogs), request.url);
  }),
];

const list = route('GET /v1/users/{user_id}/vals', (request) => {
  const { store, ids, url, switches } = request;
  const vals = [...store.vals.values()].filter(({ owner }) => owner.id === ids.user_id);
  if (vals.length === 0 && ids.user_id !== me(request).id) throw absent('user');
  const seen = vals.filter((val) => val.privacy === 'public' || isMine(request, val)).reverse();
  return pageOf(
    seen.map((val) => listedVal(val, switches)),
    url,
  );
});

const changeVal = route('PUT /v1/vals/{val_id}', (request) => {
  const val = writable(request);
  const fields = fieldsOf(request.body, [], ['name', 'readme', 'privacy']);
  refuseTakenName(request, fields.name, val);
  changeFields(val, fields);
  return { status: 204, headers: headersOf(request.switches, val) };
});

const recordRun = route('POST /v1/vals/{val_id}/runs', (request) => {
  const { id, name } = writable(request);
  const { version, runStartAt, runEndAt, error, logs, ...more } = request.body;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw new Refusal(400, `body must not have ${unknown}`);
  if (typeof version !== 'number' || typeof runStartAt !== 'string' || typeof logs !== 'string') {
    throw new Refusal(400, 'body must have version, runStartAt and logs');
  }
  const end = typeof runEndAt === 'string' ? runEndAt : null;
  const run = {
    id: randomUUID(),
    val: { id, name, version },
    runStartAt,
    runEndAt: end,
    error: error ?? null,
  };
  request.store.runs.push({ ...run, logs });
  return { status: 201, body: run };
});

const oneRun = route('GET /v1/runs/{run_id}', ({ store, ids }) => {
  const run = store.runs.find(({ id }) => id === ids.run_id);
  if (run === undefined) throw absent('run');
  return ok(run);
});

const alias = route('GET /v1/alias/{username}/{name}', (request) => {
  const val = [...request.store.vals.values()].find(
    ({ owner, name }) => owner.username === request.ids.username && name === request.ids.name,
  );
  if (val === undefined || (val.privacy === 'private' && !isMine(request, val))) throw absent('val');
  return valAnswer(request, val);
});

export const routesFor = (switches: Switches): Route[] => [
  ...documented,
  ...(switches.list ? [list] : []),
  ...(switches.changeVal ? [changeVal] : []),
  ...(switches.recordRuns ? [recordRun, oneRun] : []),
  ...(switches.alias ? [alias] : []),
];
