import { basename, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { InterruptedError } from '../../src/core/errors.ts';
import { systemClock } from '../../src/core/lib/waiting.ts';
import { inProcess } from '../support/in-process.ts';
import { temporaryFolder, writeFiles } from '../support/program.ts';
import { now, screenService } from './service.ts';

const clock = { ...systemClock, now: () => now };

interface Look {
  columns: number;
  env?: Record<string, string>;
}

const narrow: Look = { columns: 40, env: { NO_COLOR: '1', LC_ALL: 'C' } };
export const usual: Look = { columns: 80 };

interface Options {
  looks?: Look[];
  files?: Record<string, string>;
  before?: string[][];
  edits?: Record<string, string>;
  until?: string;
}

/** A test that compares what a person sees with the file `captures/<name>.txt` beside the test. */
export function screen(name: string, commands: string[][], options: Options = {}): void {
  it(name, async () => {
    vi.stubEnv('TZ', 'UTC');
    onTestFinished(() => void vi.unstubAllEnvs());
    const captures: string[] = [];
    for (const look of options.looks ?? [narrow, usual]) {
      const session = await play(commands, look, options);
      const said = Object.entries(look.env ?? {}).map(([key, value]) => ` ${key}=${value}`);
      captures.push(`#### ${look.columns} columns${said.join('')}\n${session}`);
    }
    // A defect is none of the screens, also with --update.
    expect(captures.join('\n')).not.toContain('Unexpected:');
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
