// Each command that writes says what the answer of the service showed, and no more.
import { describe, expect, it } from 'vitest';
import {
  folderOf,
  folderOfVals,
  run,
  runOnScreen,
  temporaryFolder,
  valNames,
} from '../../support/program.ts';
import type { Switches } from '../../support/strict/switches.ts';
import { startStrict } from '../../support/strict-service.ts';

const EDITOR = "sh -c 'printf edited > $1' --";

async function serviceWith(switches: Switches, codes: readonly string[]) {
  const service = await startStrict({ list: true, ...switches });
  for (const code of codes) service.edit('hello', code);
  const { id = '' } = service.vals()[0] ?? {};
  const cwd = folderOf({ 'same.ts': codes.at(-1) ?? 'none', 'other.ts': 'other', 'README.md': 'Read me.' });
  const options = () => ({ env: { ...service.env, EDITOR }, cwd, home: temporaryFolder() });
  const json = async (line: string) => {
    const { exit, stdout } = await run([...wordsOf(line, id), '--json'], options());
    return { exit, value: JSON.parse(stdout) };
  };
  /** What a pipe gets of the val. */
  const piped = async (line: string) => {
    const { stdout } = await run(wordsOf(line, id), options());
    const [name, _privacy, version, _author, _created, _updated, itsId] = stdout.trimEnd().split('\t');
    return `${name} ${version} ${itsId === service.vals()[0]?.id ? 'its id' : itsId}`;
  };
  const screen = async (line: string) => {
    const { exit, screen } = await runOnScreen([...wordsOf(line, id), '--no-color'], options());
    return { exit, screen: screen.replaceAll(/\s+/g, ' ') };
  };
  return { ...service, json, piped, screen };
}

const wordsOf = (line: string, id: string): string[] => line.replace('ID', id).split(' ');

const now2 = '✓ hello is now version 2.';
const accepted = '✓ The service accepted the code of hello.';
const already = 'already has this code.';
const always200: Switches = { writes: 'always 200' };
const empty: Switches = { writes: 'empty' };
const version: Switches = { version: true };
/** A service that answers a new version with the one before. */
const stale: Switches = {
  version: true,
  instead: ({ method }) => (method === 'POST' ? { body: { version: 1, code: 'one' } } : undefined),
};

it.each<[line: string, switches: Switches, codes: string, says: string, piped: string, after: string]>([
  ['version new ID other.ts', {}, 'one', now2, 'hello 2 its id', 'one other'],
  ['version new hello other.ts', always200, 'one', accepted, 'hello 2 its id', 'one other'],
  ['version new ID other.ts', empty, 'one', '✓ The service accepted the code', 'hello 2 its id', 'one other'],
  ['version new ID same.ts', {}, 'one', accepted, 'hello 1 its id', 'one'],
  ['version new ID same.ts', version, 'one', `Version 1 ${already}`, 'hello 1 its id', 'one'],
  ['version new hello other.ts', stale, 'one', accepted, 'hello 1 its id', 'one'],
  [
    'version restore hello 1',
    {},
    'one two',
    '✓ Restored version 1: hello is now version 3.',
    'hello 3 its id',
    'one two one',
  ],
  [
    'version restore ID 1',
    version,
    'one two',
    '✓ Restored version 1: hello is now version 3.',
    'hello 3 its id',
    'one two one',
  ],
  ['version restore ID 1', version, 'one two one', `Version 3 ${already}`, 'hello 3 its id', 'one two one'],
  ['version restore hello 1', empty, 'one two', accepted, 'hello 3 its id', 'one two one'],
  ['val edit ID', {}, 'one', now2, 'hello 2 its id', 'one edited'],
  ['val edit hello', empty, 'one', accepted, 'hello 2 its id', 'one edited'],
  ['val create hello other.ts', {}, '', '✓ Created hello.', 'hello  its id', 'other'],
  ['val create hello other.ts', always200, '', '✓ The service accepted hello.', 'hello  its id', 'other'],
  ['val create hello other.ts', empty, '', '✓ The service accepted hello.', ' undefined undefined', 'other'],
  [
    'val set ID --privacy public',
    { changeVal: true },
    'one',
    '✓ Changed the privacy of hello.',
    'hello  its id',
    'one',
  ],
])('vals %s, %j, of %j: %s', async (line, switches, before, says, piped, after) => {
  const codes = before.split(' ').filter(Boolean);
  const forPerson = await serviceWith(switches, codes);
  const shown = await forPerson.screen(line);
  expect(shown).toEqual({ exit: 0, screen: expect.stringContaining(says) });
  if (!says.startsWith('✓')) expect(shown.screen).not.toContain('✓');
  expect(forPerson.codes('hello').join(' ')).toBe(after);
  expect(await (await serviceWith(switches, codes)).piped(line)).toBe(piped);
});

it.each([
  [{}, { id: expect.any(String), name: 'hello', code: 'other', readme: '', privacy: 'private' }],
  [empty, null],
])('version new --json prints the answer as it is, of %j', async (switches, value) => {
  const { json, requests } = await serviceWith(switches, ['one']);
  expect(await json('version new ID other.ts')).toEqual({ exit: 0, value });
  expect(requests).toHaveLength(1);
});

it('val edit whose text somebody else sent meanwhile says that a version has it already', async () => {
  const { edit, screen, codes, switches } = await serviceWith(version, ['one']);
  switches.instead = ({ method }) => {
    if (method === 'POST') edit('hello', 'edited');
    return undefined;
  };
  expect(await screen('val edit ID')).toEqual({ exit: 0, screen: expect.stringContaining('version 2') });
  expect(codes('hello')).toEqual(['one', 'edited']);
});

