import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type SeedRun, seedRuns } from '../service/support/seeds.ts';
import { run, runOnScreen, temporaryFolder } from '../support/program.ts';
import { pictureOf } from './picture.ts';

const columns = 80;
const now = Date.parse('2026-03-14T15:09:26Z');
const hour = 3_600_000;

const names = 'checkout dailyDigest fetchPrices greet resize rss search shorten webhook'.split(' ');
const codeOf = (name: string) => `export default () => '${name}';\n`;

// The picture changes only with the program.
beforeAll(() => {
  vi.stubEnv('TZ', 'UTC');
  vi.useFakeTimers({ now, toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

it('docs/session.svg shows the output of the program', async () => {
  const home = temporaryFolder();
  const folder = join(home, 'shop');
  mkdirSync(folder);
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  const env = {
    VALS_LOCAL: '1',
    VALS_DATA_DIR: join(home, 'data'),
    // On a slow machine a spinner would appear in the picture, so CI turns the spinner off.
    CI: 'true',
  };
  const unseen = async (args: string[], input?: string) => {
    const { exit, stderr } = await run(args, { home, cwd: folder, env, input });
    expect({ args, exit, stderr }).toMatchObject({ exit: 0 });
  };

  for (const name of names) write(`${name}.ts`, codeOf(name));
  await unseen(['init']);
  await unseen(['push']);
  await seed(env.VALS_DATA_DIR);
  write('fetchPrices.ts', `// In euro.\n${codeOf('fetchPrices')}`);
  write('invoice.ts', codeOf('invoice'));

  let screen = '';
  const seen = async (args: string[]) => {
    const { exit, screen: shown } = await runOnScreen(args, { home, cwd: folder, env, columns });
    expect({ args, exit }).toEqual({ args, exit: 0 });
    screen += `\u001b[32m$\u001b[39m \u001b[1mvals ${args.join(' ')}\u001b[22m\n${shown.replaceAll('\r\n', '\n')}\n`;
  };
  await seen(['push']);
  await unseen(['version', 'new', 'checkout', '-'], `// Edited elsewhere.\n${codeOf('checkout')}`);
  write('greet.ts', codeOf('good morning'));
  await seen(['status']);
  await seen(['runs', '--summary', '--since', '7d']);

  const title = 'A terminal: vals push, vals status and vals runs --summary';
  await expect(pictureOf(withFixedValues(screen), columns, title)).toMatchFileSnapshot(
    '../../docs/session.svg',
  );
});

function withFixedValues(screen: string): string {
  const ids = new Map<string, string>();
  const shown = ['61729e00', '08a47d13', 'c8bdd721', '5e0f9a34', 'b7d21c68', '3a94e1f5'];
  return screen
    .replace(/\b[\da-f]{8}\b/g, (id) => {
      if (!ids.has(id)) ids.set(id, shown[ids.size] ?? '0f1e2d3c');
      return ids.get(id) as string;
    })
    .replace(/(service, )[\d.]+m?s\)/, '$184ms)');
}

async function seed(data: string): Promise<void> {
  const runs: SeedRun[] = [];
  const add = (name: string, version: number, hoursAgo: number, ms: number, error: string | null = null) => {
    // Two runs of a version begin at different times.
    const startedAt = now - hoursAgo * hour + runs.length;
    runs.push({
      val: { name, version },
      runStartAt: new Date(startedAt).toISOString(),
      runEndAt: new Date(startedAt + ms).toISOString(),
      error,
    });
  };
  for (let hours = 1; hours < 160; hours++) {
    const isDay = Math.floor(hours / 12) % 2 === 0;
    for (let each = 0; each < (isDay ? 3 : 1); each++)
      add('checkout', 1, hours, 30 + ((hours * 7 + each) % 40));
    if (hours % 3 === 0) {
      const fails = hours < 30 && hours % 2 === 0;
      add('fetchPrices', hours < 60 ? 2 : 1, hours, 400 + ((hours * 31) % 900), fails ? 'TypeError' : null);
    }
    if (hours % 24 === 7) add('dailyDigest', 1, hours, 61_000 + hours * 90);
  }
  await seedRuns({ file: join(data, 'vals.db') }, runs);
}
