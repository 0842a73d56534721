import { writeFiles } from './bench.mts';
import { compare } from './compare.mts';
import { type FakeService, withFakeService } from './fake-service.mts';
import { timeOf } from './processes.mts';
import type { Bench, Measurement, Sample } from './types.mts';

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
        { what: push(bench, service, name, 'auto'), to: eight, atMost: 0.5 },
        { what: eight, to: waiting, atMost: 1.1 },
      ]);
    }),
};

const toBusyService: Measurement = {
  name: 'push with refusals',
  measure: (bench) =>
    withFakeService({ delayMs: 20, mostAtATime: 4 }, (service) => {
      const name = `${manyFiles} to a service that refuses more than 4 at a time`;
      const what = push(bench, service, name, 'auto');
      const to = push(bench, service, 'the same with --concurrency 4', '4');
      return compare(bench.seldom, [{ what, to, atMost: 1.3 }]);
    }),
};

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

export const pushes = [farAway, toBusyService, toThrashingService, withCheck];
