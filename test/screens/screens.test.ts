import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { InterruptedError } from '../../src/core/errors.ts';
import { systemClock } from '../../src/core/lib/clock.ts';
import { inProcess } from '../support/in-process.ts';
import { temporaryFolder, writeFiles } from '../support/program.ts';
import { ids, now, screenService } from './service.ts';

beforeAll(() => void vi.stubEnv('TZ', 'UTC'));
afterAll(() => void vi.unstubAllEnvs());

const clock = { ...systemClock, now: () => now };

interface Look {
  columns: number;
  env?: Record<string, string>;
}

const narrow: Look = { columns: 40, env: { NO_COLOR: '1', LC_ALL: 'C' } };
const usual: Look = { columns: 80 };

interface Options {
  looks?: Look[];
  files?: Record<string, string>;
  before?: string[][];
  edits?: Record<string, string>;
  until?: string;
}

function screen(name: string, commands: string[][], options: Options = {}): void {
  it(name, async () => {
    const captures: string[] = [];
    for (const look of options.looks ?? [narrow, usual]) {
      const session = await play(commands, look, options);
      const said = Object.entries(look.env ?? {}).map(([key, value]) => ` ${key}=${value}`);
      captures.push(`#### ${look.columns} columns${said.join('')}\n${session}`);
    }
    await expect(captures.join('\n')).toMatchFileSnapshot(`captures/${name.replaceAll(' ', '-')}.txt`);
  });
}

async function play(
  commands: string[][],
  look: Look,
  { files = {}, before = [], edits = {}, until }: Options,
) {
  const service = await screenService();
  const folder = temporaryFolder();
  writeFiles(folder, files);
  const home = process.cwd();
  process.chdir(folder);
  try {
    const invoke = (argv: string[]) => {
      const controller = new AbortController();
      return inProcess(argv, {
        env: {
          LANG: 'C.UTF-8',
          TERM: 'xterm-256color',
          // On a slow machine a spinner would appear on the screen, so CI turns the spinner off.
          CI: 'true',
          HOME: folder,
          VALS_CONFIG_DIR: join(folder, '.config'),
          ...service.env,
          ...look.env,
        },
        terminal: { columns: look.columns },
        clock,
        signal: controller.signal,
        heard({ screen }) {
          if (until && screen.includes(until)) controller.abort(new InterruptedError(130));
        },
      });
    };
    for (const argv of before) await invoke(argv);
    if (before.length > 0) service.edit();
    writeFiles(folder, edits);
    let session = '';
    for (const argv of commands) {
      const { exit, screen } = await invoke(argv);
      session += `$ vals ${argv.join(' ')}\n${screen}${exit === 0 ? '' : `(exit ${exit})\n`}`;
    }
    return session
      .replace(/127\.0\.0\.1:\d{5}/g, '127.0.0.1:43210')
      .replaceAll(basename(folder), 'folder')
      .replace(
        /\S+\/workspaces\/folder-[\da-f]{16}\/backup\/[\w.-]+/g,
        '/data/backup/2025-11-14T10-00-00.000Z',
      )
      .replaceAll('\u001b', '␛');
  } finally {
    process.chdir(home);
  }
}

const hello = "export default () => 'hello';\n";
const pulled = [['init'], ...Object.values(ids).map((id) => ['pull', id])];

screen('runs', [['runs']]);
screen('runs of one val', [['val', 'runs', ids.hello]]);
screen('failed runs', [['runs', '--error']]);
screen('runs in full', [['runs', '--error', '--full', '--limit', '2']]);
screen('runs as they come', [['runs', '--follow']], { until: 'hello' });
screen('summary', [['runs', '--summary']]);
screen('lists', [['likes'], ['comments'], ['refs']]);
screen('one record', [['me'], ['val', 'get', ids.hello]]);
screen(
  'push',
  [
    ['push', 'hello.ts', 'prices.ts'],
    ['push', 'hello.ts', 'broken.ts', 'prices.ts'],
  ],
  { files: { 'hello.ts': hello, 'prices.ts': hello, 'broken.ts': hello } },
);
screen(
  'errors',
  [['val', 'get', 'hello'], ['val', 'create', 'hello', 'hello.ts'], ['vals'], ['likes', '--limit', 'x']],
  { files: { 'hello.ts': hello } },
);
screen('status', [['status'], ['status', 'hello']], { before: pulled });

// The narrow screen would only wrap the same texts.
screen(
  'versions',
  [
    ['version', 'ls', ids.hello],
    ['version', 'diff', ids.hello, '1'],
    ['version', 'restore', ids.hello, '1'],
    ['version', 'rm', ids.hello, '1', '--yes'],
    ['val', 'rm', ids.hello, '--yes'],
  ],
  { looks: [usual] },
);
screen('help', [['--help'], ['push', '--help']], { looks: [usual] });
screen('workspace', [['init'], ['status'], ['push']], {
  looks: [usual],
  files: { 'hello.ts': hello, 'prices.ts': hello },
});
// The service of the screens does not keep what is pushed, so hello is not pulled after the push.
const [behind, edited] = ['fetchPrices', 'sendWeeklyNewsletterDigest'];
const merge = ['pull', edited, '--merge'];
screen('both sides edited', [['status'], ['diff'], ['push'], ['pull', behind, edited], merge], {
  looks: [usual],
  before: pulled,
  edits: { 'hello.ts': hello, 'sendWeeklyNewsletterDigest.ts': "export default () => 'new news';\n" },
});
