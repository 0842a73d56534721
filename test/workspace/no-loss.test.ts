import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { blobId } from '../../src/core/lib/vals.ts';
import { chanceOf, isLong } from '../support/cases.ts';
import { ends, environment, program } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import { kindsOfServices, Place, pushed, type Service } from './places.ts';

const crash = resolve('test/workspace/crash.cjs');

async function killed(
  place: Place,
  args: readonly string[],
  afterChanges: number,
  env: Record<string, string> = {},
): Promise<boolean> {
  const { signal, exitCode, stderr } = await execa(process.execPath, ['--require', crash, program, ...args], {
    cwd: place.folder,
    env: environment(place.home, { ...place.env, ...env, CRASH_AFTER: `${afterChanges}` }),
    extendEnv: false,
    reject: false,
    input: '',
  });
  expect({ exitCode, stderr: exitCode === 1 ? stderr : '' }).not.toMatchObject({ exitCode: 1 });
  return signal === 'SIGKILL';
}

function everything(place: Place, versions: readonly string[]): Set<string> {
  const texts = new Set([...versions, ...place.backups()]);
  if (existsSync(join(place.folder, 'a.ts'))) texts.add(place.read('a.ts'));
  return texts;
}

async function checkedStep(
  place: Place,
  service: Service,
  args: readonly string[],
  afterChanges: number,
): Promise<boolean> {
  const here = existsSync(join(place.folder, 'a.ts')) ? place.read('a.ts') : undefined;
  const before = service.codes('a');
  const recorded = place.records().a?.blob;
  const wasKilled = await killed(place, args, afterChanges);
  const after = service.codes('a');
  const kept = everything(place, after);
  const facts = { args, afterChanges, here, before, recorded };
  if (here !== undefined) expect(kept.has(here), JSON.stringify({ ...facts, kept: [...kept] })).toBe(true);
  expect(after.slice(0, before.length), JSON.stringify(facts)).toEqual(before);
  if (after.length > before.length && !args.includes('--force') && recorded !== undefined) {
    const overwritten = blobId(Buffer.from(before.at(-1) ?? ''));
    expect(overwritten, JSON.stringify({ ...facts, after })).toBe(recorded);
  }
  return wasKilled;
}

async function converge(place: Place, service: Service): Promise<void> {
  await place.vals('pull', 'a.ts', '--merge');
  await place.vals('push', 'a.ts', '--force', '--no-check');
  await place.vals('pull', 'a.ts');
  expect(await place.words(['status', 'a.ts'])).toEqual({ 'a.ts': 'unchanged' });
  expect(service.code('a')).toBe(place.read('a.ts'));
  expect(await place.words(['push', 'a.ts'])).toEqual({ 'a.ts': 'unchanged' });
}

const stride = isLong ? 1 : 10;

describe('no text is lost by a kill before each step that changes a file', () => {
  const edit = (line: number) => (text: string, word: string) =>
    text
      .split('\n')
      .map((content, index) => (index === line ? word : content))
      .join('\n');
  const first = edit(0);
  const last = edit(4);
  type Edit = (text: string, word: string) => string;
  const cases: { what: string; args: string[]; here?: Edit; there?: Edit }[] = [
    { what: 'push', args: ['push'], here: first },
    { what: 'push --force over an edit there', args: ['push', '--force'], here: first, there: last },
    { what: 'pull', args: ['pull'], there: last },
    { what: 'pull --force over an edit here', args: ['pull', '--force'], here: first, there: last },
    { what: 'pull --merge', args: ['pull', '--merge'], here: first, there: last },
    { what: 'pull --merge with a conflict', args: ['pull', '--merge'], here: first, there: first },
  ];

  const startingAt = cases.map((each, index) => ({ ...each, start: index % stride }));
  it.each(startingAt)('$what', async ({ args, here, there, start }) => {
    const { place, service } = await pushed({ 'a.ts': '1\n2\n3\n4\n5\n' });
    let steps = start;
    for (let wasKilled = true; wasKilled; steps += stride) {
      await place.vals('pull', '--force');
      const words = { here: `here_${steps}`, there: `there_${steps}` };
      if (there !== undefined) service.edit('a', there(service.code('a'), words.there));
      if (here !== undefined) place.put({ 'a.ts': here(place.read('a.ts'), words.here) });
      wasKilled = await checkedStep(place, service, args, steps);
      if (there === undefined || args.includes('push')) continue;
      await place.vals('push');
      expect(service.code('a'), `step ${steps}`).toContain(words.there);
    }
    expect(steps).toBeGreaterThan(3);
    await converge(place, service);
  });

  it('the first push of a new val', async () => {
    // Without a list, nobody would know a val whose push was killed before it was recorded.
    const service = await startStrict({ list: true });
    const { place } = await pushed({ 'other.ts': 'other' }, service);
    for (let afterChanges = 0; ; afterChanges += stride) {
      const name = `fresh${afterChanges}`;
      place.put({ [`${name}.ts`]: name });
      const wasKilled = await killed(place, ['push'], afterChanges);
      expect(place.read(`${name}.ts`)).toBe(name);
      expect(await place.words(['push', `${name}.ts`])).toMatchObject({
        [`${name}.ts`]: expect.stringMatching(/created|unchanged/),
      });
      expect(service.code(name)).toBe(name);
      if (!wasKilled) break;
    }
    expect(new Set(Object.values(await place.status()))).toEqual(new Set(['unchanged']));
  });
});

