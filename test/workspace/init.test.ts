import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, temporaryFolder } from '../support/program.ts';
import { Place } from './places.ts';

describe('init', () => {
  it('makes an empty folder a workspace, and is safe to run again', async () => {
    const place = new Place(temporaryFolder(), {});
    for (const status of ['created', 'unchanged']) {
      expect(await place.vals('init', '--json')).toMatchObject({
        exit: 0,
        stdout: `{"status":"${status}","file":"vals.json","services":[]}\n`,
        stderr: '',
      });
      expect(place.read('vals.json')).toBe('{}\n');
    }
  });

  it('counts the files that a push takes, and says what it leaves out', async () => {
    const place = new Place(temporaryFolder(), {});
    place.put({ 'b.ts': 'b', 'sub/a.js': 'a', 'x.d.ts': '', '.env.ts': '', 'node_modules/n.ts': '' });
    place.put({ '.gitignore': 'out/', 'out/o.ts': '', 'a.test.ts': 'a', 'eslint.config.mjs': 'b' });
    symlinkSync('nowhere', join(place.folder, 'link.ts'));
    const { stderr } = await place.vals('init');
    expect(stderr).toContain('warning: link.ts was not used, because it is a link that leads nowhere.\n');
    expect((await place.onScreen(['init'])).screen).toContain('`vals push`');
    place.remove('vals.json');
    expect((await place.onScreen(['init'])).screen).toContain('is now a workspace with 2 vals.');
  });

  it('refuses a folder inside a workspace', async () => {
    const place = new Place(temporaryFolder(), {});
    place.put({ 'vals.json': '{}', 'sub/a.ts': 'a' });
    const inside = await run(['init', '--json'], { cwd: join(place.folder, 'sub') });
    expect(inside).toMatchObject({ exit: 2, error: { hint: expect.any(String) } });
    expect(existsSync(join(place.folder, 'sub/vals.json'))).toBe(false);
  });
});

describe('outside of a workspace', () => {
  it.each([['status'], ['diff'], ['pull'], ['push'], ['push', '--watch']])(
    'vals %s exits with 2 and names init',
    async (...args) => {
      const format = args.includes('--watch') ? '--ndjson' : '--json';
      const { exit, stdout, error } = await run([...args, format, '--local']);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
      expect(error?.hint).toContain('vals init');
    },
  );
});
