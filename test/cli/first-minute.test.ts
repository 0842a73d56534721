import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { commandTree } from '../../src/commands/index.ts';
import { run, runAtTerminal, runOnScreen } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';

describe('vals alone', () => {
  it('shows every command in its group, and how to begin, on one screen', async () => {
    const { exit, screen } = await runOnScreen([]);
    expect(exit).toBe(0);
    const lines = stripVTControlCharacters(screen).trimEnd().split('\r\n');
    expect(lines.length).toBeLessThanOrEqual(41);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    const titles = [...new Set(commandTree.groups.map(({ title }) => title))];
    expect(lines.filter((line) => /^\S.*:$/.test(line))).toEqual(titles);
    expect(lines).toContainEqual(expect.stringContaining('To begin, run `vals push'));
    for (const { path } of commandTree.groups.flatMap(({ commands }) => commands)) {
      const [topic, name = ''] = path.split(' ');
      expect(lines).toContainEqual(expect.stringMatching(`^  ${topic} .*\\b${name}`));
    }
  });

  it('fits a narrow terminal', async () => {
    const { screen } = await runOnScreen([], { columns: 40 });
    const lines = stripVTControlCharacters(screen).split('\r\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
    expect(screen).toContain('completion');
  });

  const looks: [env: Record<string, string>, isBold: boolean][] = [
    [{}, true],
    [{ NO_COLOR: '1' }, false],
    [{ NO_COLOR: '' }, true],
    [{ FORCE_COLOR: '0' }, false],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    [{ TERM: 'dumb' }, false],
  ];
  it.each(looks)('has bold titles with %j: %j', async (env, isBold) => {
    const screens = await Promise.all([
      runAtTerminal([], { env }),
      runOnScreen(['push', '--help'], { env, columns: 60 }),
    ]);
    for (const { screen } of screens) {
      expect(/\u001b\[1m(?:Vals|Options):\u001b\[22m/.test(screen)).toBe(isBold);
      expect(screen.includes('\u001b')).toBe(isBold);
    }
  });

  it('has no bold titles in a pipe, unless a flag wants them', async () => {
    expect((await run([])).stdout).not.toContain('\u001b');
    for (const args of [[], ['push', '--help', '--quiet']]) {
      expect((await run(args, { env: { FORCE_COLOR: '1' } })).stdout).not.toContain('\u001b');
    }
    expect((await run(['--help', '--color'])).stdout).toContain('\u001b[1mVals:');
  });

  it('is the same as --help', async () => {
    expect(await run([])).toEqual(await run(['--help']));
  });
});

describe('an address', () => {
  const address = 'https://vals.example/@ada';
  const open = `\u001b]8;;${address}\u001b\\`;
  const me = async (url: string, env: Record<string, string | undefined>, columns = 80) => {
    const service = await scriptedService([{ body: { username: 'ada', url } }]);
    return (await runOnScreen(['me'], { env: { ...service.env, ...env }, columns })).screen;
  };

  it.each([{ VTE_VERSION: '7200' }, { TERM_PROGRAM: 'WezTerm' }, { TERM: 'xterm-kitty' }])(
    'is a link at a terminal with %j',
    async (env) => {
      expect(await me(address, env)).toContain(`${open}${address}\u001b]8;;\u001b\\`);
    },
  );

  it('that is cut still links to the whole address', async () => {
    expect(await me(address, { VTE_VERSION: '7200' }, 24)).toContain(`${open}https://vals`);
  });

  it.each([{}, { VTE_VERSION: '4000' }, { VTE_VERSION: '7200', TMUX: '/tmp/x' }])(
    'is plain text at a terminal with %j',
    async (env) => {
      const screen = await me(address, env);
      expect(screen).toContain(address);
      expect(screen).not.toContain('\u001b]8');
    },
  );

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://a b.example',
    'https://evil.example/\u001b\\\u001b[2J',
    'https://evil.example/\u0007',
    'https://evil.example/\u202e',
  ])('such as %j is never a link', async (url) => {
    const screen = await me(url, { VTE_VERSION: '7200' });
    expect(screen).not.toContain('\u001b]8');
    expect(screen).not.toContain('\u001b[2J');
  });

  it('is plain text in a pipe', async () => {
    const service = await scriptedService([{ body: { url: address } }]);
    const { stdout } = await run(['me'], { env: { ...service.env, VTE_VERSION: '7200', FORCE_COLOR: '1' } });
    expect(stdout).toContain(address);
    expect(stdout).not.toContain('\u001b');
  });
});
