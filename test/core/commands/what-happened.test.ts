// Each command that writes says what the answer of the service showed, and no more.
import { describe, expect, it } from 'vitest';
import { folderOf, run, runOnScreen, temporaryFolder } from '../../support/program.ts';
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
    return { exit, value: stdout === '' ? undefined : JSON.parse(stdout) };
  };
  const screen = async (line: string) => {
    const { exit, screen } = await runOnScreen([...wordsOf(line, id), '--no-color'], options());
    return { exit, screen: screen.replaceAll(/\s+/g, ' ') };
  };
  return { ...service, json, screen };
}

const wordsOf = (line: string, id: string): string[] => line.replace('ID', id).split(' ');

interface Case {
  line: string;
  codes?: string[];
  switches?: Switches;
  says: string;
  /** What `--json` prints. */
  json: unknown;
  /** The codes that the service has afterwards. */
  after: string[];
}

const written: Record<string, Case[]> = {
  'version new': [
    {
      line: 'version new ID other.ts',
      says: '✓ hello is now version 2.',
      json: { version: 2 },
      after: ['one', 'other'],
    },
    {
      line: 'version new ID same.ts',
      says: 'Version 1 already has this code.',
      json: { version: 1 },
      after: ['one'],
    },
    {
      line: 'version new hello same.ts',
      switches: { repeats: true },
      says: '✓ hello is now version 2.',
      json: { version: 2 },
      after: ['one', 'one'],
    },
    {
      line: 'version new hello other.ts',
      switches: { writes: 'always 200' },
      says: '✓ hello is now version 2.',
      json: { version: 2 },
      after: ['one', 'other'],
    },
    {
      line: 'version new ID other.ts',
      switches: { writes: 'empty' },
      says: '✓ The service accepted the new version of',
      json: null,
      after: ['one', 'other'],
    },
  ],
  'version restore': [
    {
      line: 'version restore hello 1',
      codes: ['one', 'two'],
      says: '✓ The new version 3 has the code of version 1.',
      json: { version: 3 },
      after: ['one', 'two', 'one'],
    },
    {
      line: 'version restore ID 1',
      codes: ['one', 'two', 'one'],
      says: 'Version 3 already has this code.',
      json: { version: 3 },
      after: ['one', 'two', 'one'],
    },
    {
      line: 'version restore hello 2',
      codes: ['one', 'two'],
      switches: { writes: 'always 200' },
      says: 'Version 2 already has this code.',
      json: { version: 2 },
      after: ['one', 'two'],
    },
    {
      line: 'version restore ID 1',
      codes: ['one', 'two'],
      switches: { writes: 'empty' },
      says: '✓ The service accepted the new version of',
      json: null,
      after: ['one', 'two', 'one'],
    },
  ],
  'val edit': [
    {
      line: 'val edit ID',
      says: '✓ hello is now version 2.',
      json: { version: 2 },
      after: ['one', 'edited'],
    },
    {
      line: 'val edit hello',
      switches: { writes: 'always 200' },
      says: '✓ hello is now version 2.',
      json: { version: 2 },
      after: ['one', 'edited'],
    },
    {
      line: 'val edit ID',
      switches: { writes: 'empty' },
      says: '✓ The service accepted the new version of',
      json: null,
      after: ['one', 'edited'],
    },
  ],
  'val create': [
    {
      line: 'val create hello other.ts',
      codes: [],
      says: '✓ Created hello.',
      json: { version: 1 },
      after: ['other'],
    },
    {
      line: 'val create hello other.ts',
      codes: [],
      switches: { writes: 'always 200' },
      says: '✓ The service accepted hello.',
      json: { version: 1 },
      after: ['other'],
    },
    {
      line: 'val create hello other.ts',
      codes: [],
      switches: { writes: 'empty' },
      says: '✓ The service accepted hello.',
      json: null,
      after: ['other'],
    },
  ],
};

describe.each(Object.entries(written))('vals %s', (_command, cases) => {
  it.each(cases)(
    '$line, $switches: $says',
    async ({ line, codes = ['one'], switches = {}, says, json, after }) => {
      const forPerson = await serviceWith(switches, codes);
      const shown = await forPerson.screen(line);
      expect(shown).toEqual({ exit: 0, screen: expect.stringContaining(says) });
      if (!says.startsWith('✓')) expect(shown.screen).not.toContain('✓');
      expect(forPerson.codes('hello')).toEqual(after);

      const forScript = await serviceWith(switches, codes);
      const { exit, value } = await forScript.json(line);
      expect({ exit, value }).toEqual({
        exit: 0,
        value: json === null ? null : expect.objectContaining(json),
      });
    },
  );
});