describe('vals push', () => {
  async function push({ env }: { env: Record<string, string> }, home: string, text = 'one') {
    const cwd = folderOf({ 'hello.ts': text });
    const { exit, stdout, stderr } = await run(['push', 'hello.ts', '--json'], { env, cwd, home });
    expect(exit).toBe(0);
    return { stderr, row: JSON.parse(stdout)[0] };
  }

  it('names some of many vals that were sent, and how many there are', async () => {
    const { env } = await startStrict({ writes: 'empty' });
    const names = valNames(12).sort();
    const { stderr } = await run(['push', '.'], { env, cwd: folderOfVals(names) });
    const some = `${names.slice(0, 5).join(', ')} and 7 more`;
    expect(stderr).toBe(
      `What was there before, if anything, is among the versions of ${some}: see \`vals version ls ${names[0]}\`.\n`,
    );
  });

  it('reads the versions of at most 20 vals, whose answers tell none', async () => {
    for (const [count, status] of [
      [20, 'pushed'],
      [21, 'sent'],
    ] as const) {
      const service = await startStrict();
      const names = valNames(count);
      const options = { env: service.env, cwd: folderOfVals(names), home: temporaryFolder() };
      for (const name of names) service.edit(name, 'before');
      for (const _ of [1, 2]) await run(['push', '.'], options);
      const cwd = folderOfVals(names, () => 'edited');
      service.requests.splice(0);
      const { stdout, stderr } = await run(['push', '.', '--json'], { ...options, cwd });
      const statuses = JSON.parse(stdout).map((row: { status: string }) => row.status);
      expect({ statuses: [...new Set(statuses)], stderr }).toEqual({ statuses: [status], stderr: '' });
      expect(service.requests).toHaveLength(status === 'pushed' ? 2 * count : count);
    }
  });

  it('tells no version before where somebody made another one in between, and says where it is', async () => {
    const service = await startStrict(version);
    const home = temporaryFolder();
    await push(service, home);
    service.edit('hello', 'theirs');
    const { row, stderr } = await push(service, home, 'two');
    expect(row).toMatchObject({ status: 'pushed', version: 3 });
    expect(row).not.toHaveProperty('versionBefore');
    expect(stderr).toContain('What was there before, if anything, is among the versions');
  });

  it('is sent where this machine cannot know, and says where the versions before are', async () => {
    const service = await startStrict();
    service.edit('hello', 'one');
    const { row } = await push(service, temporaryFolder());
    const { id } = service.val('hello');
    expect(row).toEqual({ file: 'hello.ts', name: 'hello', status: 'sent', id, version: 1 });
    const cwd = folderOf({ 'hello.ts': 'two' });
    const { screen } = await runOnScreen(['push', 'hello.ts', '--no-color'], { env: service.env, cwd });
    expect(screen.replaceAll(/\s+/g, ' ')).toMatch(
      /`vals version ls.*hello is now version 2|hello is now version 2.*`vals version ls/,
    );
    expect(service.codes('hello')).toEqual(['one', 'two']);
  });

  it('tells by one look at the versions what an answer without a version did', async () => {
    const service = await startStrict();
    const home = temporaryFolder();
    expect((await push(service, home)).row).toMatchObject({ status: 'created' });
    // A val that was there and has one version got none.
    expect((await push(service, home)).row).toMatchObject({ status: 'unchanged', version: 1 });
    expect((await push(service, home, 'two')).row).toMatchObject({
      status: 'pushed',
      version: 2,
      versionBefore: 1,
    });
    expect((await push(service, home, 'two')).row).toMatchObject({ status: 'unchanged', version: 2 });
    service.edit('hello', 'theirs');
    const { row, stderr } = await push(service, home, 'three');
    expect({ row, stderr }).toMatchObject({
      row: { status: 'pushed', version: 4 },
      stderr: expect.stringContaining('among the versions'),
    });
  });

  it('is sent if the answer is empty or shows an older version', async () => {
    const home = temporaryFolder();
    const { row } = await push(await startStrict(empty), home);
    expect(row).toEqual({ file: 'hello.ts', name: 'hello', status: 'sent' });
    const service = await startStrict();
    for (const text of ['one', 'two']) await push(service, home, text);
    const older = { body: { id: service.val('hello').id, name: 'hello', version: 1 } };
    service.switches.instead = ({ method }) => (method === 'PUT' ? older : undefined);
    expect((await push(service, home, 'three')).row).toMatchObject({ status: 'sent', version: 1 });
  });
});

it.each([
  ['val rm hello --yes', 'Deleted hello.'],
  ['version rm hello 1 --yes', 'Deleted version 1 of hello.'],
])('vals %s says what was deleted', async (line, says) => {
  const { screen, json } = await serviceWith({}, ['one', 'two']);
  const { exit, screen: text } = await screen(line);
  expect({ exit, text }).toEqual({ exit: 0, text: expect.stringMatching(`^✓ ${says}`) });
  expect(await json(line.replace('hello', 'ID'))).toMatchObject({
    exit: 3,
    value: [{ status: 'failed', error: { kind: 'not_found' } }],
  });
});

it('a new version whose number cannot be read is accepted, and the command goes well', async () => {
  const { screen, switches } = await serviceWith({}, ['one']);
  switches.instead = ({ path, method }) =>
    method === 'GET' && path.endsWith('/versions') ? { status: 403 } : undefined;
  expect(await screen('version new ID other.ts')).toEqual({
    exit: 0,
    screen: expect.stringContaining(accepted),
  });
});
