import { writeFiles } from './bench.mts';
import { compare, median } from './compare.mts';
import { type FakeService, withFakeService } from './fake-service.mts';
import { timeOf } from './processes.mts';
import type { Bench, Measurement, Result, Sample } from './types.mts';

const files = 1_000;
const manyFiles = 'vals push of 1,000 files';

const farAway: Measurement = {
  name: 'push far away',
  measure: (bench) =>
    withFakeService({ delayMs: 50 }, (service) => {
      const name = `${manyFiles}, 50 ms away`;
      const eight = push(bench, service, `${name}, --concurrency 8`, '8');
      const waiting = { name: 'the waiting in it', take: async () => (bench.count(files) / 8) * 50 };
      return compare(bench.seldom, [
        { what: push(bench, service, name, 'auto'), to: eight, atMost: 0.45 },
        { what: eight, to: waiting, atMost: 1.1 },
      ]);
    }),
};

/** A service that refuses some requests, and how many times as long as with the right `--concurrency` a push may take. */
interface BusyService {
  mostAtATime: number;
  delayMs: number;
  atMost: number;
}

const busyServices: readonly BusyService[] = [
  { mostAtATime: 1, delayMs: 5, atMost: 1.15 },
  { mostAtATime: 4, delayMs: 20, atMost: 1.15 },
  { mostAtATime: 16, delayMs: 50, atMost: 1.4 },
];

const toBusyServices: Measurement = {
  name: 'push with refusals',
  once: true,
  async measure(bench) {
    const results: Result[] = [];
    for (const service of busyServices) {
      for (const retryAfter of ['0', '1']) results.push(...(await toBusyService(bench, service, retryAfter)));
    }
    return results;
  },
};

const toBusyService = (
  bench: Bench,
  { mostAtATime, delayMs, atMost }: BusyService,
  retryAfter: string,
): Promise<Result[]> =>
  withFakeService({ mostAtATime, delayMs, retryAfter }, async (service) => {
    const name = `${manyFiles} to a service that takes ${mostAtATime} at a time, Retry-After ${retryAfter}`;
    const { sample, refusals } = withRefusals(service, push(bench, service, name, 'auto'));
    const to = push(bench, service, `the same with --concurrency ${mostAtATime}`, `${mostAtATime}`);
    return [...(await compare(bench.seldom, [{ what: sample, to, atMost }])), refusals()];
  });

const toServiceWithRate: Measurement = {
  name: 'push with a rate',
  once: true,
  measure: (bench) =>
    withFakeService({ mostPerSecond: 20 }, async (service) => {
      const name = `${manyFiles} to a service that takes 20 a second`;
      const { sample, refusals } = withRefusals(service, push(bench, service, name, 'auto'));
      const needed = { name: 'the time that it takes', take: async () => bench.count(files) * 50 };
      return [...(await compare(bench.seldom, [{ what: sample, to: needed, atMost: 1.5 }])), refusals()];
    }),
};

/** Counts the refusals of each push, too. */
function withRefusals(service: FakeService, { name, take }: Sample): { sample: Sample; refusals(): Result } {
  const shares: number[] = [];
  const takeAndCount = async () => {
    service.refusedOfHundred();
    const ms = await take();
    shares.push(service.refusedOfHundred());
    return ms;
  };
  const refusals = (): Result => {
    const figure = median(shares);
    const what = `${name}: refused after the first second`;
    return { what, to: '', unit: '%', atMost: 15, figure, isMet: figure <= 15, medians: [figure] };
  };
  return { sample: { name, take: takeAndCount }, refusals };
}

const toThrashingService: Measurement = {
  name: 'push beyond a knee',
  measure: (bench) =>
    withFakeService({ delayMs: 20, knee: 6 }, (service) => {
      const name = `${manyFiles} to a service that is slow beyond 6 at a time`;
      const what = push(bench, service, name, 'auto');
      const to = push(bench, service, 'the same with --concurrency 8', '8');
      return compare(bench.seldom, [{ what, to, atMost: 1.5 }]);
    }),
};

function push(bench: Bench, service: FakeService, name: string, concurrency: string): Sample {
  const cwd = bench.newFolder();
  writeFiles(cwd, bench.count(files));
  const command = bench.vals(['push', '.', '--concurrency', concurrency], { env: service.env, cwd });
  return {
    name,
    async take() {
      const ms = await timeOf(command);
      const arrived = service.countPushed();
      if (arrived !== bench.count(files)) throw new Error(`${name}: only ${arrived} vals arrived`);
      return ms;
    },
  };
}

const withCheck: Measurement = {
  name: 'push with the check',
  measure(bench) {
    const what = pushToEmbedded(bench, 'vals push --local of 1,000 files', []);
    const to = pushToEmbedded(bench, 'the same with --no-check', ['--no-check']);
    return compare(bench.seldom, [{ what, to, atMost: 1.1 }]);
  },
};

const pushToEmbedded = (bench: Bench, name: string, flags: readonly string[]): Sample => ({
  name,
  take() {
    const cwd = bench.newFolder();
    writeFiles(cwd, bench.count(files));
    return timeOf(bench.vals(['push', '.', '--local', ...flags], { cwd }));
  },
});

export const pushes = [farAway, toBusyServices, toServiceWithRate, toThrashingService, withCheck];