it('val edit whose text somebody else sent meanwhile says that a version has it already', async () => {
  const { edit, screen, codes, switches } = await serviceWith({}, ['one']);
  switches.instead = ({ method }) => {
    if (method === 'POST') edit('hello', 'edited');
    return undefined;
  };
  expect(await screen('val edit ID')).toEqual({ exit: 0, screen: expect.stringContaining('version 2') });
  expect(codes('hello')).toEqual(['one', 'edited']);
});

describe('vals push', () => {
  const push = async (
    { env }: { env: Record<string, string> },
    home: string,
    file = 'same.ts',
    text = 'one',
  ): Promise<Record<string, unknown>> => {
    const cwd = folderOf({ [file]: text });
    const { exit, stdout, stderr } = await run(['push', file, '--name', 'hello', '--json'], {
      env,
      cwd,
      home,
    });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.any(String) });
    return JSON.parse(stdout)[0];
  };

  it('is created, unchanged or pushed where the answer shows it', async () => {
    const service = await startStrict();
    const home = temporaryFolder();
    expect(await push(service, home)).toMatchObject({ status: 'created', version: 1 });
    expect(await push(service, home)).toMatchObject({ status: 'unchanged', version: 1 });
    const pushed = await push(service, home, 'a.ts', 'two');
    expect(pushed).toMatchObject({ status: 'pushed', version: 2 });
    expect(Object.keys(pushed)).toEqual(['file', 'name', 'status', 'id', 'version', 'versionBefore']);
  });

  it('tells no version before where somebody made another one in between, and says where it is', async () => {
    const service = await startStrict();
    const home = temporaryFolder();
    await push(service, home);
    service.edit('hello', 'theirs');
    const pushed = await push(service, home, 'a.ts', 'two');
    expect(pushed).toMatchObject({ status: 'pushed', version: 3 });
    expect(pushed).not.toHaveProperty('versionBefore');
    service.edit('hello', 'theirs again');
    const cwd = folderOf({ 'hello.ts': 'three' });
    const { stderr } = await run(['push', 'hello.ts'], { env: service.env, cwd, home });
    expect(stderr).toContain('What was there before, if anything, is among the versions');
  });

  it('is sent where this machine cannot know, and says where the versions before are', async () => {
    const service = await startStrict();
    service.edit('hello', 'one');
    expect(await push(service, temporaryFolder())).toMatchObject({ status: 'sent', version: 1 });
    const { screen } = await runOnScreen(['push', 'hello.ts', '--no-color'], {
      env: service.env,
      cwd: folderOf({ 'hello.ts': 'two' }),
      home: temporaryFolder(),
    });
    expect(screen.replaceAll(/\s+/g, ' ')).toContain('`vals version ls');
    expect(screen).toContain('The service accepted');
    expect(service.codes('hello')).toEqual(['one', 'two']);
  });

  it('is sent if the answer is empty or shows an older version', async () => {
    const empty = await startStrict({ writes: 'empty' });
    const home = temporaryFolder();
    expect(await push(empty, home)).toEqual({ file: 'same.ts', name: 'hello', status: 'sent' });
    const service = await startStrict();
    await push(service, home);
    await push(service, home, 'a.ts', 'two');
    const { id } = service.val('hello');
    service.switches.instead = ({ method }) =>
      method === 'PUT' ? { body: { id, name: 'hello', version: 1 } } : undefined;
    expect(await push(service, home, 'a.ts', 'three')).toMatchObject({ status: 'sent', version: 1 });
  });
});

describe('vals val set', () => {
  it('changes what the service changes', async () => {
    const { screen, json, val } = await serviceWith({ changeVal: true }, ['one']);
    expect(await screen('val set ID --privacy public')).toEqual({
      exit: 0,
      screen: expect.stringContaining('✓ Changed the privacy of hello.'),
    });
    expect(await json('val set ID --privacy unlisted')).toMatchObject({
      exit: 0,
      value: { privacy: 'unlisted' },
    });
    expect(val('hello').privacy).toBe('unlisted');
  });

  it('sends a version where the service has no such route, and says that there is one', async () => {
    const { screen, codes, val } = await serviceWith({ versionFields: true, repeats: true }, ['one']);
    expect(await screen('val set ID --privacy public')).toMatchObject({ exit: 0 });
    expect(val('hello').privacy).toBe('public');
    expect(codes('hello')).toEqual(['one', 'one']);
  });

  it('names the version that was made for nothing', async () => {
    const { screen, codes } = await serviceWith({ ignoresUnknown: true, repeats: true }, ['one']);
    const { exit, screen: text } = await screen('val set ID --privacy public');
    expect({ exit, text }).toEqual({
      exit: 6,
      text: expect.stringMatching(/did not change the privacy of hello\..*version 2/),
    });
    expect(codes('hello')).toEqual(['one', 'one']);
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
