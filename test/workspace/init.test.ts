import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, temporaryFolder } from '../support/program.ts';
import { Place, pushed } from './support.ts';

describe('init', () => {
  it('makes names from file names, and takes neither tests nor settings nor links', async () => {
    const place = new Place(temporaryFolder(), {});
    place.put({ 'a.test.ts': 'a', 'eslint.config.mjs': 'b', '.eslintrc.js': 'c', 'send-mail.ts': 'd' });
    symlinkSync('nowhere', join(place.folder, 'link.ts'));
    const { stderr } = await place.vals('init');
    expect(place.manifest().vals).toEqual({ 'send-mail.ts': { name: 'send_mail' } });
    expect(stderr).toBe('warning: link.ts was not used, because it is a link that leads nowhere.\n');
  });

  it('leaves out a file whose name has no letter', async () => {
    const place = new Place(temporaryFolder(), {});
    place.put({ '1.ts': 'a', '2.ts': 'b', 'c.ts': 'c' });
    const { exit, stderr } = await place.vals('init');
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: expect.stringMatching(/2\.ts has no.*\n.*1\.ts has no/),
    });
    expect(place.manifest().vals).toEqual({ 'c.ts': { name: 'c' } });
  });

  it('makes an empty folder a workspace, and is safe to run again', async () => {
    const place = new Place(temporaryFolder(), {});
    for (const status of ['created', 'unchanged']) {
      expect(await place.vals('init', '--json')).toMatchObject({
        exit: 0,
        stdout: `{"status":"${status}","file":"vals.json","vals":0,"added":[]}\n`,
        stderr: '',
      });
      expect(place.read('vals.json')).toBe('{\n  "vals": {}\n}\n');
    }
  });

  it('lists the code files that push would take, and adds new ones when run again', async () => {
    const place = new Place(temporaryFolder(), {});
    place.put({ 'b.ts': 'b', 'sub/a.js': 'a', 'x.d.ts': '', '.env.ts': '', 'node_modules/n.ts': '' });
    place.put({ '.gitignore': 'out/', 'out/o.ts': '' });
    await place.vals('init');
    expect(place.manifest().vals).toEqual({ 'b.ts': { name: 'b' }, 'sub/a.js': { name: 'a' } });
    place.put({ 'c.ts': 'c' });
    expect(JSON.parse((await place.vals('init', '--json')).stdout)).toMatchObject({
      status: 'updated',
      added: ['c.ts'],
      vals: 3,
    });
  });

  it('shows git only vals.json and the code', async () => {
    const { place } = await pushed({ 'a.ts': 'a' });
    execFileSync('git', ['init', '-q'], { cwd: place.folder });
    const seen = execFileSync('git', ['status', '--porcelain', '-uall'], { cwd: place.folder }).toString();
    expect(seen).toBe('?? a.ts\n?? vals.json\n');
  });

  it('leaves out two files of one name, and refuses a folder inside a workspace', async () => {
    const place = new Place(temporaryFolder(), {});
    place.put({ 'a.ts': 'a', 'sub/a.ts': 'a', 'b.ts': 'b' });
    const twins = await place.vals('init', '--json');
    expect(twins).toMatchObject({ exit: 2, error: { message: expect.stringMatching(/a\.ts.*sub\/a\.ts/) } });
    expect(place.manifest().vals).toEqual({ 'b.ts': { name: 'b' } });
    const inside = await run(['init', '--json'], { cwd: join(place.folder, 'sub') });
    expect(inside).toMatchObject({ exit: 2, error: { hint: expect.any(String) } });
    expect(existsSync(join(place.folder, 'sub/vals.json'))).toBe(false);
  });
});

describe('outside of a workspace', () => {
  it.each([['status'], ['diff'], ['pull'], ['push'], ['forget', 'hello'], ['push', '--watch']])(
    'vals %s exits with 2 and names init',
    async (...args) => {
      const format = args.includes('--watch') ? '--ndjson' : '--json';
      const { exit, stdout, error } = await run([...args, format, '--local']);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
      expect(error?.hint).toContain('vals init');
    },
  );
});
