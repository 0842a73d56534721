import { join } from 'node:path';
import Libsql from 'libsql';
import { compare, median } from './compare.mts';
import { type FilledService, postgresServer, startFilledService } from './filled-service.mts';
import { peakMegabytesOf, peakMegabytesOfProcess, timed, timeOf } from './processes.mts';
import type { Bench, Measurement } from './types.mts';

export const sharedServices = [
  sharedService('SQLite'),
  ...(postgresServer === undefined ? [] : [sharedService('PostgreSQL')]),
];

function sharedService(database: 'SQLite' | 'PostgreSQL'): Measurement {
  return {
    name: `service on ${database}`,
    once: true,
    async measure(bench) {
      const large = await startFilledService(bench, database, 1_000_000);
      const small = await startFilledService(bench, database, 10_000);
      try {
        const results = [
          ...(await compareRequests(bench, large, small)),
          ...(await compareLists(bench, large, small)),
          ...(await compareMemory(bench, large, small)),
          ...(await compareWriters(bench, small)),
          ...(await compareBackups(bench, large, small)),
        ];
        return results.map((result) => ({ ...result, what: `${database}: ${result.what}` }));
      } finally {
        await Promise.all([large.stop(), small.stop()]);
      }
    },
  };
}

function compareRequests(bench: Bench, large: FilledService, small: FilledService) {
  const request = (name: string, send: () => Promise<void>) => ({ name, take: () => timeOfRequest(send) });
  const samplesOf = ({ runs, vals, ada, get, put }: FilledService) => ({
    runs: request(`first page of ${runs}`, () => get('/v1/me/runs')),
    vals: request(`first page of ${vals}`, () => get(`/v1/users/${ada.id}/vals`)),
    put: request(`PUT of one of ${vals}`, () => put(ada, 'name5')),
  });
  const [what, to] = [samplesOf(large), samplesOf(small)];
  return compare(bench.often, [
    { what: what.runs, to: to.runs, atMost: 1.5 },
    { what: what.vals, to: to.vals, atMost: 1.5 },
    { what: what.put, to: to.put, atMost: 1.5 },
  ]);
}

const listOfRuns = (bench: Bench, { env }: FilledService, which = ['--all']) =>
  bench.vals(['runs', '--ndjson', ...which], { env });

function compareLists(bench: Bench, large: FilledService, small: FilledService) {
  const list = (service: FilledService) =>
    timed(`vals runs --all --ndjson, ${service.runs}`, listOfRuns(bench, service));
  const listOfSmall = list(small);
  const script = timed('a script that gets page after page', bench.node(['-e', pageAfterPage], small));
  return compare(bench.seldom, [
    { what: list(large), to: listOfSmall, atMost: 150 },
    { what: listOfSmall, to: script, atMost: 1 },
  ]);
}

/** What somebody would write who does not have vals. */
const pageAfterPage = `
const headers = { Authorization: 'Bearer ' + process.env.VALS_TOKEN };
(async () => {
  for (let url = process.env.VALS_BASE_URL + '/v1/me/runs?limit=100'; url;) {
    const page = await (await fetch(url, { headers })).json();
    process.stdout.write(page.data.map((run) => JSON.stringify(run) + '\\n').join(''));
    url = page.links.next;
  }
})();`;

/** A shorter list than a tenth would not need all the memory that Node takes before it cleans up. */
function compareMemory(bench: Bench, large: FilledService, small: FilledService) {
  const client = (name: string, which: string[]) => ({
    name: `memory of vals runs --ndjson, ${name}`,
    take: () => peakMegabytesOf(listOfRuns(bench, large, which)),
  });
  const tenth = client('100,000 runs', ['--limit', `${bench.count(100_000)}`]);
  // The lists were read before, so the services had the most memory that they need for them.
  const server = ({ runs, pid }: FilledService) => ({
    name: `memory of the service for a list of ${runs}`,
    take: async () => peakMegabytesOfProcess(pid) ?? Number.NaN,
  });
  return compare({ runs: 1, warmUps: 0 }, [
    { what: client(large.runs, ['--all']), to: tenth, unit: 'MB', atMost: 1.5 },
    { what: server(large), to: server(small), unit: 'MB', atMost: 1.5 },
  ]);
}

function compareWriters(bench: Bench, service: FilledService) {
  const name = 'PUT of a val while 64 other writers write';
  const what = { name: `${name} one val`, take: () => putBeside(service, () => 'name1') };
  const to = { name: `${name} 64 vals`, take: () => putBeside(service, (writer) => `name${writer}`) };
  return compare(bench.seldom, [{ what, to, atMost: 1.5 }]);
}

/** Of a file: SQLite's own copy is the measure. Memory must not grow with the store. */
async function compareBackups(bench: Bench, large: FilledService, small: FilledService) {
  const [flag, file = ''] = large.storeFlags;
  if (flag !== '--data') return [];
  const backup = ({ storeFlags }: FilledService) =>
    bench.vals(['backup', join(bench.newFolder(), 'copy.db'), ...storeFlags]);
  const copy = { name: `vals backup of ${large.vals} and ${large.runs}`, take: () => timeOf(backup(large)) };
  const memory = (service: FilledService) => ({
    name: `memory of vals backup, ${service.runs}`,
    take: () => peakMegabytesOf(backup(service)),
  });
  const vacuum = { name: 'VACUUM INTO of the same file', take: () => timeOfVacuum(bench, file) };
  return compare({ runs: 1, warmUps: 0 }, [
    { what: copy, to: vacuum, atMost: 1.5 },
    { what: memory(large), to: memory(small), unit: 'MB', atMost: 1.5 },
  ]);
}

async function timeOfVacuum(bench: Bench, file: string): Promise<number> {
  const database = new Libsql(file);
  const start = performance.now();
  database.exec(`VACUUM INTO '${join(bench.newFolder(), 'vacuum.db')}'`);
  const ms = performance.now() - start;
  database.close();
  return ms;
}

async function putBeside({ put, ada, bob }: FilledService, nameOf: (writer: number) => string) {
  let isDone = false;
  const write = async (name: string) => {
    while (!isDone) await put(ada, name);
  };
  const writers = Array.from({ length: 64 }, (_, writer) => write(nameOf(writer)));
  const measure = async () => {
    const times = [];
    for (let count = 0; count < 20; count += 1) times.push(await timeOfRequest(() => put(bob, 'mine')));
    return median(times);
  };
  const measured = measure().finally(() => {
    isDone = true;
  });
  const [ms] = await Promise.all([measured, ...writers]);
  return ms;
}

export async function timeOfRequest(send: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await send();
  return performance.now() - start;
}