it('no text is lost by a power failure: the copy of a file is on the disk before the file is replaced', async () => {
  const { place, service } = await pushed({ 'a.ts': 'old' });
  let steps = 0;
  for (let wasKilled = true; wasKilled; steps += 1) {
    place.put({ 'a.ts': `here_${steps}` });
    service.edit('a', `there_${steps}`);
    wasKilled = await killed(place, ['pull', '--force'], steps, { POWER_FAILS: '1' });
    expect([...everything(place, [])], `step ${steps}`).toContain(`here_${steps}`);
    if (wasKilled && place.read('a.ts') === `here_${steps}`) continue;
    expect(place.read('a.ts')).toBe(`there_${steps}`);
  }
  expect(steps).toBeGreaterThan(3);
});

describe.each(kindsOfServices)(
  'no text is lost by commands in any order, on a service with %s',
  (_kind, switches) => {
    const commands = ['push', 'pull', 'pull --merge', 'status', 'push --force', 'pull --force'];

    it.each(isLong ? [1, 2, 3, 4, 5, 6] : [1])('with seed %i', async (seed) => {
      const { between, fraction, oneOf } = chanceOf(seed);
      const lines = Array.from({ length: 8 }, (_, index) => `line_${index}`);
      const { place, service } = await pushed(
        { 'a.ts': `${lines.join('\n')}\n` },
        await startStrict(switches),
      );
      let serial = 0;
      const edited = (text: string) => {
        serial += 1;
        const all = text.split('\n').filter((line) => !/^(?:<<<<<<<|=======|>>>>>>>)/.test(line));
        all[between(0, Math.max(0, all.length - 2))] = `edit_${serial}`;
        return all.join('\n');
      };
      for (let step = 0; step < (isLong ? 14 : 5); step++) {
        if (fraction() < 0.5) place.put({ 'a.ts': edited(place.read('a.ts')) });
        if (fraction() < 0.5) service.edit('a', edited(service.code('a')));
        const afterChanges = fraction() < 0.5 ? between(0, 12) : 1_000;
        await checkedStep(place, service, oneOf(commands).split(' '), afterChanges);
      }
      await converge(place, service);
    });
  },
);

it('a killed pull leaves only private copies of a private file, which the next pull removes', async () => {
  const { place, service } = await pushed({ 'sub/a.ts': 'old' });
  chmodSync(join(place.folder, 'sub/a.ts'), 0o600);
  service.edit('a', 'new');
  const modes: number[] = [];
  for (let steps = isLong ? 0 : 4; place.read('sub/a.ts') === 'old'; steps += isLong ? 1 : 2) {
    await killed(place, ['pull'], steps);
    for (const name of copiesIn(place, 'sub')) {
      modes.push(statSync(join(place.folder, 'sub', name)).mode & 0o777);
    }
  }
  expect(new Set(modes)).toEqual(new Set([0o600]));
  service.edit('a', 'newer');
  expect(await place.words(['pull', '--force'])).toEqual({ 'sub/a.ts': 'pulled' });
  expect(copiesIn(place, 'sub')).toEqual([]);
});

const copiesIn = ({ folder }: Place, below: string): string[] =>
  readdirSync(join(folder, below)).filter((name) => name.endsWith('.tmp'));

it('a pull --force that cannot keep a copy leaves the file as it is', async () => {
  const { place, service } = await pushed({ 'a.ts': 'old' }, await startStrict({ list: true }));
  place.put({ 'a.ts': 'mine' });
  service.edit('a', 'new');
  const env = { ...place.env, VALS_DATA_DIR: join(place.folder, 'a.ts') };
  const result = await new Place(place.folder, env).vals('pull', '--force');
  expect(result).toMatchObject(ends(10, 'data directory'));
  expect(place.read('a.ts')).toBe('mine');
});
